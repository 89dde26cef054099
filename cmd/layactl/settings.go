package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// setting is one thing that can be set by a flag, a variable, a line of layactl.yaml, or left at its default.
type setting struct {
	name    string // of the flag and of the key in layactl.yaml
	usage   string
	choices []string // all allowed values; nil when any text will do
	path    bool     // a file name: relative ones in layactl.yaml are relative to that file
	list    bool     // paths with the system's separator between them, or a YAML list
	def     func() string
}

func (s setting) variable() string {
	return "LAYACTL_" + strings.ToUpper(strings.ReplaceAll(s.name, "-", "_"))
}

var settingTable = []setting{
	{name: "venv", path: true, usage: "`FOLDER` of the Python environment (default: VIRTUAL_ENV, .venv beside bin/, ./.venv)"},
	{name: "plugin-path", path: true, list: true, usage: "`FOLDERS` to look for plugins in, before the user's plugin folder, layactl's own and PATH"},
	{name: "cache-dir", path: true, usage: "private `FOLDER` for compiled kernels", def: defaultCacheDir},
	{name: "log-level", usage: "`LEVEL` of the log on standard error", choices: []string{"debug", "info", "warn", "error"}, def: always("warn")},
	{name: "log-format", usage: "`FORMAT` of the log", choices: []string{"console", "json"}, def: always("console")},
	{name: "color", usage: "`WHEN` to use colours; auto is on a terminal without NO_COLOR", choices: []string{"auto", "always", "never"}, def: always("auto")},
}

func always(value string) func() string { return func() string { return value } }

// defaultCacheDir is where the plugins look when nothing is set.
func defaultCacheDir() string {
	folder, err := os.UserCacheDir()
	if err != nil {
		return "" // doctor says that HOME is missing
	}
	return filepath.Join(folder, "layactl")
}

// origin is where a setting's value came from, in words.
type origin string

const originDefault origin = "default"

// settings are the values that hold for this run, each with its origin.
type settings struct {
	values map[string]settingValue
	// file is the layactl.yaml that was read, "" if there was none.
	file string
}

type settingValue struct {
	text   string
	origin origin
}

func (s settings) value(name string) string  { return s.values[name].text }
func (s settings) origin(name string) origin { return s.values[name].origin }

// venv is what --venv or its likes name; "" leaves the choice to package venv.
func (s settings) venv() string { return s.value("venv") }

// pluginPath are the folders to look for plugins in, first of all.
func (s settings) pluginPath() []string { return filepath.SplitList(s.value("plugin-path")) }

// cacheDir is the folder that plugins keep compiled kernels in.
func (s settings) cacheDir() string { return s.value("cache-dir") }

// colorOn says whether what is written to file may be coloured.
func (s settings) colorOn(file *os.File) bool {
	switch s.value("color") {
	case "always":
		return true
	case "never":
		return false
	}
	return term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb"
}

func addSettingFlags(root *cobra.Command) {
	flags := root.PersistentFlags()
	for _, s := range settingTable {
		if s.choices == nil {
			flags.String(s.name, "", s.usage)
			continue
		}
		flags.String(s.name, s.def(), s.usage+": "+strings.Join(s.choices, ", "))
		// It fails for a flag that is not there, and this one is.
		_ = root.RegisterFlagCompletionFunc(s.name, cobra.FixedCompletions(s.choices, cobra.ShellCompDirectiveNoFileComp))
	}
	flags.String("config", "", "read settings from `FILE` (default: layactl.yaml in the working folder, if it is there)")
}

// loadSettings settles every setting: flag, else environment, else layactl.yaml, else default. An empty variable counts
// as unset. The error says which of them holds what cannot be followed.
func loadSettings(flags *pflag.FlagSet) (settings, error) {
	s := settings{values: map[string]settingValue{}}
	config, err := flags.GetString("config")
	if err != nil {
		return s, err
	}
	fromFile, err := readSettingsFile(config)
	if err != nil {
		return s, err
	}
	s.file = fromFile.path
	for _, row := range settingTable {
		v := row.settle(flags.Lookup(row.name), fromFile)
		if row.choices != nil && !slices.Contains(row.choices, v.text) {
			return s, usagef("%s (%s): expected one of %s, got %q", row.name, v.origin, strings.Join(row.choices, ", "), v.text)
		}
		s.values[row.name] = v
	}
	return s, nil
}

func (s setting) settle(flag *pflag.Flag, fromFile settingsFile) settingValue {
	if flag != nil && flag.Changed {
		return settingValue{flag.Value.String(), origin("flag --" + s.name)}
	}
	if text := os.Getenv(s.variable()); text != "" {
		return settingValue{text, origin("environment " + s.variable())}
	}
	if s.name == "color" && os.Getenv("NO_COLOR") != "" {
		return settingValue{"never", "environment NO_COLOR"}
	}
	if v, ok := fromFile.values[s.name]; ok {
		return v
	}
	if s.def == nil {
		return settingValue{"", originDefault}
	}
	return settingValue{s.def(), originDefault}
}
