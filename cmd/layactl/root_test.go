package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// leaves are the commands that do something, completion's left out: they are cobra's.
func leaves(cmd *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, sub := range cmd.Commands() {
		if sub.HasSubCommands() {
			all = append(all, leaves(sub)...)
		} else if sub.Name() != "help" {
			all = append(all, sub)
		}
	}
	return all
}

func TestEveryVerbExplainsItself(t *testing.T) {
	verbs := leaves(newRoot(&app{}))
	if len(verbs) < 3 {
		t.Fatalf("only %d verbs found", len(verbs))
	}
	for _, cmd := range verbs {
		name := cmd.CommandPath()
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: expected a Short without a full stop, got %q", name, cmd.Short)
		}
		if !strings.Contains(cmd.Example, name) {
			t.Errorf("%s: its Example does not use it: %q", name, cmd.Example)
		}
		for line := range strings.Lines(cmd.Example) {
			if !strings.HasPrefix(line, "  ") {
				t.Errorf("%s: the Example's line %q is not indented by two spaces", name, line)
			}
		}
		if cmd.RunE == nil || cmd.Run != nil {
			t.Errorf("%s: expected RunE, so that errors reach the exit table", name)
		}
	}
}

func TestVersionIsThePythonPackages(t *testing.T) {
	project, err := os.ReadFile(filepath.Join("..", "..", "pyproject.toml"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^version = "(.*)"$`).FindSubmatch(project)
	if found == nil || string(found[1]) != version {
		t.Errorf("layactl is %s, pyproject.toml says %q", version, found)
	}
}

func TestNearNames(t *testing.T) {
	for name, want := range map[string]string{
		"plugin_path": `did you mean "plugin-path"?`,
		"venvs":       `did you mean "venv"?`,
		"logformat":   `did you mean "log-format"?`,
		"x":           "the keys are venv, ",
	} {
		if _, err := settingNamed(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: expected %q, got %v", name, want, err)
		}
	}
}
