package main

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version of layactl and of the Python package beside it.
const version = "0.1.0"

// build is what a binary knows about its making.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// thisBuild returns what the Go toolchain stamped in. Commit is "" where it was built without version control.
func thisBuild() build {
	b := build{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (b build) String() string {
	commit := "commit unknown"
	if b.Commit != "" {
		commit = fmt.Sprintf("commit %.12s", b.Commit)
	}
	if b.Modified {
		commit += ", modified"
	}
	return fmt.Sprintf("layactl %s (%s), %s %s", b.Version, commit, b.Go, b.Platform)
}

func newVersion(a *app) *cobra.Command {
	var jsonTarget string
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version, the commit and the Go that layactl was built with",
		Example: "  layactl version\n  layactl version --json -",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			record, people, err := a.output(jsonTarget)
			if err != nil {
				return err
			}
			defer record.Close()
			people.Printf("%v\n", thisBuild())
			return errors.Join(people.Err(), record.Write(thisBuild()))
		},
	}
	addJSONFlag(cmd, &jsonTarget)
	return cmd
}
