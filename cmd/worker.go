package cmd

import (
	"context"
	"os"
	"os/signal"
	"ppdp/experiments/engine"
	"syscall"
)

// workerCommand is "ppdp worker", which ppdp run --isolate starts.
type workerCommand struct{}

// Run serves until standard input ends. An interruption is the run's to deal with, which ends its
// workers; whatever jobs print goes to standard error, lest it is taken for an answer.
func (workerCommand) Run(con *console) error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	answers := os.Stdout
	os.Stdout = os.Stderr
	return engine.Work(context.WithoutCancel(con.ctx), os.Stdin, answers, con.now)
}
