package bridge

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	plugin "github.com/hashicorp/go-plugin"
	"go.yaml.in/yaml/v3"

	"github.com/layactl/layactl/internal/spelling"
)

// ManifestFile is the name of the file that makes a folder a plugin's.
const ManifestFile = "plugin.yaml"

// pythonPlugin is the plugin that serves a Python module.
const pythonPlugin = "python"

// Manifest says how a plugin is started. Paths in it are absolute.
type Manifest struct {
	// File is the plugin.yaml; "" when the plugin is a program found by its name alone.
	File string
	// Name is the plugin's name, that of the manifest's folder.
	Name string
	// Command is the program and its arguments; nil when Module is set.
	Command []string
	// Module is a Python module of ops, served by laya-plugin-python: its name, or a file that ends in .py.
	Module string
	// PythonPath are folders to search for Python modules first of all.
	PythonPath []string
	// Venv is the Python environment; "" leaves the choice to the controller.
	Venv string
	// Environment is added to the plugin's environment.
	Environment map[string]string
	// Checksum is the SHA-256 of the program, or of the module's file, in hexadecimal; "" checks nothing.
	Checksum string
	// MTLS turns on Config.MTLS.
	MTLS bool
}

// manifestKeys is a manifest as it is written.
type manifestKeys struct {
	Name        string            `yaml:"name"`
	Protocol    *int              `yaml:"protocol"`
	Command     []string          `yaml:"command"`
	Module      string            `yaml:"module"`
	PythonPath  []string          `yaml:"python-path"`
	Venv        string            `yaml:"venv"`
	Environment map[string]string `yaml:"environment"`
	Checksum    string            `yaml:"checksum"`
	MTLS        bool              `yaml:"mtls"`
}

var manifestNames = []string{"name", "protocol", "command", "module", "python-path", "venv", "environment", "checksum", "mtls"}

// ReadManifest reads a plugin.yaml. Relative paths in it are relative to its folder; a command without a separator is
// looked up on PATH when it starts. It returns ErrPluginNotFound when there is no such file, ErrInvalidArgument for
// what it must not say, ErrUnsupportedHere when the plugin speaks another version of the protocol.
func ReadManifest(file string) (Manifest, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return Manifest{}, err
	}
	source, err := os.ReadFile(file)
	if err != nil {
		return Manifest{}, Errorf(ErrPluginNotFound, "manifest: %v", err)
	}
	return parseManifest(file, source)
}

func parseManifest(file string, source []byte) (Manifest, error) {
	refuse := func(format string, args ...any) (Manifest, error) {
		return Manifest{}, Errorf(ErrInvalidArgument, "%s: "+format, append([]any{file}, args...)...)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(source, &document); err != nil {
		return refuse("%v", err)
	}
	if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return refuse("expected lines of the form KEY: VALUE; the keys are %s", strings.Join(manifestNames, ", "))
	}
	root := document.Content[0]
	for i := 0; i < len(root.Content); i += 2 {
		key := root.Content[i]
		if slices.Contains(manifestNames, key.Value) {
			continue
		}
		if near := spelling.Nearest(key.Value, manifestNames); near != "" {
			return refuse("line %d: unknown key %q, did you mean %q?", key.Line, key.Value, near)
		}
		return refuse("line %d: unknown key %q; the keys are %s", key.Line, key.Value, strings.Join(manifestNames, ", "))
	}
	var keys manifestKeys
	if err := root.Decode(&keys); err != nil {
		return refuse("%v", err)
	}
	folder := filepath.Dir(file)
	name := filepath.Base(folder)
	switch {
	case keys.Name != "" && keys.Name != name:
		return refuse("name: expected %q, the name of its folder, got %q", name, keys.Name)
	case keys.Protocol == nil:
		return refuse("protocol is missing; this program speaks protocol: %d", ProtocolVersion)
	case *keys.Protocol != ProtocolVersion:
		return Manifest{}, Errorf(ErrUnsupportedHere, "plugin %s speaks protocol %d, this program speaks %d (%s)", name, *keys.Protocol, ProtocolVersion, file)
	case (keys.Module == "") == (len(keys.Command) == 0):
		return refuse("expected either command or module")
	case len(keys.Command) > 0 && keys.Command[0] == "":
		return refuse("command: expected a program, got an empty text")
	}
	if sum, err := hex.DecodeString(keys.Checksum); err != nil || len(sum) != 0 && len(sum) != sha256.Size {
		return refuse("checksum: expected a SHA-256 in 64 hexadecimal digits, got %q", keys.Checksum)
	}
	if keys.Checksum != "" && keys.Module != "" && !strings.HasSuffix(keys.Module, ".py") {
		return refuse("checksum: expected module to be a file, got %q", keys.Module)
	}
	m := Manifest{
		File: file, Name: name, Command: keys.Command, Module: keys.Module, Environment: keys.Environment,
		Checksum: strings.ToLower(keys.Checksum), MTLS: keys.MTLS,
	}
	if len(m.Command) > 0 && strings.ContainsRune(m.Command[0], filepath.Separator) {
		m.Command[0] = within(folder, m.Command[0])
	}
	if strings.HasSuffix(m.Module, ".py") {
		m.Module = within(folder, m.Module)
	}
	if keys.Venv != "" {
		m.Venv = within(folder, keys.Venv)
	}
	for _, path := range keys.PythonPath {
		if strings.ContainsRune(path, filepath.ListSeparator) {
			return refuse("python-path: %q must not contain %q", path, filepath.ListSeparator)
		}
		m.PythonPath = append(m.PythonPath, within(folder, path))
	}
	return m, nil
}

// within returns path, relative to folder when it is not absolute.
func within(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// Source is what the plugin was found by: its manifest, or its program.
func (m Manifest) Source() string {
	if m.File != "" {
		return m.File
	}
	return m.Command[0]
}

// Config returns how Start starts the plugin; the caller adds a segment, a logger and the rest. The folders are those of
// FindPlugin: a module's program is looked for in them too. It returns ErrPluginNotFound when a program or the module's
// file is missing, ErrPackageRejected when the module's file does not have the checksum.
func (m Manifest) Config(folders ...string) (Config, error) {
	config := Config{Name: m.Name, MTLS: m.MTLS}
	for _, key := range slices.Sorted(maps.Keys(m.Environment)) {
		config.Env = append(config.Env, key+"="+m.Environment[key])
	}
	if len(m.PythonPath) > 0 {
		path := m.PythonPath
		if old := os.Getenv("PYTHONPATH"); old != "" {
			path = append(slices.Clone(path), old)
		}
		config.Env = append(config.Env, "PYTHONPATH="+strings.Join(path, string(filepath.ListSeparator)))
	}
	if m.Module == "" {
		path, err := lookProgram(m.Command[0])
		config.Path, config.Args, config.Checksum = path, m.Command[1:], m.Checksum
		return config, err
	}
	program, err := findProgram(pythonPlugin, searched(folders))
	if err != nil {
		return config, err
	}
	config.Path, config.Args = program, []string{m.Module}
	if !strings.HasSuffix(m.Module, ".py") {
		return config, nil
	}
	if _, err := os.Stat(m.Module); err != nil {
		return config, Errorf(ErrPluginNotFound, "plugin %s: module: %v", m.Name, err)
	}
	return config, checkChecksum(m.Module, m.Checksum)
}

// checkChecksum returns ErrPackageRejected when file does not have the SHA-256; an empty one is any file's.
func checkChecksum(file, checksum string) error {
	if checksum == "" {
		return nil
	}
	sum, err := hex.DecodeString(checksum)
	if err != nil {
		return Errorf(ErrInvalidArgument, "checksum: expected hexadecimal digits, got %q", checksum)
	}
	secure := plugin.SecureConfig{Checksum: sum, Hash: sha256.New()}
	switch same, err := secure.Check(file); {
	case err != nil:
		return Errorf(ErrPackageRejected, "checksum of %s: %v", file, err)
	case !same:
		return Errorf(ErrPackageRejected, "checksum of %s: expected %s, got %s", file, checksum, hex.EncodeToString(secure.Hash.Sum(nil)))
	}
	return nil
}
