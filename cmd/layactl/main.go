// Command layactl runs TileLang kernels in supervised plugin processes and proves their results.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run()) }

// run is main without the exit. The first SIGINT or SIGTERM cancels what runs; the second ends this process at once.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
}
