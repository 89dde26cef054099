// Package scaffold writes the folder of a new plugin, with a test and a README.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"golang.org/x/mod/modfile"

	"github.com/layactl/layactl/bridge"
)

//go:embed go/*.tmpl python/*.tmpl
var templates embed.FS

// Language is what a plugin is written in; also the folder of its templates.
type Language string

// The languages.
const (
	Go     Language = "go"
	Python Language = "python"
)

const modulePath = "github.com/layactl/layactl"

// name is what a plugin may be called: a Python module and a Go program can have the name too.
var name = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Config says what to write.
type Config struct {
	// Folder is made; its last part is the plugin's name.
	Folder   string
	Language Language
	// Checkout is layactl's source, which a Go plugin is built against; "" leaves that to `go mod tidy`.
	Checkout string
}

// plugin is what the templates see.
type plugin struct {
	Name, Version, Checkout string
	Protocol                int
}

// Write makes the folder, and returns the files in it. A folder that is there already stays as it is. It returns
// ErrInvalidArgument for a name or a checkout that will not do.
func Write(c Config) (files []string, err error) {
	p := plugin{Name: filepath.Base(c.Folder), Checkout: c.Checkout, Protocol: bridge.ProtocolVersion}
	if !name.MatchString(p.Name) {
		return nil, bridge.Errorf(bridge.ErrInvalidArgument, "name: expected lower-case letters, digits and _, a letter first, got %q", p.Name)
	}
	contents, err := render(c.Language, p)
	if err != nil {
		return nil, err
	}
	if c.Language == Go {
		if err := addModule(contents, p); err != nil {
			return nil, err
		}
	}
	if err := os.Mkdir(c.Folder, 0o755); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, bridge.Errorf(bridge.ErrInvalidArgument, "%s is there already", c.Folder)
		}
		return nil, err
	}
	for file, text := range contents {
		path := filepath.Join(c.Folder, file)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return files, errors.Join(err, os.RemoveAll(c.Folder))
		}
		files = append(files, path)
	}
	return files, nil
}

// render fills every template of a language. A file NAME.ext is called after the plugin.
func render(language Language, p plugin) (map[string][]byte, error) {
	entries, err := templates.ReadDir(string(language))
	if err != nil {
		return nil, err
	}
	contents := map[string][]byte{}
	for _, entry := range entries {
		// Go's own braces stay as they are.
		t, err := template.New(entry.Name()).Delims("<%", "%>").ParseFS(templates, string(language)+"/"+entry.Name())
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		if err := t.Execute(&out, p); err != nil {
			return nil, err
		}
		file := strings.TrimSuffix(entry.Name(), ".tmpl")
		file = strings.Replace(strings.Replace(file, "NAME", p.Name, 1), "dot-", ".", 1)
		contents[file] = out.Bytes()
	}
	return contents, nil
}

// addModule writes go.mod and go.sum. With a checkout they are complete: every version that layactl was built with, so
// that nothing needs to be looked up.
func addModule(contents map[string][]byte, p plugin) error {
	m := &modfile.File{}
	err := errors.Join(m.AddModuleStmt(p.Name), m.AddGoStmt("1.26.0"))
	if p.Checkout == "" {
		contents["go.mod"], err = m.Format()
		return err
	}
	source, err2 := os.ReadFile(filepath.Join(p.Checkout, "go.mod"))
	if err = errors.Join(err, err2); err != nil {
		return bridge.Errorf(bridge.ErrInvalidArgument, "checkout: %v", err)
	}
	theirs, err := modfile.Parse("go.mod", source, nil)
	if err != nil || theirs.Module == nil || theirs.Module.Mod.Path != modulePath {
		return bridge.Errorf(bridge.ErrInvalidArgument, "checkout: expected the source of %s in %s (%v)", modulePath, p.Checkout, err)
	}
	sums, err := os.ReadFile(filepath.Join(p.Checkout, "go.sum"))
	if err != nil {
		return bridge.Errorf(bridge.ErrInvalidArgument, "checkout: %v", err)
	}
	m.AddNewRequire(modulePath, "v0.0.0", false)
	for _, r := range theirs.Require {
		m.AddNewRequire(r.Mod.Path, r.Mod.Version, true)
	}
	err = m.AddReplace(modulePath, "", p.Checkout, "")
	for _, r := range theirs.Replace {
		if !filepath.IsAbs(r.New.Path) && r.New.Version == "" {
			r.New.Path = filepath.Join(p.Checkout, r.New.Path)
		}
		err = errors.Join(err, m.AddReplace(r.Old.Path, r.Old.Version, r.New.Path, r.New.Version))
	}
	if err != nil {
		return fmt.Errorf("go.mod: %w", err)
	}
	contents["go.sum"] = sums
	contents["go.mod"], err = m.Format()
	return err
}

// FindCheckout returns the source of layactl that program was built in: the folder above its own, when that is one. ""
// means that there is none.
func FindCheckout(program string) string {
	program, err := filepath.EvalSymlinks(program)
	if err != nil {
		return ""
	}
	folder := filepath.Dir(filepath.Dir(program))
	source, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil || modfile.ModulePath(source) != modulePath {
		return ""
	}
	return folder
}
