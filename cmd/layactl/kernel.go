package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/bridge/validate"
	"github.com/layactl/layactl/cmd/layactl/internal/report"
)

func newKernel(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kernel",
		Short: "List kernels, print their source, build them for GPUs, time them",
		Example: `  layactl kernel list
  layactl kernel source gemm --target sm_90a
  layactl kernel build gemm --arch sm_90a
  layactl kernel bench --baseline unoptimised`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newKernelList(a), newKernelSource(a), newKernelBuild(a), newKernelBench(a))
	return cmd
}

func newKernelList(a *app) *cobra.Command {
	var ops, jsonTarget string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the kernels and their cases",
		Example: "  layactl kernel list\n  layactl kernel list --ops my_kernels.py --json -",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withKernels(cmd.Context(), ops, jsonTarget, func(_ *session, kernels []validate.Kernel, people *report.Printer) (any, error) {
				table := report.Table{Header: []string{"op", "case", "options", "tensors", "note"}}
				for _, k := range kernels {
					for _, c := range k.Cases {
						table.Rows = append(table.Rows, []string{k.Name, c.Name, c.Options, tensorList(c), c.Note})
					}
				}
				people.Table(table)
				return kernels, people.Err()
			})
		},
	}
	cmd.Flags().StringVar(&ops, "ops", "", "`FILE` in Python with more kernels")
	addJSONFlag(cmd, &jsonTarget)
	return cmd
}

func tensorList(c validate.Case) string {
	var all []string
	for _, t := range c.Tensors {
		all = append(all, fmt.Sprintf("%s%v", t.Name, t.Shape))
	}
	return strings.Join(all, " ")
}

// withKernels starts the plugin, asks for its kernels, and writes what f returns as the record.
func (a *app) withKernels(ctx context.Context, ops, jsonTarget string, f func(*session, []validate.Kernel, *report.Printer) (any, error)) (err error) {
	record, people, err := a.output(jsonTarget)
	if err != nil {
		return err
	}
	defer record.Close()
	s, err := a.startTileLang(ctx, ops)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	kernels, err := validate.Kernels(ctx, s.plugin)
	if err != nil {
		return err
	}
	result, err := f(s, kernels, people)
	if err != nil {
		return err
	}
	return record.Write(result)
}

func newKernelSource(a *app) *cobra.Command {
	var ops, target, dtype string
	cmd := &cobra.Command{
		Use:   "source OP[/CASE]",
		Short: "Print the source that TileLang generates for a kernel; no compiler and no GPU is needed",
		Long: `source prints the C source of a kernel's CPU specialisation (--target c) or the CUDA source of its GPU specialisation
(--target sm_80, sm_89 or sm_90a), for the options of one of its cases; without a case, at the kernel's probe size.`,
		Example: "  layactl kernel source gemm\n  layactl kernel source attn/window --target sm_90a --dtype float16",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			kernel, name, _ := strings.Cut(args[0], "/")
			s, err := a.startTileLang(cmd.Context(), ops)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.Close()) }()
			params := map[string]string{"kernel": kernel, "case": name, "target": target, "dtype": dtype}
			data, err := s.plugin.Call(cmd.Context(), bridge.Request{Op: "source", Params: params})
			if err != nil {
				return err
			}
			var source string
			if err := json.Unmarshal(data, &source); err != nil {
				return err
			}
			_, err = io.WriteString(a.stdout, source)
			return err
		},
	}
	cmd.Flags().StringVar(&ops, "ops", "", "`FILE` in Python with more kernels")
	cmd.Flags().StringVar(&target, "target", "c", "`TARGET`: c, sm_80, sm_89 or sm_90a")
	cmd.Flags().StringVar(&dtype, "dtype", "bfloat16", "`DTYPE` of the GPU's activations: bfloat16 or float16")
	return cmd
}

// timing is what the op bench returns for one case: microseconds a call, and the kernel's time divided by a baseline's.
type timing struct {
	Op      string             `json:"kernel"`
	Case    string             `json:"case"`
	Rounds  int                `json:"rounds"`
	Threads int                `json:"threads"`
	Times   map[string]summary `json:"times_us"`
	Ratios  map[string]summary `json:"ratios"`
}

// summary is a figure over all rounds.
type summary struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// inverse is the figure the other way round: how many times as long the baseline takes.
func (s summary) inverse() summary {
	return summary{Median: 1 / s.Median, Min: 1 / s.Max, Max: 1 / s.Min}
}

func (s summary) String() string {
	return fmt.Sprintf("%s [%s..%s]", threeDigits(s.Median), threeDigits(s.Min), threeDigits(s.Max))
}

// threeDigits rounds to three digits and writes them without an exponent.
func threeDigits(f float64) string {
	switch {
	case f >= 100:
		return strconv.FormatFloat(f, 'f', 0, 64)
	case f >= 10:
		return strconv.FormatFloat(f, 'f', 1, 64)
	default:
		return strconv.FormatFloat(f, 'f', 2, 64)
	}
}

// benchRecord is what `kernel bench --json` writes.
type benchRecord struct {
	Schema   string            `json:"schema"`
	Created  time.Time         `json:"created"`
	Host     validate.Host     `json:"host"`
	Versions map[string]string `json:"versions"`
	Rounds   int               `json:"rounds"`
	// Baselines are the names in the order of the columns.
	Baselines []string `json:"baselines"`
	Rows      []timing `json:"rows"`
}

// benchSchema names the form of a benchRecord.
const benchSchema = "layactl.kernel-bench/1"

func newKernelBench(a *app) *cobra.Command {
	var ops, jsonTarget string
	var baselines []string
	rounds := 5
	cmd := &cobra.Command{
		Use:   "bench [OP]...",
		Short: "Time CPU kernels against the same kernel without compiler flags and against torch, in one run",
		Long: `bench times each kernel at its own benchmark sizes, with one thread, interleaved with its baselines: "unoptimised" is the
same kernel compiled without optimisation, "torch" the same computation in torch with one thread. A ratio is the baseline's time
divided by the kernel's in the same round, so above 1 the kernel is faster. Figures are the median of the rounds and
their spread. Every result is checked first; a kernel that is wrong is not timed.`,
		Example: "  layactl kernel bench --baseline unoptimised\n  layactl kernel bench gemm attn --baseline torch --rounds 9 --json bench.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if rounds < 1 {
				return usagef("--rounds: expected 1 or more, got %d", rounds)
			}
			return a.withKernels(cmd.Context(), ops, jsonTarget, func(s *session, kernels []validate.Kernel, people *report.Printer) (any, error) {
				return a.bench(cmd.Context(), s, kernels, args, baselines, rounds, people)
			})
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&baselines, "baseline", []string{"unoptimised", "torch"}, "`BASELINES` to time against: unoptimised, torch")
	f.IntVar(&rounds, "rounds", rounds, "`NUMBER` of interleaved rounds; the median counts")
	f.StringVar(&ops, "ops", "", "`FILE` in Python with more kernels")
	addJSONFlag(cmd, &jsonTarget)
	return cmd
}

func (a *app) bench(ctx context.Context, s *session, kernels []validate.Kernel, args, baselines []string, rounds int, people *report.Printer) (*benchRecord, error) {
	chosen, err := validate.Select(kernels, args)
	if err != nil {
		return nil, err
	}
	info, err := s.plugin.Info(ctx)
	if err != nil {
		return nil, err
	}
	result := &benchRecord{
		Schema: benchSchema, Created: time.Now().UTC().Truncate(time.Second), Host: validate.ThisHost(), Versions: info.Versions,
		Rounds: rounds, Baselines: baselines, Rows: []timing{},
	}
	bar := people.Progress("bench", len(chosen))
	defer bar.Close()
	for _, k := range chosen {
		bar.Now("bench " + k.Name)
		params := map[string]any{"kernel": k.Name, "baselines": baselines, "rounds": rounds}
		data, err := s.plugin.Call(ctx, bridge.Request{Op: "bench", Params: params, Progress: func(p bridge.Progress) { bar.Now(p.Text) }})
		if err != nil {
			return nil, err
		}
		var rows []timing
		if err := json.Unmarshal(data, &rows); err != nil {
			return nil, fmt.Errorf("op bench: %w", err)
		}
		result.Rows = append(result.Rows, rows...)
		bar.Step("")
	}
	bar.Close()
	people.Table(benchTable(result, baselines))
	return result, people.Err()
}

func benchTable(r *benchRecord, baselines []string) report.Table {
	table := report.Table{Header: []string{"op", "case", "kernel µs"}, Right: []int{2}}
	for i, b := range baselines {
		table.Header = append(table.Header, b+" µs", b+" ÷ kernel")
		table.Right = append(table.Right, 3+2*i, 4+2*i)
	}
	for _, row := range r.Rows {
		cells := []string{row.Op, row.Case, row.Times["kernel"].String()}
		for _, b := range baselines {
			cells = append(cells, row.Times[b].String(), row.Ratios[b].inverse().String())
		}
		table.Rows = append(table.Rows, cells)
	}
	return table
}
