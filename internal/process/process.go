// Package process runs programs that answer lines on their standard input with lines on their
// standard output. Each leads a process group of its own, has limits of time and memory, and serves
// one request at a time for as long as there are any. What the lines say is left to the caller.
package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

// reapTime is how long a killed process group may hold its pipes open.
const reapTime = 2 * time.Second

// process is one running program, the leader of a process group of its own. It serves one request
// at a time.
type process struct {
	*Program
	command *exec.Cmd
	stdin   io.WriteCloser
	lines   chan []byte // whole lines; closed at the end, after broken is set
	broken  error       // why there are no more lines
	tail    tail
}

// tail keeps the last bytes written to it.
type tail struct {
	most int

	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-t.most):]...)
	if extra := len(t.text) - t.most; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}

// start starts a process and greets it.
func (p *Program) start(ctx context.Context) (*process, error) {
	words := limited(p.Command, p.Memory)
	one := &process{Program: p, command: exec.Command(words[0], words[1:]...),
		lines: make(chan []byte), tail: tail{most: p.Words}}
	one.command.Dir, one.command.Env = p.Dir, p.Env
	one.command.Stderr = &one.tail
	one.command.WaitDelay = reapTime
	ownGroup(one.command)
	stdin, err := one.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := one.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	one.stdin = stdin
	if err := one.command.Start(); err != nil {
		return nil, fmt.Errorf("cannot be started: %w", err)
	}
	go one.read(stdout)
	err = one.exchange(ctx, p.Greeting, p.StartTime, func(line []byte) ([]byte, bool, error) {
		return nil, true, p.Greeted(line)
	})
	// One that has closed its input fails the request, whenever it did that.
	if err != nil && !errors.Is(err, errClosed) {
		return nil, fmt.Errorf("at its start: %w", one.end(err))
	}
	return one, nil
}

// read hands on whole lines.
func (p *process) read(from io.Reader) {
	reader := bufio.NewReaderSize(from, 1<<12)
	var line []byte
	for {
		part, err := reader.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			p.lines <- line[:len(line)-1]
			line = nil
		case errors.Is(err, bufio.ErrBufferFull) && len(line) <= p.Line:
		case errors.Is(err, bufio.ErrBufferFull):
			p.broken = fmt.Errorf("it printed a line of more than %d bytes, beginning %s", p.Line,
				Shown(line))
		case len(line) > 0:
			p.broken = fmt.Errorf("%w: %s", errTorn, Shown(line))
		default:
			p.broken = errEnded
		}
		if p.broken != nil {
			close(p.lines)
			return
		}
	}
}

// What can go wrong in a process.
var (
	errTime   = errors.New("timed out")
	errMemory = errors.New("out of memory")
	errEnded  = errors.New("it ended without an answer")
	errTorn   = errors.New("it ended in the middle of a line")
	errClosed = errors.New("it closed its standard input before it had read the request")
	errUnread = errors.New("it prints more lines before it has read the replies to the last ones")
)

// exchange writes a line and hands the next ones of the program to take, whose replies it writes,
// until that has the last and all is written. What the program prints after that is not read here:
// it would be the answer to the next request, which then goes to a fresh process.
func (p *process) exchange(ctx context.Context, line []byte, limit time.Duration, take Take) error {
	wrote := make(chan error, 1)
	write := func(line []byte) {
		go func() { // a program that does not read must not hold up the limit
			_, err := p.stdin.Write(line)
			wrote <- err
		}()
	}
	write(line)
	var waiting []byte // to be written: a program may answer before it is known to have read
	var expired <-chan time.Time
	if limit > 0 {
		expired = time.After(limit)
	}
	var check <-chan time.Time
	if p.Memory > 0 {
		ticker := time.NewTicker(memoryInterval)
		defer ticker.Stop()
		check = ticker.C
	}
	lines, written := p.lines, false // no lines after the last
	var closed <-chan time.Time
	for {
		select {
		case text, ok := <-lines:
			if !ok {
				return p.broken
			}
			reply, last, err := take(text)
			switch {
			case err != nil || last && written:
				return err
			case last:
				lines = nil
			case reply != nil && waiting != nil:
				return errUnread
			case reply != nil && written:
				written = false
				write(reply)
			case reply != nil:
				waiting = reply
			}
		case err := <-wrote:
			written = err == nil && waiting == nil
			switch {
			case err != nil: // if it has ended, its last lines say why
				closed = time.After(reapTime)
			case waiting != nil:
				write(waiting)
				waiting = nil
			case lines == nil:
				return nil
			}
		case <-closed:
			return errClosed
		case <-ctx.Done():
			return ctx.Err()
		case <-expired:
			return fmt.Errorf("%w after %v", errTime, limit)
		case <-check:
			if used := groupMemory(p.command.Process.Pid); used > p.Memory {
				return fmt.Errorf("%w: it and its children had more than %d MiB", errMemory,
					p.Memory>>20)
			}
		}
	}
}

// settle waits until the program waits, for its next request say: what it does to its files right
// behind an answer is then done on a busy machine, too.
func (p *process) settle() {
	for end := 0; end < 1000 && busy(p.command.Process.Pid); end++ {
		time.Sleep(time.Millisecond)
	}
}

// memoryInterval is the pause between checks of the memory of a process group.
const memoryInterval = 50 * time.Millisecond

// end kills the process group. It adds to what went wrong, if anything did, how the process ended
// by itself and its last words on standard error.
func (p *process) end(cause error) error {
	killGroup(p.command)
	p.stdin.Close()
	go func() { // whatever was on its way
		for range p.lines {
		}
	}()
	wait := p.command.Wait()
	if cause == nil || errors.Is(cause, context.Canceled) {
		return cause
	}
	if !errors.Is(cause, errEnded) && !errors.Is(cause, errTorn) {
		return cause // how far it came before it was killed is a matter of chance
	}
	if wait != nil {
		cause = fmt.Errorf("%w (%w)", cause, wait)
	}
	if words := plain(p.tail.String()); words != "" {
		cause = fmt.Errorf("%w; its last words: %s", cause, words)
	}
	return cause
}

// Cut is a message of a few kilobytes, which says so if it was cut.
func Cut(text string) string {
	const most = 4 << 10
	if n := len(text); n > most {
		return fmt.Sprintf("%s... (cut: %d bytes)", text[:most], n)
	}
	return text
}

// Printable is a message that others made, for records and logs: cut, and without what would reach
// into a terminal.
func Printable(text string) string { return plain(Cut(text)) }

func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r) {
			return r
		}
		return '?'
	}, strings.ToValidUTF8(text, "?"))
}

// Shown is the beginning of what a program printed, safe for terminals.
func Shown(text []byte) string {
	const most = 80
	if len(text) > most {
		return fmt.Sprintf("%q...", text[:most])
	}
	return fmt.Sprintf("%q", text)
}

// sizes are the units of memory.
var sizes = []struct {
	suffix string
	bytes  float64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// ParseMemory reads a limit of memory in bytes, at least 1 MiB, such as 512MiB.
func ParseMemory(text string) (int64, error) {
	for _, size := range sizes {
		if number, ok := strings.CutSuffix(text, size.suffix); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			if n *= size.bytes; err == nil && n >= 1<<20 && n < math.MaxInt64 {
				return int64(n), nil
			}
		}
	}
	return 0, fmt.Errorf("%q, must be such as 512MiB or 4GiB", text)
}

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
	// Memory bounds the data of each process, in bytes, 0 for any, and the resident memory of all
	// that it has started together.
	Memory int64
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
// The error comes from the start, the process, the Take or the context.
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
			if p.greeted = p.greeted || err == nil; !p.greeted && errors.Is(err, errTime) {
				p.mute = err
			}
			p.mu.Unlock()
			if err != nil {
				return err
			}
		}
		if err = one.exchange(ctx, line, limit, begin()); err == nil {
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
