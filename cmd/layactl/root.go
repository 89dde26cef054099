package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/layactl/layactl/cmd/layactl/internal/report"
)

// app is what every verb shares. settings and log are there when a verb runs.
type app struct {
	stdout, stderr *os.File
	settings       settings
	log            *zap.Logger
	// tracebacks shows a Python traceback at every log level: for the verbs of who writes plugins.
	tracebacks bool
	// running tells a verb's own error from one in the arguments it was given.
	running bool
}

// execute runs the command line and returns the exit status.
func execute(ctx context.Context, args []string, stdout, stderr *os.File) int {
	a := &app{stdout: stdout, stderr: stderr, log: zap.NewNop()}
	root := newRoot(a)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err != nil && !a.running {
		err = usageError{err}
	}
	_ = a.log.Sync() // a terminal cannot be synced, and there is nobody left to tell
	return a.exit(err)
}

// newRoot returns the command with every verb. Each verb is one file with one constructor.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "layactl",
		Short: "Run TileLang kernels in supervised plugins and prove their results",
		Long: `layactl runs TileLang kernels in plugin processes that embed CPython, hands them tensors in shared memory,
and proves that CPU, GPU and reference agree.

Settings come from a flag, else from the environment (LAYACTL_VENV for --venv), else from layactl.yaml in the
working folder, else from the default. ` + "`layactl doctor`" + ` shows where each came from.

Exit status: 0 ok, 1 a check failed, 2 wrong usage, 3 environment or plugin not found, 4 a plugin crashed or timed
out, 5 a compile or a package failed, 130 cancelled.`,
		Example:       "  layactl doctor\n  layactl validate",
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs, // unknown verbs come to RunE
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				return usagef("unknown command %q; did you mean %s?", args[0], strings.Join(near, " or "))
			}
			return usagef("unknown command %q; `layactl --help` lists the commands", args[0])
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.prepare(cmd) },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; see `%s --help`", err, cmd.CommandPath())
	})
	addSettingFlags(root)
	root.AddCommand(newDoctor(a), newKernel(a), newPlugin(a), newPreserve(a), newProbe(a), newReport(a), newValidate(a), newVersion(a))
	return root
}

// prepare runs before every verb: settings, colours, log.
func (a *app) prepare(cmd *cobra.Command) error {
	var err error
	if a.settings, err = loadSettings(cmd.Flags()); err != nil {
		return err
	}
	if a.settings.colorOn(a.stdout) {
		text.EnableColors()
	} else {
		text.DisableColors()
	}
	a.log = newLogger(a.stderr, a.settings)
	a.running = true
	return nil
}

// addJSONFlag gives a verb its --json.
func addJSONFlag(cmd *cobra.Command, target *string) {
	cmd.Flags().StringVar(target, "json", "", "write the `FILE` with every figure as JSON; - is standard output")
	_ = cmd.MarkFlagFilename("json", "json") // fails only for a flag that does not exist
}

// output returns the record for a verb's --json and the printer for people, which gives way to a record on stdout.
// It fails before any work when the record could not be written.
func (a *app) output(jsonTarget string) (*report.Record, *report.Printer, error) {
	record, err := report.Open(jsonTarget, a.stdout)
	if err != nil {
		return nil, nil, fmt.Errorf("--json: %w", err)
	}
	people := a.stdout
	if record.OnStdout() {
		people = a.stderr
	}
	return record, report.NewPrinter(people, a.stderr), nil
}
