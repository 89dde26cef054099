package main

import (
	"context"
	"encoding/json"
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

// cubin is one build: what the op build returns, or why there is none.
type cubin struct {
	Kernel        string  `json:"kernel"`
	Case          string  `json:"case"`
	DType         string  `json:"dtype"`
	Arch          string  `json:"arch"`
	Registers     int     `json:"registers"`
	Stack         int     `json:"stack_bytes"`
	SpillStores   int     `json:"spill_store_bytes"`
	SpillLoads    int     `json:"spill_load_bytes"`
	SharedStatic  int     `json:"shared_bytes"`
	SharedDynamic int     `json:"dynamic_shared_bytes"`
	SharedLimit   int     `json:"shared_limit_bytes"`
	Threads       int     `json:"threads"`
	Bytes         int     `json:"cubin_bytes"`
	Seconds       float64 `json:"seconds"`
	Verdict       string  `json:"verdict"`
	Reason        string  `json:"reason"`
}

// buildRecord is what `kernel build --json` writes.
type buildRecord struct {
	Schema   string            `json:"schema"`
	Created  time.Time         `json:"created"`
	Verdict  string            `json:"verdict"`
	Host     validate.Host     `json:"host"`
	Versions map[string]string `json:"versions"`
	Rows     []cubin           `json:"rows"`
}

type buildFlags struct {
	arch, dtype []string
	output      string
	json        string
}

func newKernelBuild(a *app) *cobra.Command {
	var flags buildFlags
	cmd := &cobra.Command{
		Use:   "build [OP[/CASE]]...",
		Short: "Compile kernels for GPUs with nvcc and show their registers, spills and shared memory; no GPU is needed",
		Long: `build compiles the GPU specialisations of kernels to cubins, as TileLang would on a GPU host, and prints what ptxas says of each:
registers a thread, bytes spilled, and shared memory a block against the architecture's limit. Without a case, a kernel is
built at its probe size; without arguments, every kernel is.

nvcc is the one below $CUDA_HOME or on PATH, else the one of the environment (the extra cuda-build of layabridge). Exit
status 5 means that a kernel does not compile, or does not fit its architecture's shared memory.`,
		Example: "  layactl kernel build attn --arch sm_80,sm_89,sm_90a\n  layactl kernel build --dtype bfloat16,float16 --output cubins",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.build(cmd.Context(), args, flags) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&flags.arch, "arch", []string{"sm_90a"}, "`ARCHITECTURES`: sm_80, sm_89, sm_90a")
	f.StringSliceVar(&flags.dtype, "dtype", []string{"bfloat16"}, "`DTYPES` of the activations: bfloat16, float16")
	f.StringVar(&flags.output, "output", "", "keep the cubins in `DIR`")
	addJSONFlag(cmd, &flags.json)
	return cmd
}

func (a *app) build(ctx context.Context, selectors []string, flags buildFlags) (err error) {
	record, people, err := a.output(flags.json)
	if err != nil {
		return err
	}
	defer record.Close()
	s, err := a.startTileLang(ctx, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	info, err := s.plugin.Info(ctx)
	if err != nil {
		return err
	}
	if len(selectors) == 0 {
		kernels, err := validate.Kernels(ctx, s.plugin)
		if err != nil {
			return err
		}
		for _, k := range kernels {
			selectors = append(selectors, k.Name)
		}
	}
	result := &buildRecord{
		Schema: "layactl.kernel-build/1", Created: time.Now().UTC().Truncate(time.Second), Verdict: validate.Pass,
		Host: validate.ThisHost(), Versions: info.Versions, Rows: []cubin{},
	}
	result.Versions["layactl"] = version
	bar := people.Progress("build", len(selectors)*len(flags.dtype)*len(flags.arch))
	defer bar.Close()
	for _, selector := range selectors {
		for _, dtype := range flags.dtype {
			for _, arch := range flags.arch {
				bar.Now("build " + strings.Join([]string{selector, dtype, arch}, " "))
				row, err := s.buildOne(ctx, selector, dtype, arch, flags.output)
				if err != nil {
					return err
				}
				if row.Verdict != validate.Pass {
					result.Verdict = validate.Fail
				}
				result.Rows = append(result.Rows, row)
				bar.Step("")
			}
		}
	}
	bar.Close()
	printBuilds(people, result)
	if err := record.Write(result); err != nil {
		return err
	}
	return errors.Join(people.Err(), result.check())
}

// buildOne returns an error only when going on to the next kernel makes no sense.
func (s *session) buildOne(ctx context.Context, selector, dtype, arch, folder string) (cubin, error) {
	kernel, name, _ := strings.Cut(selector, "/")
	row := cubin{Kernel: kernel, Case: name, DType: dtype, Arch: arch, Verdict: validate.Pass}
	keep, err := cubinPath(folder, row)
	if err != nil {
		return row, err
	}
	params := map[string]string{"kernel": kernel, "case": name, "arch": arch, "dtype": dtype, "keep": keep}
	data, err := s.plugin.Call(ctx, bridge.Request{Op: "build", Params: params})
	switch {
	case errors.Is(err, bridge.ErrCompileFailed):
		row.Verdict, row.Reason = validate.Fail, err.Error()
		return row, nil
	case err != nil:
		return row, err
	}
	if err := json.Unmarshal(data, &row); err != nil {
		return row, fmt.Errorf("op build: %w", err)
	}
	if row.Reason != "" {
		row.Verdict = validate.Fail
	}
	return row, nil
}

// cubinPath returns where a cubin is kept, in a folder that it makes; empty when none is wanted.
func cubinPath(folder string, row cubin) (string, error) {
	if folder == "" {
		return "", nil
	}
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	name := row.Kernel
	if row.Case != "" {
		name += "-" + row.Case
	}
	name = strings.ReplaceAll(name, string(filepath.Separator), "-")
	return filepath.Join(absolute, fmt.Sprintf("%s-%s-%s.cubin", name, row.DType, row.Arch)), os.MkdirAll(absolute, 0o755)
}

func (r *buildRecord) check() error {
	var failed []string
	for _, row := range r.Rows {
		if row.Verdict != validate.Pass {
			failed = append(failed, fmt.Sprintf("%s %s %s: %s", row.Kernel, row.DType, row.Arch, row.Reason))
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return bridge.Errorf(bridge.ErrCompileFailed, "%d of %d builds failed: %s", len(failed), len(r.Rows), failed[0])
}

func printBuilds(people *report.Printer, r *buildRecord) {
	table := report.Table{
		Header: []string{"op", "case", "dtype", "arch", "registers", "spilled B", "stack B", "shared B", "limit B", "threads", "cubin B", "s", "verdict"},
		Right:  []int{4, 5, 6, 7, 8, 9, 10, 11},
	}
	for _, w := range r.Rows {
		spilled := strconv.Itoa(w.SpillStores + w.SpillLoads)
		if w.SpillStores+w.SpillLoads > 0 {
			spilled = report.Warn(spilled)
		}
		name := w.Case
		if name == "" {
			name = "probe"
		}
		table.Rows = append(table.Rows, []string{
			w.Kernel, name, w.DType, w.Arch, strconv.Itoa(w.Registers), spilled, strconv.Itoa(w.Stack),
			strconv.Itoa(w.SharedStatic + w.SharedDynamic), strconv.Itoa(w.SharedLimit), strconv.Itoa(w.Threads),
			strconv.Itoa(w.Bytes), strconv.FormatFloat(w.Seconds, 'f', 1, 64), verdict(w.Verdict, w.Reason),
		})
	}
	people.Table(table)
}
