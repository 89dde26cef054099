package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/layactl/layactl/cmd/layactl/internal/scaffold"
	"github.com/layactl/layactl/internal/command"
)

// buildTimeout is how long `go build` of a new plugin may take; the first one compiles gRPC.
const buildTimeout = 10 * time.Minute

func newPluginNew(a *app) *cobra.Command {
	var inGo, inPython bool
	var checkout string
	cmd := &cobra.Command{
		Use:   "new (--go | --python) NAME|FOLDER",
		Short: "Write the folder of a new plugin, with a test and a README, and build it",
		Long: `new writes a plugin that works, to be changed. In Python it is a module of ops. In Go it is a module of its own, built at once; its go.mod
points to a checkout of layactl by a replace line: to the one that this layactl was built in, or to that of --checkout. Without
any, nothing is built, and README.md says how to get a release.`,
		Example: "  layactl plugin new --python hello\n  layactl plugin new --go greeter --checkout ~/src/layactl",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if inGo == inPython {
				return usagef("expected either --go or --python")
			}
			folder, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			c := scaffold.Config{Folder: folder, Language: scaffold.Python}
			if inGo {
				c.Language = scaffold.Go
				if c.Checkout, err = findCheckout(checkout); err != nil {
					return err
				}
			}
			files, err := scaffold.Write(c)
			if err != nil {
				return err
			}
			slices.Sort(files)
			for _, file := range files {
				fmt.Fprintln(a.stdout, filepath.Join(args[0], filepath.Base(file)))
			}
			next := "layactl plugin test " + args[0]
			switch {
			case inGo && c.Checkout == "":
				next = "see " + filepath.Join(args[0], "README.md") + ": no checkout of layactl is known, so it was not built; --checkout names one"
			case inGo:
				build := command.Spec{Args: []string{"go", "build", "-o", filepath.Base(folder), "."}, Dir: folder, Timeout: buildTimeout}
				if out, err := command.Run(cmd.Context(), build); err != nil {
					fmt.Fprintf(a.stderr, "%s", out.Stderr)
					return fmt.Errorf("%w: go build in %s: %w", errEnvironment, args[0], err)
				}
			}
			fmt.Fprintf(a.stdout, "next: %s\n", next)
			return nil
		},
	}
	cmd.Flags().BoolVar(&inGo, "go", false, "write it in Go")
	cmd.Flags().BoolVar(&inPython, "python", false, "write it in Python")
	cmd.Flags().StringVar(&checkout, "checkout", "", "`FOLDER` with the source of layactl, for --go (default: the one that this program was built in)")
	return cmd
}

// findCheckout returns the named source of layactl, or the one that this program lies in.
func findCheckout(named string) (string, error) {
	if named != "" {
		return filepath.Abs(named)
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return scaffold.FindCheckout(self), nil
}
