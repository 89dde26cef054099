package bridge

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// programPrefix is what the file name of a plugin's program starts with.
const programPrefix = "laya-plugin-"

// FindPlugin finds the plugin of that name: NAME/plugin.yaml or the program laya-plugin-NAME in one of the folders, then
// in PluginFolder, then beside this program; then the program on PATH. ErrPluginNotFound lists where it looked, or says
// what is wrong with the file it found; the errors of ReadManifest are possible too.
func FindPlugin(name string, folders ...string) (Manifest, error) {
	if name == "" || strings.ContainsAny(name, `/\`) || name[0] == '.' {
		return Manifest{}, Errorf(ErrInvalidArgument, "plugin name: expected a word such as tilelang, got %q", name)
	}
	for _, folder := range searched(folders) {
		file := filepath.Join(folder, name, ManifestFile)
		if _, err := os.Stat(file); err == nil {
			return ReadManifest(file)
		}
		program := filepath.Join(folder, programPrefix+name)
		if _, err := os.Stat(program); err == nil {
			return Manifest{Name: name, Command: []string{program}}, checkProgram(program)
		}
	}
	program, err := findProgram(name, searched(folders))
	return Manifest{Name: name, Command: []string{program}}, err
}

// Found is one plugin of a list.
type Found struct {
	Manifest
	// Err says why it cannot be used; nil when nothing is known against it. It was not started.
	Err error
}

// ListPlugins returns every plugin that FindPlugin finds in folders, sorted by name; PATH is not searched. Where a name
// is found twice, the first one counts.
func ListPlugins(folders ...string) []Found {
	seen := map[string]bool{}
	var list []Found
	for _, folder := range searched(folders) {
		entries, _ := os.ReadDir(folder) // a folder that is not there holds no plugins
		for _, entry := range entries {
			name, program := strings.CutPrefix(entry.Name(), programPrefix)
			if !program {
				if _, err := os.Stat(filepath.Join(folder, name, ManifestFile)); err != nil {
					continue
				}
			}
			if seen[name] {
				continue
			}
			seen[name] = true
			m, err := FindPlugin(name, folders...)
			if err == nil {
				_, err = m.Config(folders...)
			} else if m.Name == "" {
				m = Manifest{Name: name, File: filepath.Join(folder, name, ManifestFile)}
			}
			list = append(list, Found{m, err})
		}
	}
	slices.SortFunc(list, func(a, b Found) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// PluginFolder is where a user's plugins are installed: layactl/plugins in XDG_DATA_HOME, or in ~/.local/share. It is ""
// when there is no home.
func PluginFolder() string {
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "layactl", "plugins")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "share", "layactl", "plugins")
}

// searched adds the folders that are always looked in.
func searched(folders []string) []string {
	all := slices.Clone(folders)
	if folder := PluginFolder(); folder != "" {
		all = append(all, folder)
	}
	if self, err := os.Executable(); err == nil {
		all = append(all, filepath.Dir(self))
	}
	return all
}

// findProgram finds laya-plugin-NAME.
func findProgram(name string, folders []string) (string, error) {
	for _, folder := range folders {
		path := filepath.Join(folder, programPrefix+name)
		if _, err := os.Stat(path); err == nil {
			return path, checkProgram(path)
		}
	}
	if path, err := exec.LookPath(programPrefix + name); err == nil {
		return path, nil
	}
	return "", Errorf(ErrPluginNotFound, "plugin %s: no %s and no %s in %s, nor on PATH; build it with `make build` or name its folder with --plugin-path",
		name, programPrefix+name, filepath.Join(name, ManifestFile), strings.Join(folders, ", "))
}

// lookProgram returns the path of a manifest's program: as it is, or from PATH when it is a name alone.
func lookProgram(program string) (string, error) {
	if strings.ContainsRune(program, filepath.Separator) {
		return program, checkProgram(program)
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", Errorf(ErrPluginNotFound, "plugin program %s: %v", program, err)
	}
	return path, nil
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
