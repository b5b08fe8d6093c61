// Package cmd is the harness on the command line: it lists algorithms and data, fetches data, runs
// experiments, and draws, judges and reports their results. One file holds one verb. The package
// deals with flags, terminals, clocks and exit codes; everything else is the other packages' work.
//
// A separate program that adds baselines imports them and this package, and calls Main.
package cmd

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/term"
)

// Main runs the command line of the process and exits with its code.
func Main() {
	// Jobs make tables and drop them. Addresses that nothing is written to take no memory, but let
	// the heap grow by as much before its garbage is collected: rps/fig3 takes a sixth less time.
	ballast := make([]byte, 64<<20)
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup, which is to outlive its terminal
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	// The first interrupt ends the verb in good order, the second one ends the process at once.
	context.AfterFunc(ctx, func() {
		stop()
		signal.Stop(interrupts)
	})
	code := run(os.Args[1:], os.Stdout, os.Stderr, environment{
		ctx:      ctx,
		terminal: term.IsTerminal(int(os.Stderr.Fd())),
		now:      time.Now,
	})
	if len(interrupts) > 0 && code != exitDone {
		code = exitInterrupted
	}
	stop()
	runtime.KeepAlive(ballast)
	os.Exit(code)
}
