package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/bridge/validate"
	"github.com/layactl/layactl/cmd/layactl/internal/report"
)

// progressSteps is how finely a bar shows a share.
const progressSteps = 1000

type validateFlags struct {
	device  string
	seed    int64
	ops     string
	timeout time.Duration
	json    string
}

func newValidate(a *app) *cobra.Command {
	var flags validateFlags
	cmd := &cobra.Command{
		Use:   "validate [OP | OP/CASE]...",
		Short: "Run kernels and their definitions on the same bytes and compare the results",
		Long: `validate compiles each kernel for the CPU, runs it and its plain PyTorch definition in the plugin on the same inputs in
shared memory, and compares the outputs here. Outputs are poisoned with NaN first, inputs are hashed before and after.
A row passes when the largest absolute difference is within its tolerance; ulp and the reference's scale are shown.

With a GPU, each kernel also runs there in bfloat16 and float16, on inputs rounded to that dtype, and is compared with the
CPU kernel and with the definition in float64.

Without arguments every case of every kernel is validated. Exit status 1 means that a row failed.`,
		Example: `  layactl validate
  layactl validate gemm rope
  layactl validate gemm/relu --json out.json
  layactl validate --ops my_kernels.py`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			return a.validate(cmd.Context(), args, flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.device, "device", "auto", "`DEVICE` to compare on: cpu, cuda (with the CPU), or auto, which says why cuda was skipped")
	f.Int64Var(&flags.seed, "seed", validate.DefaultSeed, "`SEED` of the inputs")
	f.StringVar(&flags.ops, "ops", "", "`FILE` in Python whose KERNELS, a list of KernelSpec, is validated instead of the built-in kernels")
	f.DurationVar(&flags.timeout, "timeout", 10*time.Minute, "`TIME` after which everything is given up")
	addJSONFlag(cmd, &flags.json)
	return cmd
}

func (f *validateFlags) check() error {
	switch f.device {
	case "auto", "cpu":
	case "cuda":
		if reason := noCUDA(); reason != "" {
			return bridge.Errorf(bridge.ErrUnsupportedHere, "--device cuda: %s; use --device cpu", reason)
		}
	default:
		return usagef("--device: expected cpu, cuda or auto, got %q", f.device)
	}
	if f.timeout <= 0 {
		return usagef("--timeout: expected a time such as 10m, got %v", f.timeout)
	}
	return nil
}

// noCUDA says why kernels cannot run on a GPU here, "" if they can.
func noCUDA() string {
	if _, err := os.Stat("/dev/nvidiactl"); err != nil {
		return "this machine has no CUDA device (/dev/nvidiactl is missing)"
	}
	return ""
}

func (a *app) validate(ctx context.Context, selectors []string, flags validateFlags) (err error) {
	record, people, err := a.output(flags.json)
	if err != nil {
		return err
	}
	defer record.Close()
	ctx, cancel := context.WithTimeout(ctx, flags.timeout)
	defer cancel()
	s, err := a.startTileLang(ctx, flags.ops)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()

	if len(selectors) == 0 {
		selectors = s.loaded
	}
	skipped := noCUDA()
	if flags.device == "cpu" {
		skipped = "--device cpu"
	}
	var cuda *bridge.Plugin
	if skipped == "" {
		if cuda, err = a.startCUDA(ctx, s, flags.ops); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, cuda.Close()) }()
	}
	bar := people.Progress("validate", progressSteps)
	defer bar.Close()
	result, err := validate.Run(ctx, s.plugin, s.segment, validate.Options{
		Selectors: selectors, Seed: flags.seed, CUDA: cuda,
		Progress: func(p bridge.Progress) { bar.Set(p.Text, int64(p.Fraction*progressSteps)) },
	})
	bar.Close()
	if err != nil {
		return err
	}
	result.Versions["layactl"] = version
	if skipped != "" {
		result.Skipped = append(result.Skipped, validate.Skipped{Comparison: validate.CPUVersusCUDA, Reason: skipped})
	}
	printValidation(people, result)
	if err := record.Write(result); err != nil {
		return err
	}
	if flags.json != "" && !record.OnStdout() {
		people.Printf("record: %s\n", filepath.Clean(flags.json))
	}
	if result.Verdict != validate.Pass {
		return fmt.Errorf("%w: %s", errCheckFailed, failures(result))
	}
	return people.Err()
}

func failures(r *validate.Record) string {
	failed := 0
	for _, row := range r.Rows {
		if row.Verdict != validate.Pass {
			failed++
		}
	}
	if len(r.Rows) == 0 {
		return "there was nothing to validate"
	}
	return fmt.Sprintf("%d of %d rows failed", failed, len(r.Rows))
}

func printValidation(people *report.Printer, r *validate.Record) {
	rows := report.Table{Header: []string{"op", "case", "options", "comparison", "tensor", "dtype", "max diff", "ulp", "scale", "tolerance", "verdict"}, Right: []int{6, 7, 8, 9}}
	for _, w := range r.Rows {
		rows.Rows = append(rows.Rows, []string{
			w.Op, w.Case, w.Options, w.Comparison, w.Tensor, w.DType, figure(w.MaxAbsDiff), strconv.FormatUint(w.MaxULP, 10), figure(w.ReferenceMax), figure(w.Tolerance), verdict(w.Verdict, w.Reason),
		})
	}
	people.Table(rows)
	people.Printf("\n")
	kernels := report.Table{Header: []string{"op", "comparison", "dtype", "cases", "rows", "max diff", "upstream", "tolerance", "verdict"}, Right: []int{3, 4, 5, 6, 7}}
	for _, k := range r.Kernels {
		upstream := "-"
		if k.Upstream != nil {
			upstream = figure(*k.Upstream)
		}
		kernels.Rows = append(kernels.Rows, []string{
			k.Op, k.Comparison, k.Activations, strconv.Itoa(k.Cases), strconv.Itoa(k.Rows), figure(k.MaxAbsDiff), upstream, figure(k.Tolerance), verdict(k.Verdict, ""),
		})
	}
	people.Table(kernels)
	for _, s := range r.Skipped {
		people.Printf("%s\n", report.Warn(fmt.Sprintf("%s skipped: %s", s.Comparison, s.Reason)))
	}
	t := r.Timings
	people.Printf("%d rows, seed %d; Python %s, torch %s, TileLang %s; start %.1f s, compile %.1f s, run %.1f s, total %.1f s\n",
		len(r.Rows), r.Seed, r.Versions["python"], r.Versions["torch"], r.Versions["tilelang"], t.StartSeconds, t.CompileSeconds, t.RunSeconds, t.TotalSeconds)
}

func figure(n validate.Number) string { return strconv.FormatFloat(float64(n), 'g', 3, 64) }

func verdict(v, reason string) string {
	if v == validate.Pass {
		return report.Good(v)
	}
	return report.Bad(strings.TrimSpace(v + " " + reason))
}
