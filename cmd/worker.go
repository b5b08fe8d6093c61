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

// Run serves until standard input ends. It ignores interruptions: the run gets them too, and ends
// its workers. What jobs print goes to standard error, where it cannot be taken for an answer.
func (workerCommand) Run(con *console) error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	answers := os.Stdout
	os.Stdout = os.Stderr
	return engine.Work(context.WithoutCancel(con.ctx), os.Stdin, answers, con.now)
}
