//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/layactl/layactl/bridge"
)

// The scripts run this test binary again under the name of layactl.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"layactl": func() { os.Exit(run()) }})
}

// TestScripts runs testdata/script. $VENV and $PLUGINS are the real environment and plugins of this checkout, or of
// LAYACTL_VENV and LAYACTL_PLUGIN_PATH, $BIN holds layactl alone; scripts that need them start with [!venv] skip or [!plugins] skip.
func TestScripts(t *testing.T) {
	environment := fromHere("LAYACTL_VENV", ".venv")
	plugins := fromHere("LAYACTL_PLUGIN_PATH", "bin")
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("VENV", environment)
			env.Setenv("PLUGINS", plugins)
			env.Setenv("BIN", filepath.SplitList(env.Getenv("PATH"))[0])
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "venv":
				_, err := os.Stat(filepath.Join(environment, "bin", "python"))
				return err == nil, nil
			case "plugins":
				_, err := bridge.FindPlugin("tilelang", plugins)
				return err == nil, nil
			case "g++":
				_, err := exec.LookPath("g++")
				return err == nil, nil
			case "nvcc":
				found, err := filepath.Glob(filepath.Join(environment, "lib", "python3*", "site-packages", "nvidia", "cu13", "bin", "nvcc"))
				return len(found) > 0, err
			case "mounts":
				return canMount(t), nil
			}
			return false, errors.New("unknown condition " + name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// fromHere returns the variable's value, or a path in the root of the module.
func fromHere(variable, fallback string) string {
	if value := os.Getenv(variable); value != "" {
		return value
	}
	path, err := filepath.Abs(filepath.Join("..", "..", fallback))
	if err != nil {
		panic(err)
	}
	return path
}

// canMount says whether a mount namespace of one's own is to be had.
func canMount(t *testing.T) bool {
	return exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "-o", "noexec", "none", t.TempDir()).Run() == nil
}

// exits STATUS PROGRAM ARG... runs a program that must end with that status, or with any.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS|any PROGRAM ARG...")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if args[0] != "any" && args[0] != strconv.Itoa(got) {
		ts.Fatalf("expected exit status %s, got %d", args[0], got)
	}
}
