package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/layactl/layactl/bridge/validate"
	"github.com/layactl/layactl/cmd/layactl/internal/report"
)

func newReport(a *app) *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use:   "report FILE.md...",
		Short: "Write the tables of a Markdown file from the records that it names",
		Long: `report replaces what stands between the lines

    <!-- report PATH -->
    <!-- end report -->

by the table of the record at PATH, which is relative to the file. Records are those of validate and kernel bench. With
--check nothing is written, and a table that differs from its record is exit status 1. So no figure is ever typed.`,
		Example: "  layactl report README.md\n  layactl report --check README.md",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			_, people, err := a.output("")
			if err != nil {
				return err
			}
			for _, file := range args {
				if err := reportFile(file, check, people); err != nil {
					return err
				}
			}
			return people.Err()
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "only compare")
	return cmd
}

var reportBlock = regexp.MustCompile(`(?s)<!-- report (\S+) -->\n(.*?)<!-- end report -->`)

// reportFile writes or checks the tables of one file.
func reportFile(file string, check bool, people *report.Printer) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return usagef("%v", err)
	}
	var failed error
	blocks := 0
	updated := reportBlock.ReplaceAllFunc(old, func(block []byte) []byte {
		blocks++
		path := string(reportBlock.FindSubmatch(block)[1])
		table, err := tableOf(filepath.Join(filepath.Dir(file), path))
		if err != nil && failed == nil {
			failed = fmt.Errorf("%s: %w", file, err)
		}
		return []byte("<!-- report " + path + " -->\n" + table + "<!-- end report -->")
	})
	switch {
	case failed != nil:
		return failed
	case blocks == 0:
		return usagef("%s holds no line `<!-- report PATH -->`", file)
	case bytes.Equal(old, updated):
		people.Printf("%s: %d tables as recorded\n", file, blocks)
		return nil
	case check:
		return fmt.Errorf("%w: %s differs from its records; run `layactl report %s`", errCheckFailed, file, file)
	}
	if err := os.WriteFile(file, updated, 0o644); err != nil {
		return err
	}
	people.Printf("%s: %d tables written\n", file, blocks)
	return nil
}

// tableOf renders the record at path as a Markdown table with a line on where it comes from.
func tableOf(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var kind struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &kind); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	switch kind.Schema {
	case validate.Schema:
		return validationTable(data)
	case benchSchema:
		return timingTable(data)
	default:
		return "", fmt.Errorf("%s: expected the schema %s or %s, got %q", path, validate.Schema, benchSchema, kind.Schema)
	}
}

func validationTable(data []byte) (string, error) {
	var r validate.Record
	if err := json.Unmarshal(data, &r); err != nil {
		return "", err
	}
	rows := [][]string{{"op", "comparison", "dtype", "cases", "rows", "max difference", "upstream's", "tolerance", "verdict"}}
	for _, k := range r.Kernels {
		upstream := ""
		if k.Upstream != nil {
			upstream = figure(*k.Upstream)
		}
		rows = append(rows, []string{
			k.Op, k.Comparison, k.Activations, strconv.Itoa(k.Cases), strconv.Itoa(k.Rows), figure(k.MaxAbsDiff), upstream, figure(k.Tolerance), k.Verdict,
		})
	}
	return markdown(rows) + fmt.Sprintf("\n%d rows on %s, %s, %s.\n", len(r.Rows), machine(r.Host), stack(r.Versions), r.Created.Format("2006-01-02")), nil
}

func timingTable(data []byte) (string, error) {
	var r benchRecord
	if err := json.Unmarshal(data, &r); err != nil {
		return "", err
	}
	table := benchTable(&r, r.Baselines)
	rows := append([][]string{table.Header}, table.Rows...)
	return markdown(rows) + fmt.Sprintf("\nMedian [least..most] of %d rounds on one thread, on %s, %s, %s.\n", r.Rounds, machine(r.Host), stack(r.Versions), r.Created.Format("2006-01-02")), nil
}

func machine(h validate.Host) string {
	return strings.Join(append([]string{h.CPU}, h.GPUs...), " with ")
}

func stack(versions map[string]string) string {
	return fmt.Sprintf("torch %s, TileLang %s", versions["torch"], versions["tilelang"])
}

// markdown renders rows, the first of which is the header.
func markdown(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return b.String()
}
