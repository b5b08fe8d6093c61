// Package process runs programs that answer lines on their standard input with lines on their
// standard output. Each leads a process group of its own, has limits of time and memory, and serves
// one request at a time for as long as there are any. What the lines say is left to the caller.
package process

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Program is how processes are started, and their limits.
type Program struct {
	Command []string // the program and its arguments
	Dir     string   // where it is started, "" for the folder of this process
	Env     []string // nil for that of this process
	// Greeting is the first line to each process, and Greeted is handed its answer. Its error ends
	// the process. StartTime is how long that may take, 0 for any time.
	Greeting  []byte
	Greeted   func(line []byte) error
	StartTime time.Duration
	// Begins is the line that a process prints when the time of a request begins; nil where that is
	// at once.
	Begins []byte
	// Memory bounds the data of each process, in bytes, 0 for any. With Group it also bounds the
	// resident memory of all that it has started together.
	Memory int64
	Group  bool
	Line   int // bytes of the longest line that it may print
	Words  int // bytes of its standard error that are kept, from the end
}

// Pool starts processes of one program as they are needed. It is safe for concurrent use.
type Pool struct {
	Program

	mu      sync.Mutex
	idle    []*process
	greeted bool  // by any process
	mute    error // that none said anything in time; no other is started then
}

// Close ends the processes that wait for requests.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.idle {
		_ = one.end(nil)
	}
	p.idle = nil
}

// Take is handed a line that a process prints. reply is written to the process, nil for nothing;
// last ends the request.
type Take func(line []byte) (reply []byte, last bool, err error)

// Ask writes a line to an idle process, or to a new one, and hands each line that it prints to what
// begin returns, until that reports the last one or an error. limit bounds the time, 0 for any. If
// this fails in a process that has served other requests before, one of those may be the cause: the
// request begins once more, in a fresh process and with all its time, so that its outcome depends
// on itself alone.
//
// The error is a Fault, a StartError, that of the Take within a Fault, or the context's.
func (p *Pool) Ask(ctx context.Context, line []byte, limit time.Duration, begin func() Take) error {
	p.mu.Lock()
	var one *process
	mute := p.mute
	if n := len(p.idle); n > 0 {
		one, p.idle = p.idle[n-1], p.idle[:n-1]
	}
	p.mu.Unlock()
	if mute != nil {
		return mute
	}
	for {
		fresh := one == nil
		var err error
		if fresh {
			one, err = p.start(ctx)
			p.mu.Lock()
			if p.greeted = p.greeted || err == nil; !p.greeted && errors.Is(err, ErrTime) {
				p.mute = err
			}
			p.mu.Unlock()
			if err != nil {
				return err
			}
		}
		if err = one.exchange(ctx, line, limit, p.Begins, begin()); err == nil {
			one.settle()
			p.mu.Lock()
			p.idle = append(p.idle, one)
			p.mu.Unlock()
			return nil
		}
		if err = one.end(err); fresh || ctx.Err() != nil {
			return err
		}
		one = nil
	}
}
