package bridge

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// programPrefix is what the file name of a plugin's program starts with.
const programPrefix = "laya-plugin-"

// FindPlugin returns the program of the plugin name: laya-plugin-NAME in one of the folders, then beside this
// program, then on PATH. ErrPluginNotFound lists where it looked, or says what is wrong with the file it found.
func FindPlugin(name string, folders ...string) (string, error) {
	if name == "" || strings.ContainsAny(name, `/\`) {
		return "", Errorf(ErrInvalidArgument, "plugin name: expected a word such as tilelang, got %q", name)
	}
	looked := append([]string{}, folders...)
	if self, err := os.Executable(); err == nil {
		looked = append(looked, filepath.Dir(self))
	}
	for _, folder := range looked {
		path := filepath.Join(folder, programPrefix+name)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return path, checkProgram(path)
	}
	if path, err := exec.LookPath(programPrefix + name); err == nil {
		return path, nil
	}
	return "", Errorf(ErrPluginNotFound, "plugin %s: no %s in %s, nor on PATH; build it with `make build` or name its folder with --plugin-path",
		name, programPrefix+name, strings.Join(looked, ", "))
}

// checkProgram says in one sentence why path cannot be run as a plugin.
func checkProgram(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Errorf(ErrPluginNotFound, "plugin program %s does not exist", path)
	case err != nil:
		return Errorf(ErrPluginNotFound, "plugin program %s: %v", path, err)
	case !info.Mode().IsRegular():
		return Errorf(ErrPluginNotFound, "plugin program %s is not a regular file but %s", path, info.Mode().Type())
	case info.Mode().Perm()&0o111 == 0:
		return Errorf(ErrPluginNotFound, "plugin program %s is not executable (mode %v); run chmod +x", path, info.Mode().Perm())
	}
	return nil
}
