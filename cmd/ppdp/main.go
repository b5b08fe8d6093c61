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
	code := run(os.Args[1:], os.Stdout, os.Stderr, environment{
		ctx:      ctx,
		terminal: term.IsTerminal(int(os.Stderr.Fd())),
		now:      time.Now,
	})
	stop()
	os.Exit(code)
}
