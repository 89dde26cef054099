package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/cmd/layactl/internal/report"
)

func newPlugin(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "List plugins, describe one, start a new one, check one against the contract",
		Long: `A plugin is a program that offers ops to layactl: a Go program, or a Python module served by laya-plugin-python. It is
found by NAME/plugin.yaml, or as the program laya-plugin-NAME, in the folders of --plugin-path, in layactl/plugins in
XDG_DATA_HOME (~/.local/share), and beside layactl; programs on PATH too. plugin.yaml has these keys:

  protocol: 1               version of the protocol, required
  module: ops.py            Python module or file with the ops; or
  command: [./serve, ARG]   program with its arguments
  name: NAME                must be the folder's
  venv: FOLDER              Python environment; without it layactl's own
  python-path: [FOLDER]     more folders with Python modules
  environment: {KEY: text}  variables
  checksum: HEX             SHA-256 that the program, or the module's file, must have
  mtls: true                encrypted connection with certificates of both sides

Relative paths are relative to the folder of plugin.yaml.`,
		Example: `  layactl plugin new --python hello
  layactl plugin test hello
  layactl plugin list`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPluginList(a), newPluginInfo(a), newPluginNew(a), newPluginTest(a))
	return cmd
}

// findPlugin returns the plugin that an argument names: a folder with a plugin.yaml, an installed plugin's name, or
// else the name of a folder with a plugin.yaml in the working folder.
func (a *app) findPlugin(argument string) (bridge.Manifest, error) {
	inFolder := filepath.Join(argument, bridge.ManifestFile)
	if argument == "." || argument == ".." || strings.ContainsRune(argument, filepath.Separator) {
		return bridge.ReadManifest(inFolder)
	}
	manifest, err := bridge.FindPlugin(argument, a.settings.pluginPath()...)
	if errors.Is(err, bridge.ErrPluginNotFound) && argument != "" {
		if _, statErr := os.Stat(inFolder); statErr == nil {
			return bridge.ReadManifest(inFolder)
		}
	}
	return manifest, err
}

// listedPlugin is one row of `layactl plugin list --json`.
type listedPlugin struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Source string `json:"source"`
	Error  string `json:"error,omitempty"`
}

func newPluginList(a *app) *cobra.Command {
	var jsonTarget string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the plugins that are found, without starting one",
		Example: "  layactl plugin list\n  layactl plugin list --json -",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			record, people, err := a.output(jsonTarget)
			if err != nil {
				return err
			}
			defer record.Close()
			rows := []listedPlugin{}
			table := report.Table{Header: []string{"plugin", "kind", "found", "state"}}
			for _, found := range bridge.ListPlugins(a.settings.pluginPath()...) {
				row := listedPlugin{Name: found.Name, Kind: pluginKind(found.Manifest), Source: found.Source()}
				state := report.Good("ok")
				if found.Err != nil {
					row.Error = found.Err.Error()
					state = report.Bad(row.Error)
				}
				rows = append(rows, row)
				table.Rows = append(table.Rows, []string{row.Name, row.Kind, row.Source, state})
			}
			if len(rows) == 0 {
				people.Printf("no plugins; `layactl plugin new --python NAME` starts one\n")
			} else {
				people.Table(table)
			}
			return errors.Join(people.Err(), record.Write(rows))
		},
	}
	addJSONFlag(cmd, &jsonTarget)
	return cmd
}

func pluginKind(m bridge.Manifest) string {
	switch {
	case m.Module != "":
		return "module"
	case m.File != "" && m.Command == nil:
		return "-" // its manifest could not be read
	default:
		return "program"
	}
}

func newPluginInfo(a *app) *cobra.Command {
	var jsonTarget string
	cmd := &cobra.Command{
		Use:     "info NAME|FOLDER",
		Short:   "Start a plugin and show its ops, their parameters, versions and devices",
		Example: "  layactl plugin info tilelang\n  layactl plugin info ./hello --json -",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			a.tracebacks = true
			record, people, err := a.output(jsonTarget)
			if err != nil {
				return err
			}
			defer record.Close()
			manifest, err := a.findPlugin(args[0])
			if err != nil {
				return err
			}
			plugin, err := a.startManifest(cmd.Context(), nil, manifest)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, plugin.Close()) }()
			info, err := plugin.Info(cmd.Context())
			if err != nil {
				return err
			}
			printInfo(people, manifest, info)
			return errors.Join(people.Err(), record.Write(info))
		},
	}
	addJSONFlag(cmd, &jsonTarget)
	return cmd
}

func printInfo(people *report.Printer, manifest bridge.Manifest, info bridge.Info) {
	people.Printf("%s %s  %s\n", info.Name, info.Version, report.Faint(manifest.Source()))
	for _, what := range slices.Sorted(maps.Keys(info.Versions)) {
		if v := info.Versions[what]; v != "" { // not installed as a distribution
			people.Printf("%s %s  ", what, v)
		}
	}
	for _, device := range info.Devices {
		people.Printf("%s: %s  ", device.Kind, device.Name)
	}
	people.Printf("\n\n")
	table := report.Table{Header: []string{"op", "parameters", "what it does"}}
	for _, op := range info.Ops {
		var parameters []string
		for _, p := range op.Parameters {
			text := fmt.Sprintf("%s: %s", p.Name, p.Type)
			if p.Default != nil {
				text += " = " + string(p.Default)
			}
			parameters = append(parameters, text)
		}
		table.Rows = append(table.Rows, []string{op.Name, strings.Join(parameters, "\n"), op.Doc})
	}
	people.Table(table)
}
