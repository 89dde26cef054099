package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/layactl/layactl/cmd/layactl/internal/doctor"
	"github.com/layactl/layactl/cmd/layactl/internal/report"
)

// doctorRecord is what `layactl doctor --json` writes.
type doctorRecord struct {
	Layactl  build           `json:"layactl"`
	Status   doctor.Status   `json:"status"`
	Settings []doctorSetting `json:"settings"`
	Lines    []doctor.Line   `json:"lines"`
}

type doctorSetting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

func newDoctor(a *app) *cobra.Command {
	var jsonTarget string
	var deep bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this host has and lacks, and where each setting comes from",
		Long: `doctor looks at everything that a run needs: Python and its library, the packages, a C++ compiler (it compiles and
loads a small library), folders, memory, plugins, CUDA. Each line is ok, a warning, or missing with what to do.
It ends with status 3 when something is missing without which the kernels cannot be validated.`,
		Example: "  layactl doctor\n  layactl doctor --deep --json doctor.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			record, people, err := a.output(jsonTarget)
			if err != nil {
				return err
			}
			defer record.Close()

			progress := people.Progress("doctor", doctor.Topics())
			defer progress.Close()
			lines, err := doctor.Examine(cmd.Context(), doctor.Config{
				Venv:       a.settings.venv(),
				PluginPath: a.settings.pluginPath(),
				CacheDir:   a.settings.cacheDir(),
				Deep:       deep,
				Begin:      progress.Step,
			})
			progress.Close()
			if err != nil {
				return err
			}

			result := doctorRecord{thisBuild(), doctor.Worst(lines), a.settingRows(), lines}
			printDoctor(people, a.settings.file, result)
			if err := record.Write(result); err != nil {
				return err
			}
			if result.Status == doctor.Missing {
				return fmt.Errorf("%w: %s", errEnvironment, missingTopics(lines))
			}
			return people.Err()
		},
	}
	addJSONFlag(cmd, &jsonTarget)
	cmd.Flags().BoolVar(&deep, "deep", false, "also import torch, TileLang and layabridge, which takes some seconds")
	return cmd
}

// settingRows lists every setting with its origin.
func (a *app) settingRows() []doctorSetting {
	rows := make([]doctorSetting, 0, len(settingTable))
	for _, s := range settingTable {
		rows = append(rows, doctorSetting{s.name, a.settings.value(s.name), string(a.settings.origin(s.name))})
	}
	return rows
}

func printDoctor(people *report.Printer, settingsFile string, r doctorRecord) {
	people.Printf("%v\n\n", r.Layactl)
	settings := report.Table{Header: []string{"setting", "value", "from"}}
	for _, s := range r.Settings {
		value := s.Value
		if value == "" {
			value = "-"
		}
		settings.Rows = append(settings.Rows, []string{s.Name, value, s.Origin})
	}
	people.Table(settings)
	if settingsFile != "" {
		people.Printf("%s\n", report.Faint("(read "+settingsFile+")"))
	}
	people.Printf("\n")

	findings := report.Table{}
	for _, line := range r.Lines {
		found := line.Found
		if line.Fix != "" {
			found += "\nfix: " + line.Fix
		}
		findings.Rows = append(findings.Rows, []string{coloured(line.Status), line.Topic, found})
	}
	people.Table(findings)
}

func coloured(status doctor.Status) string {
	switch status {
	case doctor.OK:
		return report.Good(string(status))
	case doctor.Warning:
		return report.Warn(string(status))
	}
	return report.Bad(string(status))
}

func missingTopics(lines []doctor.Line) string {
	var names []string
	for _, line := range lines {
		if line.Status == doctor.Missing {
			names = append(names, line.Topic)
		}
	}
	return strings.Join(names, ", ")
}
