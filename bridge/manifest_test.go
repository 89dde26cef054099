package bridge

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestManifestsThatAreRefused(t *testing.T) {
	for _, test := range []struct {
		source, want string
		sentinel     error
	}{
		{"", "expected lines of the form KEY: VALUE; the keys are name, protocol", ErrInvalidArgument},
		{"- a\n- b", "expected lines of the form", ErrInvalidArgument},
		{"a: [", "yaml", ErrInvalidArgument},
		{"protocol: 1\nmodul: x.py", `line 2: unknown key "modul", did you mean "module"?`, ErrInvalidArgument},
		{"colour: red", `unknown key "colour"; the keys are name`, ErrInvalidArgument},
		{"module: x.py", "protocol is missing; this program speaks protocol: 1", ErrInvalidArgument},
		{"protocol: 99\nmodule: x.py", "plugin mine speaks protocol 99, this program speaks 1", ErrUnsupportedHere},
		{"protocol: one\nmodule: x.py", "cannot unmarshal", ErrInvalidArgument},
		{"protocol: 1", "expected either command or module", ErrInvalidArgument},
		{"protocol: 1\nmodule: x\ncommand: [y]", "expected either command or module", ErrInvalidArgument},
		{"protocol: 1\ncommand: ['']", "command: expected a program", ErrInvalidArgument},
		{"protocol: 1\nmodule: x\nmodule: y", "already defined", ErrInvalidArgument},
		{"name: yours\nprotocol: 1\nmodule: x", `name: expected "mine", the name of its folder, got "yours"`, ErrInvalidArgument},
		{"protocol: 1\nmodule: x.py\nchecksum: abc", "expected a SHA-256 in 64 hexadecimal digits", ErrInvalidArgument},
		{"protocol: 1\nmodule: x\nchecksum: " + strings.Repeat("0", 64), "expected module to be a file", ErrInvalidArgument},
		{"protocol: 1\nmodule: x\npython-path: ['a:b']", "must not contain", ErrInvalidArgument},
	} {
		_, err := parseManifest("/p/mine/plugin.yaml", []byte(test.source))
		if !errors.Is(err, test.sentinel) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: expected %v with %q, got %v", test.source, test.sentinel, test.want, err)
		}
	}
}

func TestManifestPathsAreRelativeToItsFolder(t *testing.T) {
	m, err := parseManifest("/p/mine/plugin.yaml", []byte("name: mine\nprotocol: 1\nmodule: ops.py\nvenv: ../venv\npython-path: [lib, /abs]\nenvironment: {A: 1}\nmtls: true\n"))
	if err != nil {
		t.Fatal(err)
	}
	if m.Module != "/p/mine/ops.py" || m.Venv != "/p/venv" || !slices.Equal(m.PythonPath, []string{"/p/mine/lib", "/abs"}) || m.Environment["A"] != "1" || !m.MTLS {
		t.Errorf("got %+v", m)
	}
	m, err = parseManifest("/p/mine/plugin.yaml", []byte("protocol: 1\ncommand: [./serve, -x, ./y]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Command, []string{"/p/mine/serve", "-x", "./y"}) {
		t.Errorf("got %v", m.Command)
	}
	m, err = parseManifest("/p/mine/plugin.yaml", []byte("protocol: 1\ncommand: [sh]\n"))
	if err != nil {
		t.Fatal(err)
	}
	config, err := m.Config()
	if err != nil || !filepath.IsAbs(config.Path) || config.Name != "mine" {
		t.Errorf("a program on PATH: got %+v, %v", config, err)
	}
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestPluginsAreFoundInOrder(t *testing.T) {
	first, second, data := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	write(t, filepath.Join(first, "laya-plugin-a"), "#!/bin/sh\n", 0o700)
	write(t, filepath.Join(second, "a", "plugin.yaml"), "protocol: 1\nmodule: ops.py\n", 0o600)
	write(t, filepath.Join(second, "b", "plugin.yaml"), "protocol: 1\nmodul: ops.py\n", 0o600)
	write(t, filepath.Join(second, "laya-plugin-python"), "#!/bin/sh\n", 0o700)
	write(t, filepath.Join(data, "layactl", "plugins", "c", "plugin.yaml"), "protocol: 1\nmodule: ops.py\n", 0o600)
	write(t, filepath.Join(data, "layactl", "plugins", "d", "plugin.yaml"), "protocol: 1\nmodule: ops.py\n", 0o600)
	write(t, filepath.Join(data, "layactl", "plugins", "d", "ops.py"), "", 0o600)
	write(t, filepath.Join(data, "layactl", "plugins", "nothing", "README"), "", 0o600)

	a, err := FindPlugin("a", first, second)
	if err != nil || a.Source() != filepath.Join(first, "laya-plugin-a") {
		t.Errorf("a: got %+v, %v", a, err)
	}
	if a, err = FindPlugin("a", second, first); err != nil || a.File != filepath.Join(second, "a", "plugin.yaml") {
		t.Errorf("a: got %+v, %v", a, err)
	}
	if _, err := FindPlugin("../a", second); !errors.Is(err, ErrInvalidArgument) {
		t.Errorf("a path as a name: got %v", err)
	}
	var got []string
	for _, found := range ListPlugins(first, second) {
		line := found.Name
		if found.Err != nil {
			line += " " + Code(found.Err)
		}
		got = append(got, line)
	}
	if want := []string{"a", "b invalid_argument", "c plugin_not_found", "d", "python"}; !slices.Equal(got, want) {
		t.Errorf("expected %q, got %q", want, got)
	}
}

func TestChecksums(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "mine", "ops.py"), "x = 1\n", 0o600)
	write(t, filepath.Join(folder, "laya-plugin-python"), "#!/bin/sh\n", 0o700)
	sum := sha256.Sum256([]byte("x = 1\n"))
	good, bad := hex.EncodeToString(sum[:]), strings.Repeat("0", 64)
	for checksum, want := range map[string]error{good: nil, strings.ToUpper(good): nil, bad: ErrPackageRejected} {
		write(t, filepath.Join(folder, "mine", "plugin.yaml"), "protocol: 1\nmodule: ops.py\nchecksum: '"+checksum+"'\n", 0o600)
		m, err := FindPlugin("mine", folder)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = m.Config(folder); !errors.Is(err, want) || err != nil && !strings.Contains(err.Error(), "expected "+bad+", got "+good) {
			t.Errorf("%s: expected %v, got %v", checksum, want, err)
		}
	}
	program := filepath.Join(folder, "laya-plugin-python")
	if _, err := Start(t.Context(), Config{Path: program, Checksum: bad}); !errors.Is(err, ErrPackageRejected) {
		t.Errorf("a program with another checksum: got %v", err)
	}
}

// FuzzManifest: whatever stands in the file, there is a plugin that can be started or a sentence.
func FuzzManifest(f *testing.F) {
	f.Add("protocol: 1\nmodule: ops.py\nenvironment: {A: b}\n")
	f.Add("name: mine\nprotocol: 1\ncommand: [./serve]\nchecksum: " + strings.Repeat("0", 64))
	f.Add("&a {protocol: 1, module: x, <<: *a}")
	f.Add("? [a]\n: b")
	f.Add("protocol: 1\nmodule: !!binary AAAA\n")
	f.Fuzz(func(t *testing.T, source string) {
		m, err := parseManifest("/p/mine/plugin.yaml", []byte(source))
		switch {
		case err != nil && !errors.Is(err, ErrInvalidArgument) && !errors.Is(err, ErrUnsupportedHere):
			t.Errorf("got an error without a sentinel: %v", err)
		case err == nil && (m.Name != "mine" || (m.Module == "") == (len(m.Command) == 0)):
			t.Errorf("accepted %+v", m)
		}
	})
}
