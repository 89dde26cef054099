package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/bridge/validate"
	"github.com/layactl/layactl/cmd/layactl/internal/report"
)

// Verdicts of a probe.
const (
	probeMatch    = "match"
	probeMismatch = "mismatch"
	probeSkipped  = "skipped"
)

// probeRecord is what `probe --json` writes. The plugin fills in everything below Versions.
type probeRecord struct {
	Schema   string            `json:"schema"`
	Created  time.Time         `json:"created"`
	Verdict  string            `json:"verdict"`
	Host     validate.Host     `json:"host"`
	Versions map[string]string `json:"versions"`
	TileLang string            `json:"tilelang"`
	Pinned   string            `json:"pinned"`
	Rows     []probeRow        `json:"rows"`
	// Table is the new table of --record.
	Table json.RawMessage `json:"table,omitempty"`
}

// probeRow is one compile: how it should end and how it did.
type probeRow struct {
	Kind     string        `json:"kind"`
	Kernel   string        `json:"kernel"`
	DType    string        `json:"dtype"`
	Expected *probeOutcome `json:"expected"`
	Actual   *probeOutcome `json:"actual"`
	Verdict  string        `json:"verdict"`
	Reason   string        `json:"reason"`
}

// probeOutcome is the exception and what was said first. All empty: it compiled.
type probeOutcome struct {
	Exception  string `json:"exception"`
	Diagnostic string `json:"diagnostic"`
	Compiler   string `json:"compiler"`
}

type probeFlags struct {
	record, table, json string
}

func newProbe(a *app) *cobra.Command {
	var flags probeFlags
	cmd := &cobra.Command{
		Use:   "probe [KERNEL]...",
		Short: "Show why GPU kernels do not compile for the CPU as they are, against a table of what is said",
		Long: `probe compiles the unchanged GPU specialisations for target "c" and compares each exception and first diagnostic, the C++
compiler's on standard error among them, with a table. Four kinds of probes: gpu (as it is), cpu (cpu=True in 16 bits),
fragment (one tile operation) and rename (fragments renamed to local buffers, loops left parallel).

The table is for one TileLang version. On another every row is skipped by name, and the exit status is 3; --record
writes a table for the installed version. Exit status 1 means that a text differs from the table.`,
		Example: "  layactl probe\n  layactl probe rope attn --json probe.json\n  layactl probe --record new.json\n  layactl probe --table new.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.record != "" && flags.table != "" {
				return usagef("--record writes a table and --table reads one: give one of them")
			}
			return a.probe(cmd.Context(), args, flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.record, "record", "", "write what is said here as a new table to `FILE`, and compare nothing")
	f.StringVar(&flags.table, "table", "", "compare with the table in `FILE` instead of the built-in one")
	addJSONFlag(cmd, &flags.json)
	return cmd
}

func (a *app) probe(ctx context.Context, kernels []string, flags probeFlags) (err error) {
	record, people, err := a.output(flags.json)
	if err != nil {
		return err
	}
	defer record.Close()
	table, err := report.Open(flags.record, a.stdout)
	if err != nil {
		return fmt.Errorf("--record: %w", err)
	}
	defer table.Close()
	result, err := a.runProbes(ctx, kernels, flags, people)
	if err != nil {
		return err
	}
	if flags.record != "" {
		if err := table.Write(result.Table); err != nil {
			return err
		}
	}
	if !table.OnStdout() {
		printProbes(people, result)
	}
	if err := record.Write(result); err != nil {
		return err
	}
	return errors.Join(people.Err(), result.check())
}

func (a *app) runProbes(ctx context.Context, kernels []string, flags probeFlags, people *report.Printer) (_ *probeRecord, err error) {
	table := flags.table
	if table != "" {
		if table, err = filepath.Abs(table); err != nil {
			return nil, err
		}
	}
	s, err := a.startTileLang(ctx, "")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	info, err := s.plugin.Info(ctx)
	if err != nil {
		return nil, err
	}
	bar := people.Progress("probe", progressSteps)
	defer bar.Close()
	params := map[string]any{"kernels": append([]string{}, kernels...), "record": flags.record != "", "table": table}
	data, err := s.plugin.Call(ctx, bridge.Request{
		Op: "probe", Params: params,
		Progress: func(p bridge.Progress) { bar.Set(p.Text, int64(p.Fraction*progressSteps)) },
	})
	if err != nil {
		return nil, err
	}
	result := &probeRecord{Schema: "layactl.probe/1", Created: time.Now().UTC().Truncate(time.Second), Host: validate.ThisHost(), Versions: info.Versions}
	if err := json.Unmarshal(data, result); err != nil {
		return nil, fmt.Errorf("op probe: %w", err)
	}
	result.Versions["layactl"] = version
	if flags.record == "" {
		result.Table = nil
	}
	result.Verdict = validate.Pass
	if result.check() != nil {
		result.Verdict = validate.Fail
	}
	return result, nil
}

// check returns an error when a row differs, or when nothing was compared at all.
func (r *probeRecord) check() error {
	differ, skipped := r.count(probeMismatch), r.count(probeSkipped)
	switch {
	case differ > 0:
		return fmt.Errorf("%w: %d of %d probes differ from the table", errCheckFailed, differ, len(r.Rows))
	case skipped == len(r.Rows):
		return fmt.Errorf("%w: every probe was skipped: %s", errEnvironment, r.Rows[0].Reason)
	}
	return nil
}

func (r *probeRecord) count(verdict string) int {
	n := 0
	for _, row := range r.Rows {
		if row.Verdict == verdict {
			n++
		}
	}
	return n
}

func printProbes(people *report.Printer, r *probeRecord) {
	table := report.Table{Header: []string{"probe", "kernel", "dtype", "exception", "first diagnostic", "verdict"}}
	for _, row := range r.Rows {
		said := row.Actual
		if said == nil {
			said = row.Expected
		}
		table.Rows = append(table.Rows, []string{row.Kind, row.Kernel, row.DType, said.exception(), said.text(), row.verdict()})
		if row.Verdict == probeMismatch && row.Expected != nil {
			table.Rows = append(table.Rows, []string{"", "", "", row.Expected.exception(), row.Expected.text(), "expected"})
		}
	}
	people.Table(table)
	for _, row := range r.Rows {
		if row.Verdict == probeSkipped {
			people.Printf("%s\n", report.Warn(fmt.Sprintf("%s %s %s skipped: %s", row.Kind, row.Kernel, row.DType, row.Reason)))
		}
	}
	people.Printf("%d probes, %d as in the table for TileLang %s, %d different, %d skipped; TileLang %s\n",
		len(r.Rows), r.count(probeMatch), r.Pinned, r.count(probeMismatch), r.count(probeSkipped), r.TileLang)
}

func (r probeRow) verdict() string {
	switch r.Verdict {
	case probeMatch:
		return report.Good(r.Verdict)
	case probeMismatch:
		return report.Bad(r.Verdict)
	}
	return report.Warn(r.Verdict)
}

func (o *probeOutcome) exception() string {
	switch {
	case o == nil:
		return "-"
	case o.Exception == "":
		return "none: it compiles"
	}
	return o.Exception
}

// text is what a line has room for; the record has it whole.
func (o *probeOutcome) text() string {
	if o == nil {
		return "-"
	}
	text := o.Diagnostic
	if o.Compiler != "" {
		text += " g++: " + o.Compiler
	}
	const most = 140
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
