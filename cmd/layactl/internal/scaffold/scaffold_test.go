package scaffold

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/internal/command"
)

// TestGoPluginBuildsAndPassesItsTests does what its README says, outside the repository and without a network.
func TestGoPluginBuildsAndPassesItsTests(t *testing.T) {
	checkout, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "greeter")
	if _, err := Write(Config{Folder: folder, Language: Go, Checkout: checkout}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"gofmt", "-l", "."}, {"go", "build", "-o", "greeter", "."}, {"go", "vet", "./..."}, {"go", "test", "./..."}} {
		out, err := command.Run(t.Context(), command.Spec{
			Args: args, Dir: folder, Timeout: 5 * time.Minute, Env: append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly"),
		})
		if err != nil || args[0] == "gofmt" && len(out.Stdout) > 0 {
			t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, out.Stdout, out.Stderr)
		}
	}
	m, err := bridge.ReadManifest(filepath.Join(folder, bridge.ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Config(); err != nil {
		t.Error(err)
	}
	if _, err := Write(Config{Folder: folder, Language: Python}); !errors.Is(err, bridge.ErrInvalidArgument) {
		t.Errorf("a folder that is there: got %v", err)
	}
}

func TestPythonPluginIsWritten(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "hello")
	files, err := Write(Config{Folder: folder, Language: Python})
	if err != nil || len(files) != 5 {
		t.Fatalf("got %q, %v", files, err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil || strings.Contains(string(source), "<%") {
			t.Errorf("%s: %v\n%s", file, err, source)
		}
	}
	m, err := bridge.ReadManifest(filepath.Join(folder, bridge.ManifestFile))
	if err != nil || m.Module != filepath.Join(folder, "hello.py") {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestFindCheckout(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(root, "bin", "layactl")
	if err := errors.Join(os.Mkdir(filepath.Dir(program), 0o700), os.WriteFile(program, nil, 0o700)); err != nil {
		t.Fatal(err)
	}
	for module, want := range map[string]string{modulePath: root, "example.com/other": ""} {
		if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module "+module+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := FindCheckout(program); got != want {
			t.Errorf("%s: expected %q, got %q", module, want, got)
		}
	}
	if got := FindCheckout(filepath.Join(root, "nowhere")); got != "" {
		t.Errorf("a program that is not there: got %q", got)
	}
}
