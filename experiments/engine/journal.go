package engine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"ppdp/internal/results"
)

// entry is a finished or failed job in the journal: all that its record and timing say beyond the
// plan.
type entry struct {
	mark
	results.Outcome
	Timing results.Timing `json:"timing"`
}

// mark is a line of the journal about a job that is not finished.
type mark struct {
	Key string `json:"key"`
	// State is begun or ended, "" for an entry. A job that has begun and neither ended nor finished
	// was running when its process died: it may have been the cause.
	State string `json:"state,omitempty"`
}

// States of a mark.
const (
	begun = "begun"
	ended = "ended" // without a result to be used again: it failed or was interrupted
)

// journal is the file that keeps finished jobs while an experiment runs, and says which jobs have
// begun. A line is the results.Sum of the rest, a blank, and JSON: an entry or a mark. Lines are
// only ever appended. Finished jobs are synced to disk in groups, so a killed run loses at most the
// jobs that were running. Later runs take finished jobs from it.
type journal struct {
	file    *os.File
	unlock  func()
	entries chan pending
	done    chan error
	sync    func(*os.File) error

	mu     sync.Mutex // guards writing
	broken error      // the first error: nothing is appended to a line that may be torn
}

// pending is a finished job on its way to disk, and what is called when it is there.
type pending struct {
	*entry
	kept func()
}

// kept is what a journal holds.
type kept struct {
	finished map[string]entry // by key
	// begun are the jobs that were running when a process died, and have not finished since.
	begun map[string]bool
}

// JournalFile is the file of an experiment's folder that holds finished jobs.
const JournalFile = "journal.jsonl"

// ErrBusy says that another process is writing to the same output folder.
var ErrBusy = errors.New("another run is writing to this folder")

// openJournal locks an experiment's folder, reads what finished jobs its journal holds and makes
// it ready for appending. A torn last line is cut off; a line that does not match its checksum is
// left out and reported through warn.
func openJournal(dir string, warn func(string)) (j *journal, held *kept, err error) {
	old := dir // the deepest folder that exists: names in it and below are new
	for _, err := os.Stat(old); errors.Is(err, os.ErrNotExist) && old != filepath.Dir(old); {
		old = filepath.Dir(old)
		_, err = os.Stat(old)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, nil, fmt.Errorf("cannot make the output folder: %w", err)
	}
	unlock, err := lock(filepath.Join(dir, ".lock"))
	if err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, JournalFile), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		unlock()
		return nil, nil, fmt.Errorf("cannot write to the output folder: %w", err)
	}
	var end int64
	if info, statErr := file.Stat(); statErr != nil || !info.Mode().IsRegular() {
		// reading a pipe would wait for ever
		err = errors.Join(statErr, fmt.Errorf("%s is not a file", file.Name()))
	} else if held, end, err = readJournal(file, warn); err == nil {
		err = file.Truncate(end)
	}
	if err == nil {
		_, err = file.Seek(end, io.SeekStart)
	}
	for made := dir; err == nil; made = filepath.Dir(made) {
		if err = results.SyncFolder(made); made == old {
			break
		}
	}
	if err != nil {
		file.Close()
		unlock()
		return nil, nil, fmt.Errorf("journal: %w", err)
	}
	return &journal{file: file, unlock: unlock, entries: make(chan pending, 256),
		done: make(chan error, 1), sync: (*os.File).Sync}, held, nil
}

// lockPatience is how long another run's lock is waited for before it is an error: long enough for
// a killed process to be cleared away by the system.
const lockPatience = 2 * time.Second

func lock(path string) (unlock func(), err error) {
	type result struct {
		unlock func()
		err    error
	}
	got := make(chan result)
	patience, cancel := context.WithTimeout(context.Background(), lockPatience)
	defer cancel()
	go func() {
		unlock, err := lockedfile.MutexAt(path).Lock()
		select {
		case got <- result{unlock, err}:
		case <-patience.Done(): // too late
			if err == nil {
				unlock()
			}
		}
	}()
	select {
	case r := <-got:
		if r.err != nil {
			return nil, fmt.Errorf("cannot write to the output folder: %w", r.err)
		}
		return r.unlock, nil
	case <-patience.Done():
		return nil, fmt.Errorf("%w: %s", ErrBusy, filepath.Dir(path))
	}
}

// peekJournal reads the finished jobs of a folder without locking or changing anything. A folder
// without a journal has none.
func peekJournal(dir string) (*kept, error) {
	file, err := os.Open(filepath.Join(dir, JournalFile))
	if errors.Is(err, os.ErrNotExist) {
		return new(kept), nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	held, _, err := readJournal(file, func(string) {})
	return held, err
}

// readJournal returns what the journal holds and the offset behind the last whole line. Failed
// jobs are left out: they run again.
func readJournal(from io.Reader, warn func(string)) (*kept, int64, error) {
	held := &kept{finished: make(map[string]entry), begun: make(map[string]bool)}
	end, err := scanJournal(from, warn, func(_ int32, _ []byte, o *entry) {
		switch {
		case o.State != "":
			held.begun[o.Key] = o.State == begun
		case o.Status == results.OK:
			held.finished[o.Key] = *o
			delete(held.begun, o.Key)
		}
	})
	return held, end, err
}

// scanJournal hands every line that matches its checksum to each, which may keep it, with its
// number from 1 and its entry. It returns the offset behind the last whole line.
func scanJournal(from io.Reader, warn func(string),
	each func(number int32, line []byte, o *entry)) (int64, error) {
	reader := bufio.NewReaderSize(from, 1<<16)
	var end int64
	for number := int32(1); ; number++ {
		text, err := reader.ReadBytes('\n')
		if err == io.EOF {
			return end, nil // what is left of a torn line is cut off
		}
		if err != nil {
			return 0, err
		}
		end += int64(len(text))
		o, ok := parseJournalLine(text)
		if !ok {
			warn(fmt.Sprintf("%s:%d: the line does not match its checksum and is left out; its "+
				"job runs again unless another line has it", JournalFile, number))
			continue
		}
		each(number, text, &o)
	}
}

// parseJournalLine reads a line; ok reports whether it matches its checksum and says something.
func parseJournalLine(text []byte) (o entry, ok bool) {
	sum, text, _ := bytes.Cut(bytes.TrimSuffix(text, []byte("\n")), []byte(" "))
	if string(sum) != results.Sum(text) {
		return o, false
	}
	err := results.Decode(text, &o)
	known := o.State == begun || o.State == ended || o.State == "" && o.Status != ""
	return o, err == nil && o.Key != "" && known
}

// appendJournalLine appends the line of an entry or a mark.
func appendJournalLine(to []byte, o any) ([]byte, error) {
	text, err := json.Marshal(o)
	return fmt.Appendf(to, "%s %s\n", results.Sum(text), text), err
}

// start writes entries as they come. Whatever has gathered while the disk was busy is written and
// synced together, so syncing never holds up the workers. Entries are reported as kept when they
// are on disk. failed is called once if writing fails.
func (j *journal) start(failed func(error)) {
	go func() {
		var buffer []byte
		var group []pending
		for o := range j.entries {
			var err error
			buffer, group = buffer[:0], group[:0]
			for more := true; more && err == nil; {
				group = append(group, o)
				buffer, err = appendJournalLine(buffer, o.entry)
				select {
				case o, more = <-j.entries:
				default:
					more = false
				}
			}
			if err == nil {
				err = j.write(buffer)
			}
			if err == nil {
				err = j.fail(j.sync(j.file))
			}
			if err != nil { // go on to drain, so that no worker blocks
				failed(err)
				continue
			}
			for i := range group {
				group[i].kept()
			}
		}
		j.done <- j.fail(nil)
	}()
}

// write appends text, unless an earlier text may be torn.
func (j *journal) write(text []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken == nil {
		_, err := j.file.Write(text)
		j.setBroken(err)
	}
	return j.broken
}

// fail keeps the first error and returns it.
func (j *journal) fail(err error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken == nil {
		j.setBroken(err)
	}
	return j.broken
}

func (j *journal) setBroken(err error) {
	if err != nil {
		j.broken = fmt.Errorf("journal: %w", err)
	}
}

// add hands a job that has ended to the writer, which calls kept when it is on disk.
func (j *journal) add(o *entry, kept func()) { j.entries <- pending{o, kept} }

// mark says that a job has begun, or ended without a result. It need not reach the disk: it is
// for the case that the process dies, not the machine.
func (j *journal) mark(key, state string) error {
	text, err := appendJournalLine(nil, mark{key, state})
	return errors.Join(err, j.write(text))
}

// errLost says that the journal is no longer where it was opened: the folder was removed or
// replaced.
var errLost = errors.New("the output folder was removed while the experiment ran: what had " +
	"finished is lost")

// check returns errLost where the file that is written to has no name any more.
func (j *journal) check() error {
	there, err := os.Stat(j.file.Name())
	opened, openedErr := j.file.Stat()
	if err == nil && openedErr == nil && os.SameFile(there, opened) {
		return nil
	}
	return errors.Join(errLost, err, openedErr)
}

// finish waits until everything is on disk. The journal cannot be added to afterwards.
func (j *journal) finish() error {
	close(j.entries)
	return <-j.done
}

// close releases the file and the folder's lock.
func (j *journal) close() error {
	err := j.file.Close()
	j.unlock()
	return err
}
