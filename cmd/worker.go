package cmd

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"ppdp/experiments/engine"
	"ppdp/internal/process"
)

// workerCommand is "ppdp worker", which ppdp run --isolate starts.
type workerCommand struct{}

// Run serves until standard input ends. It ignores interruptions: the run gets them too, and ends
// its workers. What jobs print goes to standard error, where it cannot be taken for an answer.
func (workerCommand) Run(con *console) error {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	in, out, err := process.Detach()
	if err != nil {
		return err
	}
	return engine.Work(context.WithoutCancel(con.ctx), in, out, con.now)
}
