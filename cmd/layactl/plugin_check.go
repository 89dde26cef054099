package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/bridge/bridgetest"
	"github.com/layactl/layactl/cmd/layactl/internal/report"
)

// checkedRow is one row of `layactl plugin test --json`.
type checkedRow struct {
	Check   string  `json:"check"`
	Verdict string  `json:"verdict"` // pass, fail or skip
	Detail  string  `json:"detail,omitempty"`
	Seconds float64 `json:"seconds"`
}

func newPluginTest(a *app) *cobra.Command {
	var jsonTarget string
	timeout := time.Minute
	cmd := &cobra.Command{
		Use:   "test NAME|FOLDER",
		Short: "Check a plugin against the contract that every plugin must keep",
		Long: `test starts the plugin several times and checks what holds for every plugin: what it says of itself, what it refuses, tensors
of every dtype and odd sizes, calls that are cancelled or late, many callers at once, close and restart. It calls none of the
plugin's own ops. A plugin that offers the conformance ops (conform_echo and its like; see package bridgetest) is looked
into as well: error codes, progress, cancel in mid-call, death.

Exit status 1 means that a check failed; 4, with the traceback, that the plugin's module failed on import.`,
		Example: "  layactl plugin test hello\n  layactl plugin test ./hello --json checks.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if timeout <= 0 {
				return usagef("--timeout: expected a time such as 1m, got %v", timeout)
			}
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
			results := bridgetest.Check(cmd.Context(), bridgetest.Target{
				Timeout: timeout,
				Start: func(ctx context.Context, segment *bridge.Segment) (bridgetest.Plugin, error) {
					return a.startManifest(ctx, segment, manifest)
				},
			}, nil)
			if len(results) == 1 && results[0].Err != nil { // it did not start: there is nothing to judge
				return results[0].Err
			}
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			rows := checkedRows(results)
			failed := printChecks(people, rows)
			if err := record.Write(rows); err != nil {
				return err
			}
			if failed > 0 {
				return fmt.Errorf("%w: %d of %d checks failed", errCheckFailed, failed, len(rows))
			}
			return people.Err()
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", timeout, "`TIME` that each check may take")
	addJSONFlag(cmd, &jsonTarget)
	return cmd
}

func checkedRows(results []bridgetest.Result) []checkedRow {
	rows := make([]checkedRow, len(results))
	for i, r := range results {
		rows[i] = checkedRow{Check: r.Name, Verdict: "pass", Detail: r.Skipped, Seconds: r.Took.Seconds()}
		switch {
		case r.Err != nil:
			rows[i].Verdict, rows[i].Detail = "fail", r.Err.Error()
		case r.Skipped != "":
			rows[i].Verdict = "skip"
		}
	}
	return rows
}

func printChecks(people *report.Printer, rows []checkedRow) (failed int) {
	table := report.Table{Header: []string{"check", "seconds", "verdict"}, Right: []int{1}}
	passed, skipped := 0, 0
	for _, r := range rows {
		var verdict string
		switch r.Verdict {
		case "fail":
			failed++
			verdict = report.Bad("fail " + r.Detail)
		case "skip":
			skipped++
			verdict = report.Faint("skip " + r.Detail)
		default:
			passed++
			verdict = report.Good("pass")
		}
		table.Rows = append(table.Rows, []string{r.Check, fmt.Sprintf("%.2f", r.Seconds), verdict})
	}
	people.Table(table)
	people.Printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	return failed
}
