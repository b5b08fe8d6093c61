// Command ppdp is the harness on the command line: it lists what there is, fetches data, runs
// experiments and draws, judges and reports what they left on disk. One file holds one verb. The
// command knows flags, terminals, clocks and exit codes; all else is the packages'.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first interruption ends the verb in good order; the second one ends the process, whatever it is waiting for.
	context.AfterFunc(ctx, stop)
	code := run(os.Args[1:], os.Stdout, os.Stderr, environment{
		ctx:      ctx,
		terminal: term.IsTerminal(int(os.Stderr.Fd())),
		now:      time.Now,
	})
	stop()
	os.Exit(code)
}
