// Command laya-plugin-python is the plugin that serves a user's own Python module of ops. layactl starts it, for a
// plugin.yaml that names a module; its one argument is the module's name or its file, which ends in .py.
package main

import (
	"fmt"
	"os"

	"github.com/layactl/layactl/bridge"
	"github.com/layactl/layactl/plugins/internal/interp"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintf(os.Stderr, "laya-plugin-python: expected one argument, a module or FILE.py, got %d; a plugin.yaml with `module:` gives it\n", len(os.Args)-1)
		os.Exit(2)
	}
	bridge.Serve(interp.NewBackend(os.Args[1]))
}
