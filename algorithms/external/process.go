package external

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// maxLine bounds a line of the program.
const maxLine = 1 << 20

// lastWords is how much of the program's standard error is kept.
const lastWords = 2 << 10

// helloTime is how long a program may take to say hello.
const helloTime = 30 * time.Second

// reapTime is how long a killed process group may hold its pipes open.
const reapTime = 2 * time.Second

// process is one running program, the leader of a process group of its own. It serves one request
// at a time.
type process struct {
	command *exec.Cmd
	limits  limits
	stdin   io.WriteCloser
	written chan struct{} // closed when the last line is written; nil before the first
	lines   chan []byte   // whole lines; closed at the end, after broken is set
	broken  error         // why there are no more lines
	tail    tail
}

// tail keeps the last bytes written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-lastWords):]...)
	if extra := len(t.text) - lastWords; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}

// startProcess starts the descriptor's command in its folder. home is a folder for whatever it
// leaves.
func (a *Algorithm) startProcess(ctx context.Context, home string) (*process, error) {
	words := limited(a.d.Command, a.d.Limits.bytes)
	p := &process{command: exec.Command(words[0], words[1:]...), limits: a.d.Limits,
		lines: make(chan []byte)}
	p.command.Dir = a.dir
	p.command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home,
		"LANG=C.UTF-8", "PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1"}
	p.command.Stderr = &p.tail
	p.command.WaitDelay = reapTime
	ownGroup(p.command)
	stdin, err := p.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.stdin = stdin
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("cannot be started: %w", err)
	}
	go p.read(stdout)
	var said hello
	line, err := p.exchange(ctx, mustJSON(hello{protocol, "ppdp"}), helloTime)
	if err == nil {
		err = parse(line, &said)
	}
	if err == nil && said.Protocol != protocol {
		err = fmt.Errorf("it speaks protocol %d, must be %d", said.Protocol, protocol)
	}
	if err != nil {
		return nil, fmt.Errorf("at its start: %w", p.end(err))
	}
	return p, nil
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
		case errors.Is(err, bufio.ErrBufferFull) && len(line) <= maxLine:
		case errors.Is(err, bufio.ErrBufferFull):
			p.broken = fmt.Errorf("it printed a line of more than %d bytes, beginning %s", maxLine,
				shown(line))
		case len(line) > 0:
			p.broken = fmt.Errorf("it ended in the middle of a line: %s", shown(line))
		default:
			p.broken = errors.New("it ended without an answer")
		}
		if p.broken != nil {
			close(p.lines)
			return
		}
	}
}

// errTime and errMemory are limits that were exceeded.
var (
	errTime   = errors.New("timed out")
	errMemory = errors.New("out of memory")
)

// exchange writes a line and returns the next one of the program.
func (p *process) exchange(ctx context.Context, line []byte, limit time.Duration) ([]byte, error) {
	wrote := make(chan error, 1)
	before, written := p.written, make(chan struct{})
	p.written = written
	go func() { // a program that does not read must not hold up the limit
		defer close(written)
		if before != nil { // the program may have answered a line that is still on its way
			<-before
		}
		_, err := p.stdin.Write(line)
		wrote <- err
	}()
	var expired <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		expired = timer.C
	}
	look := time.NewTicker(memoryInterval)
	defer look.Stop()
	for {
		select {
		case text, ok := <-p.lines:
			if !ok {
				return nil, p.broken
			}
			return text, nil
		case err := <-wrote:
			if err != nil { // it has ended; what it said before is still read
				wrote = nil
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-expired:
			return nil, fmt.Errorf("%w after %v", errTime, limit)
		case <-look.C:
			if p.limits.bytes == 0 {
				continue
			}
			if used := groupMemory(p.command.Process.Pid); used > p.limits.bytes {
				return nil, fmt.Errorf("%w: it and its children had %d MiB, must be at most %d",
					errMemory, used>>20, p.limits.bytes>>20)
			}
		}
	}
}

// memoryInterval is the pause between looks at the memory of a process group.
const memoryInterval = 50 * time.Millisecond

// ask sends a request and returns the program's answer.
func (p *process) ask(ctx context.Context, q *request) (*answer, error) {
	line, err := p.exchange(ctx, mustJSON(q), p.limits.time)
	if err != nil {
		return nil, err
	}
	var a answer
	if err := parse(line, &a); err != nil {
		return nil, err
	}
	if a.ID != q.ID {
		return nil, fmt.Errorf("it answered request %.40q, must be %q", a.ID, q.ID)
	}
	// Another line is not looked for: whether it has come by now is a matter of time. It answers no
	// later request, so the next one goes to a fresh process.
	return &a, nil
}

// end kills the process group and adds to the error what the program said last.
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
	if wait != nil && wait.Error() != "signal: killed" { // that was here
		cause = fmt.Errorf("%w (%v)", cause, wait)
	}
	if words := p.tail.String(); words != "" {
		cause = fmt.Errorf("%w; its last words: %s", cause, printable(words))
	}
	return cause
}

// printable drops what would reach into a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r >= ' ' && r != 0x7f {
			return r
		}
		return '?'
	}, strings.ToValidUTF8(text, "?"))
}

// decodeStrictly decodes exactly one JSON object without unknown keys.
func decodeStrictly(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if rest := bytes.TrimSpace(text[d.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("%s behind the object", shown(rest))
	}
	return nil
}
