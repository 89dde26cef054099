package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/layactl/layactl/internal/spelling"
)

const settingsFileName = "layactl.yaml"

// settingsFile is what a layactl.yaml says.
type settingsFile struct {
	path   string // "" when there is none
	values map[string]settingValue
}

// readSettingsFile reads the named file, or layactl.yaml in the working folder if there is one. The error gives the
// line and, for an unknown key, the nearest known one.
func readSettingsFile(named string) (settingsFile, error) {
	path := named
	if named == "" {
		path = settingsFileName
	}
	source, err := os.ReadFile(path)
	if named == "" && errors.Is(err, fs.ErrNotExist) {
		return settingsFile{}, nil
	}
	if err != nil {
		return settingsFile{}, usagef("settings: %w", err)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return settingsFile{}, err
	}
	file := settingsFile{path: absolute, values: map[string]settingValue{}}
	var document yaml.Node
	if err := yaml.Unmarshal(source, &document); err != nil {
		return settingsFile{}, usagef("%s: %w", path, err)
	}
	if len(document.Content) == 0 { // empty, or comments alone
		return file, nil
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return settingsFile{}, usagef("%s line %d: expected lines of the form KEY: VALUE", path, root.Line)
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, node := root.Content[i], root.Content[i+1]
		place := fmt.Sprintf("%s line %d", path, key.Line)
		row, err := settingNamed(key.Value)
		if err != nil {
			return settingsFile{}, usagef("%s: %w", place, err)
		}
		if _, twice := file.values[row.name]; twice {
			return settingsFile{}, usagef("%s: %s is set twice", place, row.name)
		}
		text, err := row.fromYAML(node, filepath.Dir(absolute))
		if err != nil {
			return settingsFile{}, usagef("%s: %s: %w", place, row.name, err)
		}
		file.values[row.name] = settingValue{text, origin(place)}
	}
	return file, nil
}

// fromYAML returns the value in the form of a flag. Relative paths are relative to folder.
func (s setting) fromYAML(node *yaml.Node, folder string) (string, error) {
	items := []*yaml.Node{node}
	if s.list && node.Kind == yaml.SequenceNode {
		items = node.Content
	}
	var words []string
	for _, item := range items {
		if item.Kind != yaml.ScalarNode || item.Tag == "!!null" {
			if s.list {
				return "", errors.New("expected a text or a list of texts")
			}
			return "", errors.New("expected a text")
		}
		word := item.Value
		if s.path && word != "" && !filepath.IsAbs(word) {
			word = filepath.Join(folder, word)
		}
		words = append(words, word)
	}
	return strings.Join(words, string(filepath.ListSeparator)), nil
}

func settingNamed(name string) (setting, error) {
	names := make([]string, len(settingTable))
	for i, row := range settingTable {
		if row.name == name {
			return row, nil
		}
		names[i] = row.name
	}
	if nearest := spelling.Nearest(name, names); nearest != "" {
		return setting{}, fmt.Errorf("unknown key %q, did you mean %q?", name, nearest)
	}
	return setting{}, fmt.Errorf("unknown key %q; the keys are %s", name, strings.Join(names, ", "))
}
