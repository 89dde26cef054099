package doctor

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"github.com/layactl/layactl/bridge/venv"
	"github.com/layactl/layactl/internal/command"
)

const (
	askTimeout    = 20 * time.Second
	importTimeout = 3 * time.Minute
	fixPackages   = "make setup"
)

//go:embed distributions.py
var distributionsSource string

//go:embed imports.py
var importsSource string

// interpreter finds and judges the Python that plugins will embed.
func (e *examination) interpreter(ctx context.Context) {
	location, err := venv.Locate(e.Venv)
	if err != nil {
		e.missing("python", err.Error(), "")
		return
	}
	python, err := venv.Inspect(ctx, location.Python)
	if err != nil {
		e.missing("python", fmt.Sprintf("%v (found by %s)", err, location.Origin), "")
		return
	}
	e.python = python
	e.ok("python", fmt.Sprintf("%s %s, %s (found by %s)", python.Implementation, python.Version, python.Executable, location.Origin))
	build := "shared build"
	if !python.Shared {
		build = "beside a static build"
	}
	e.ok("libpython", fmt.Sprintf("%s (%s)", python.LibPython, build))
	if python.IsVenv {
		e.ok("venv", fmt.Sprintf("%s, on top of %s", python.Prefix, python.BasePrefix))
	} else {
		e.warning("venv", python.Executable+" is no virtual environment: other programs can change its packages", "make setup, which makes .venv")
	}
}

// distributions looks at what is installed, without importing it.
func (e *examination) distributions(ctx context.Context) {
	if e.python.Executable == "" {
		e.missing("packages", "not looked at: there is no Python to use", "")
		return
	}
	out, err := e.runPython(ctx, askTimeout, distributionsSource)
	var answer struct {
		// Installed and Pinned are versions by distribution; what is not installed is not in Installed.
		Installed, Pinned map[string]string
		// Layabridge is where the package would be imported from, Error why it cannot be.
		Layabridge, Error string
	}
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	if err != nil {
		e.missing("packages", fmt.Sprintf("the environment does not answer: %v", err), fixPackages)
		return
	}
	for _, name := range []string{"torch", "tilelang"} {
		have, want := answer.Installed[name], answer.Pinned[name]
		switch {
		case have == "":
			e.missing(name, "not installed in "+e.python.Prefix, fixPackages)
		case want != "" && have != want:
			e.warning(name, fmt.Sprintf("%s, but layabridge is tested with %s", have, want), fixPackages)
		default:
			e.ok(name, have)
		}
	}
	if answer.Layabridge == "" {
		e.missing("layabridge", "cannot be imported: "+answer.Error, fixPackages)
		return
	}
	e.ok("layabridge", answer.Layabridge)
}

// imports loads the heavy packages when asked to.
func (e *examination) imports(ctx context.Context) {
	if !e.Deep {
		return
	}
	for _, module := range []string{"torch", "tilelang", "layabridge.boundary"} {
		topic := "import " + module
		if e.python.Executable == "" {
			e.missing(topic, "not tried: there is no Python to use", "")
			continue
		}
		began := time.Now()
		out, err := e.runPython(ctx, importTimeout, importsSource, module)
		if err != nil {
			e.missing(topic, err.Error(), fixPackages)
			continue
		}
		e.ok(topic, fmt.Sprintf("%s, in %.1f s", out, time.Since(began).Seconds()))
	}
}

// runPython runs a script as a plugin would see the environment and returns what it printed.
func (e *examination) runPython(ctx context.Context, timeout time.Duration, script string, args ...string) ([]byte, error) {
	out, err := command.Run(ctx, command.Spec{
		Args:    append([]string{e.python.Executable, "-B", "-c", script}, args...),
		Timeout: timeout,
	})
	return out.Stdout, err
}
