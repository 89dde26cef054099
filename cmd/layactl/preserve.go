package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/bridge/validate"
	"github.com/layactl/layactl/cmd/layactl/internal/capture"
	"github.com/layactl/layactl/cmd/layactl/internal/report"
)

func newPreserve(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "preserve",
		Short: "Prove that a change left the GPU path as it was, to the byte",
		Long: `preserve keeps what the GPU path is (capture) and compares two states of it (compare). A capture holds the CUDA source of
every kernel for bfloat16 and float16 and for sm_80, sm_89 and sm_90a, which needs no GPU, and on a GPU host what the
kernels compute from seeded inputs.`,
		Example: "  layactl preserve capture before\n  layactl preserve capture after\n  layactl preserve compare before after",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPreserveCapture(a), newPreserveCompare(a))
	return cmd
}

func newPreserveCapture(a *app) *cobra.Command {
	var jsonTarget string
	seed := int64(validate.DefaultSeed)
	cmd := &cobra.Command{
		Use:     "capture DIR [OP]...",
		Short:   "Keep the kernels' CUDA source and, on a GPU host, their outputs in a new folder",
		Example: "  layactl preserve capture before\n  layactl preserve capture before rope attn",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.preserveCapture(cmd.Context(), filepath.Clean(args[0]), args[1:], seed, jsonTarget)
		},
	}
	cmd.Flags().Int64Var(&seed, "seed", seed, "`SEED` of the inputs")
	addJSONFlag(cmd, &jsonTarget)
	return cmd
}

func (a *app) preserveCapture(ctx context.Context, folder string, kernels []string, seed int64, jsonTarget string) error {
	record, people, err := a.output(jsonTarget)
	if err != nil {
		return err
	}
	defer record.Close()
	if _, err := os.Lstat(folder); !errors.Is(err, fs.ErrNotExist) {
		return usagef("%s is there already; a capture makes a new folder", folder)
	}
	// The folder appears whole or not at all.
	temp, err := os.MkdirTemp(filepath.Dir(folder), "."+filepath.Base(folder)+"-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	if err := a.fillCapture(ctx, temp, kernels, seed, people); err != nil {
		return err
	}
	made, err := capture.Read(temp)
	if err != nil {
		return err
	}
	if err := errors.Join(os.Chmod(temp, 0o755), os.Rename(temp, folder)); err != nil {
		return err
	}
	people.Printf("%s: %d sources, %d outputs\n", folder, len(made.Sources), len(made.Outputs))
	for _, s := range made.Skipped {
		people.Printf("%s\n", report.Warn(s.What+" skipped: "+s.Reason))
	}
	return errors.Join(record.Write(made), people.Err())
}

// fillCapture lets a plugin that sees the GPUs write a capture into an empty folder.
func (a *app) fillCapture(ctx context.Context, folder string, kernels []string, seed int64, people *report.Printer) (err error) {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	segment, err := bridge.NewSegment(0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, segment.Close()) }()
	plugin, err := a.startPlugin(ctx, segment, "tilelang")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plugin.Close()) }()
	bar := people.Progress("capture", progressSteps)
	defer bar.Close()
	_, err = plugin.Call(ctx, bridge.Request{
		Op: "capture", Params: map[string]any{"directory": absolute, "kernels": append([]string{}, kernels...), "seed": seed},
		Progress: func(p bridge.Progress) { bar.Set(p.Text, int64(p.Fraction*progressSteps)) },
	})
	return err
}

// preserveRecord is what `preserve compare --json` writes.
type preserveRecord struct {
	Schema  string    `json:"schema"`
	Created time.Time `json:"created"`
	Verdict string    `json:"verdict"`
	A       string    `json:"a"`
	B       string    `json:"b"`
	*capture.Comparison
}

func newPreserveCompare(a *app) *cobra.Command {
	var jsonTarget string
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two captures byte for byte and name what differs",
		Long: `compare needs neither Python nor a GPU. Sources that differ are shown with the head of a unified diff, outputs with the
number of elements that differ and by how much. Exit status 1 means that something differs.`,
		Example: "  layactl preserve compare before after --json changes.json",
		Args:    cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.preserveCompare(filepath.Clean(args[0]), filepath.Clean(args[1]), jsonTarget)
		},
	}
	addJSONFlag(cmd, &jsonTarget)
	return cmd
}

func (a *app) preserveCompare(left, right, jsonTarget string) error {
	record, people, err := a.output(jsonTarget)
	if err != nil {
		return err
	}
	defer record.Close()
	before, err := capture.Read(left)
	if err != nil {
		return usageError{err}
	}
	after, err := capture.Read(right)
	if err != nil {
		return usageError{err}
	}
	found, err := capture.Compare(before, after)
	if err != nil {
		return err
	}
	printComparison(people, found)
	verdict, different := validate.Pass, len(found.Differences)
	if different > 0 {
		verdict, err = validate.Fail, fmt.Errorf("%w: %d of %d files differ", errCheckFailed, different, found.Sources+found.Outputs)
	}
	result := preserveRecord{"layactl.preserve/1", time.Now().UTC().Truncate(time.Second), verdict, left, right, found}
	return errors.Join(record.Write(result), people.Err(), err)
}

func printComparison(people *report.Printer, c *capture.Comparison) {
	if len(c.Differences) > 0 {
		table := report.Table{Header: []string{"what", "name", "difference"}}
		for _, d := range c.Differences {
			table.Rows = append(table.Rows, []string{d.What, d.Name, report.Bad(d.Text)})
		}
		people.Table(table)
		for _, d := range c.Differences {
			if d.Diff != "" {
				people.Printf("\n%s", d.Diff)
			}
		}
		people.Printf("\n")
	}
	for _, note := range c.Notes {
		people.Printf("note: %s\n", note)
	}
	for _, s := range c.Skipped {
		people.Printf("%s\n", report.Warn(s.What+" not compared: "+s.Reason))
	}
	different := map[string]int{}
	for _, d := range c.Differences {
		different[d.What]++
	}
	people.Printf("sources: %d compared, %d different; outputs: %d compared, %d different\n",
		c.Sources, different["source"], c.Outputs, different["output"])
}
