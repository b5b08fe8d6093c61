package engine

import (
	"bufio"
	"bytes"
	"cmp"
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

// mark is a line of the journal: a run or a job has begun, or a run has ended. A run that has begun
// and not ended runs, or its process has died. Then a job that had begun may have been the cause.
type mark struct {
	Key    string `json:"key"`             // of the job, or runKey
	State  string `json:"state,omitempty"` // "" of an entry
	Cached int    `json:"cached,omitempty"`
	// Fatal says of an entry that the process died while its job, or one of its setting, ran alone.
	Fatal bool `json:"fatal,omitempty"`
}

// Keys and states of marks.
const (
	runKey = "run"
	begun  = "begun"
	alone  = "alone" // begun, and no other job runs
	ended  = "ended"
)

// journal is the file that keeps finished jobs while an experiment runs. A line is the results.Sum
// of the rest, a blank, and JSON: an entry or a mark. Lines are only ever appended. Finished jobs
// are synced to disk in groups, so a killed run loses at most the jobs that were running. Later
// runs take finished jobs from it.
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

// JournalFile is the file of an experiment's folder that holds finished jobs.
const JournalFile = "journal.jsonl"

// ErrBusy says that another process is writing to the same output folder.
var ErrBusy = errors.New("another run is writing to this folder")

// openJournal locks an experiment's folder, reads what finished jobs its journal holds and makes
// it ready for appending. A torn last line is cut off; a line that does not match its checksum is
// left out and reported through warn.
func openJournal(dir string, warn func(string)) (j *journal, held *kept, err error) {
	held = newKept(warn)
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
	end, err := held.read(file)
	if err == nil {
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
	got := make(chan result, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(path).Lock()
		got <- result{unlock, err}
	}()
	select {
	case r := <-got:
		if r.err != nil {
			return nil, fmt.Errorf("cannot write to the output folder: %w", r.err)
		}
		return r.unlock, nil
	case <-time.After(lockPatience):
		go func() {
			if r := <-got; r.err == nil { // too late
				r.unlock()
			}
		}()
		return nil, fmt.Errorf("%w: %s", ErrBusy, filepath.Dir(path))
	}
}

// kept is what journals hold: the best line of each job.
type kept struct {
	jobs    map[string]*line // by key
	folders []string         // that were read
	warn    func(string)
	last    Reached // of the folder that was read last
	// Of the runs since the last that has ended: jobs that have begun and not ended, the last one
	// among them that ran alone, if any, and those whose entry is Fatal.
	running, fatal map[string]bool
	alone          string
}

// line is a job in one of the journals.
type line struct {
	entry
	folder, number int32 // index in kept.folders; from 1
}

func newKept(warn func(string)) *kept {
	return &kept{jobs: make(map[string]*line), warn: warn, last: Reached{Ended: true},
		running: make(map[string]bool), fatal: make(map[string]bool)}
}

// finished is the entry of a job that has not failed, or nil: failed ones run again.
func (k *kept) finished(key string) *entry {
	if l := k.jobs[key]; l != nil && l.Status == results.OK {
		return &l.entry
	}
	return nil
}

// readFolder reads the journal of a folder without locking or changing anything.
func (k *kept) readFolder(dir string) error {
	file, err := os.Open(filepath.Join(dir, JournalFile))
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = k.read(file)
	return err
}

// read takes every line of a journal that matches its checksum, and returns the offset behind the
// last whole one. The error also says where the journal first disagrees with earlier ones.
func (k *kept) read(file *os.File) (end int64, err error) {
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		// reading a pipe would wait for ever
		return 0, errors.Join(err, fmt.Errorf("%s is not a file", file.Name()))
	}
	k.folders = append(k.folders, filepath.Dir(file.Name()))
	var disagree error // the first
	reader := bufio.NewReaderSize(file, 1<<16)
	for number := int32(1); ; number++ {
		text, err := reader.ReadBytes('\n')
		if err == io.EOF { // what is left of a torn line is cut off
			return end, disagree
		}
		if err != nil {
			return 0, err
		}
		end += int64(len(text))
		l := &line{folder: int32(len(k.folders) - 1), number: number}
		switch ok := l.parse(text); {
		case !ok:
			k.warn(fmt.Sprintf("%s: the line does not match its checksum and is left out; its "+
				"job runs again unless another line has it", k.place(l)))
		case l.State == "":
			disagree = cmp.Or(disagree, k.take(l))
		case l.Key == runKey && l.State == begun:
			k.last = Reached{Cached: l.Cached}
		case l.Key == runKey:
			k.last.Ended, k.alone = true, ""
			clear(k.running)
			clear(k.fatal)
		default:
			k.running[l.Key], k.alone = true, "" // which no job is any more
			if l.State == alone {
				k.alone = l.Key
			}
		}
	}
}

// parse reads a line; ok reports whether it matches its checksum and says something.
func (l *line) parse(text []byte) (ok bool) {
	sum, text, _ := bytes.Cut(bytes.TrimSuffix(text, []byte("\n")), []byte(" "))
	if string(sum) != results.Sum(text) {
		return false
	}
	err := results.Decode(text, &l.entry)
	known := l.State == begun || l.State == alone || l.State == ended ||
		l.State == "" && l.Status != ""
	return err == nil && l.Key != "" && known
}

// take takes a job. Within one journal its last line counts, and one that finished more than one
// that failed. Two journals must agree on it, unless it failed in one of them alone: the error.
func (k *kept) take(l *line) error {
	k.last.Ran++
	delete(k.running, l.Key)
	if l.Fatal {
		k.fatal[l.Key] = true
	}
	if k.alone == l.Key {
		k.alone = ""
	}
	if l.Status == results.Failed {
		k.last.Failed++
	}
	before := k.jobs[l.Key]
	switch {
	case before == nil, before.Status != results.OK && l.Status == results.OK,
		before.Status == l.Status && before.folder == l.folder:
		k.jobs[l.Key] = l
	case before.Status == l.Status:
		return k.agree(before, l)
	}
	return nil
}

// ErrDisagree says that two journals have a job with different results.
var ErrDisagree = errors.New("two journals disagree")

// agree compares the results of a job in two journals. Times may differ.
func (k *kept) agree(a, b *line) error {
	textA, errA := json.Marshal(a.Outcome)
	textB, errB := json.Marshal(b.Outcome)
	if errA != nil || errB != nil || bytes.Equal(textA, textB) {
		return errors.Join(errA, errB)
	}
	return fmt.Errorf("%w on a job: %s and %s", ErrDisagree, k.place(a), k.place(b))
}

// place names a line in messages.
func (k *kept) place(l *line) string {
	path := filepath.Join(k.folders[l.folder], JournalFile)
	return fmt.Sprintf("%s:%d", filepath.ToSlash(path), l.number)
}

// Reached is how far the last run into a folder has come.
type Reached struct {
	Cached      int  // jobs that it took from an earlier run
	Ran, Failed int  // jobs that it ran, those that failed among them
	Ended       bool // else it runs, or its process has died
}

// ReadReached reads it from the folder's journal.
func ReadReached(dir string) (Reached, error) {
	k := newKept(func(string) {}) // the next run warns of damaged lines
	err := k.readFolder(dir)
	return k.last, err
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
			if err == nil { // without the lock: jobs note meanwhile that they begin
				synced := j.sync(j.file)
				err = j.do(func() error { return synced })
			}
			if err != nil { // go on to drain, so that no worker blocks
				failed(err)
				continue
			}
			for i := range group {
				group[i].kept()
			}
		}
		j.done <- j.do(func() error { return nil })
	}()
}

// do takes a step unless an earlier one has failed, and returns the first error.
func (j *journal) do(step func() error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken == nil {
		if err := step(); err != nil {
			j.broken = fmt.Errorf("journal: %w", err)
		}
	}
	return j.broken
}

// write appends text, unless an earlier text may be torn.
func (j *journal) write(text []byte) error {
	return j.do(func() error {
		_, err := j.file.Write(text)
		return err
	})
}

// add hands a job that has ended to the writer, which calls kept when it is on disk.
func (j *journal) add(o *entry, kept func()) { j.entries <- pending{o, kept} }

// mark notes the state of a run or job. It need not reach the disk: it is for the case that the
// process dies, not the machine.
func (j *journal) mark(key, state string, cached int) error {
	text, err := appendJournalLine(nil, mark{Key: key, State: state, Cached: cached})
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

// finish waits until everything is on disk and notes the end. No job can be added afterwards. An
// earlier error, of a full disk, say, is returned by all that is written after it.
func (j *journal) finish() error {
	close(j.entries)
	<-j.done
	return j.mark(runKey, ended, 0)
}

// close releases the file and the folder's lock.
func (j *journal) close() error {
	err := j.file.Close()
	j.unlock()
	return err
}
