package doctor

import (
	"bytes"
	"context"
	"debug/elf"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/layactl/layactl/internal/command"
)

const (
	loadTimeout = 20 * time.Second
	fixCompiler = "apt-get install g++, or set CXX to a C++ compiler"
)

//go:embed probe/probe.cc
var probeSource []byte

// loadScript loads the library named by its argument and prints what its function returns.
const loadScript = `import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).layactl_probe(12))`

// probeAnswer is layactl_probe(12): the digits of 0 to 11 and one letter.
const probeAnswer = "15"

// compiler compiles a small library the way kernels are, looks at what it needs, and loads it into the environment's
// Python.
func (e *examination) compiler(ctx context.Context) {
	words, named := compilerCommand()
	if len(words) == 0 {
		e.missing("compiler", "none of g++, clang++, c++ is on PATH and CXX is not set", fixCompiler)
		return
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		e.missing("compiler", fmt.Sprintf("%s: there is no program %s", named, words[0]), "unset CXX, or set it to a C++ compiler such as /usr/bin/g++")
		return
	}
	folder, err := os.MkdirTemp("", "layactl-doctor-")
	if err != nil {
		e.missing("compiler", "not tried: "+err.Error(), "set TMPDIR to a folder that can be written")
		return
	}
	defer os.RemoveAll(folder)

	library := filepath.Join(folder, "probe.so")
	if err := e.compileProbe(ctx, words, folder, library); err != nil {
		e.missing("compiler", fmt.Sprintf("%s does not compile C++: %v", named, err), fixFor(err, named))
		return
	}
	if err := e.loadProbe(ctx, library); err != nil {
		e.missing("compiler", fmt.Sprintf("what %s makes cannot be loaded: %v", named, err), fixFor(err, named))
		return
	}
	found := fmt.Sprintf("%s compiles, and what it makes can be loaded", named)
	if static, err := linksRuntimeStatically(library); err != nil {
		e.warning("compiler", fmt.Sprintf("%s: the library it made cannot be read: %v", named, err), "")
	} else if static {
		e.warning("compiler",
			found+", but it does not use the system's libstdc++.so: a second copy of the C++ runtime crashes packages (.pt2) when they are loaded",
			"export CXX=/usr/bin/g++ CC=/usr/bin/gcc")
	} else if len(words) > 1 {
		e.warning("compiler", found+"; layactl takes CXX as a command with arguments, but TileLang by itself takes it as the name of one program",
			"CXX="+words[len(words)-1]+", if you also use TileLang without layactl")
	} else {
		e.ok("compiler", found)
	}
}

// compilerCommand returns the compiler that the plugins would use, and how to call it in a sentence.
func compilerCommand() (words []string, named string) {
	if cxx := strings.TrimSpace(os.Getenv("CXX")); cxx != "" {
		return strings.Fields(cxx), fmt.Sprintf("CXX=%q", cxx)
	}
	for _, name := range []string{"g++", "clang++", "c++"} {
		if path, err := exec.LookPath(name); err == nil {
			return []string{path}, path
		}
	}
	return nil, ""
}

func (e *examination) compileProbe(ctx context.Context, words []string, folder, library string) error {
	source := filepath.Join(folder, "probe.cc")
	if err := os.WriteFile(source, probeSource, 0o600); err != nil {
		return err
	}
	args := append(append([]string{}, words...), "-std=c++17", "-O1", "-fPIC", "-shared", "-pthread", source, "-o", library)
	out, err := command.Run(ctx, command.Spec{
		Args:    args,
		Env:     append(os.Environ(), "TMPDIR="+folder, "LC_ALL=C"),
		Timeout: e.CompileTimeout,
	})
	if errors.Is(err, command.ErrDeadline) {
		return err
	}
	if err != nil {
		return errors.New(firstDiagnostic(out.Stderr, err))
	}
	if _, err := os.Stat(library); err != nil {
		return errors.New("it ended well but made no library")
	}
	return nil
}

func (e *examination) loadProbe(ctx context.Context, library string) error {
	if e.python.Executable == "" {
		return nil // the missing Python has a line of its own
	}
	out, err := command.Run(ctx, command.Spec{Args: []string{e.python.Executable, "-I", "-c", loadScript, library}, Timeout: loadTimeout})
	if err != nil {
		return err
	}
	if got := string(bytes.TrimSpace(out.Stdout)); got != probeAnswer {
		return fmt.Errorf("its function returned %s instead of %s", got, probeAnswer)
	}
	return nil
}

// linksRuntimeStatically reports whether a library that uses std::string gets it from no shared C++ runtime.
func linksRuntimeStatically(library string) (bool, error) {
	file, err := elf.Open(library)
	if err != nil {
		return false, err
	}
	defer file.Close()
	needed, err := file.ImportedLibraries()
	if err != nil {
		return false, err
	}
	for _, name := range needed {
		if strings.HasPrefix(name, "libstdc++.so") || strings.HasPrefix(name, "libc++.so") {
			return false, nil
		}
	}
	return true, nil
}

var diagnostic = regexp.MustCompile(`(?i)\b(error|fatal|cannot|not found|no space)\b`)

// firstDiagnostic returns the first line of a compiler's output that says what is wrong, or how it ended.
func firstDiagnostic(stderr []byte, err error) string {
	for line := range bytes.Lines(stderr) {
		if diagnostic.Match(line) {
			return string(bytes.TrimSpace(line))
		}
	}
	return err.Error()
}

// fixFor returns what helps against an error of the compiler or the loader.
func fixFor(err error, named string) string {
	text := err.Error()
	switch {
	case strings.Contains(text, "failed to map segment"):
		return "the temporary folder is mounted noexec: set TMPDIR to a folder on another file system"
	case strings.Contains(text, "No space left"):
		return "free some space in the temporary folder, or set TMPDIR to another one"
	case strings.HasPrefix(named, "CXX="):
		return "unset CXX, or set it to a C++ compiler such as /usr/bin/g++"
	}
	return fixCompiler
}
