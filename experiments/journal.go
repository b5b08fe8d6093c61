package experiments

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"ppdp/results"
)

// entry is a finished or failed cell in the journal: all that its record and timing say beyond the
// plan. With an Audit it is a finished audit and nothing else.
type entry struct {
	Key string `json:"key"`
	results.CellResult
	Timing results.Timing `json:"timing"`
	Audit  *results.Audit `json:"audit,omitempty"`
}

// journal keeps the cells that have ended while an experiment runs, one a line: the first 16
// hexadecimal digits of the SHA-256 of the rest, a blank, JSON. Lines are only ever appended and
// are synced to disk in groups, so a killed run loses at most what was in flight. It is also the
// cache of later runs.
type journal struct {
	file    *os.File
	unlock  func()
	entries chan entry
	done    chan error
}

// JournalFile is the file of an experiment's folder that holds finished cells.
const JournalFile = "journal.jsonl"

// ErrBusy says that another process is writing to the same output folder.
var ErrBusy = errors.New("another run is writing to this folder")

// openJournal locks an experiment's folder, reads what finished cells its journal holds and makes
// it ready for appending. A torn last line is cut off; a line that does not match its checksum is
// left out and reported through warn.
func openJournal(dir string, warn func(string)) (*journal, map[string]entry, error) {
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
	var finished map[string]entry
	var end int64
	if info, statErr := file.Stat(); statErr != nil || !info.Mode().IsRegular() {
		// reading a pipe would wait for ever
		err = errors.Join(statErr, fmt.Errorf("%s is not a file", file.Name()))
	} else if finished, end, err = readJournal(file, warn); err == nil {
		err = file.Truncate(end)
	}
	if err == nil {
		_, err = file.Seek(end, io.SeekStart)
	}
	if err != nil {
		file.Close()
		unlock()
		return nil, nil, fmt.Errorf("journal: %w", err)
	}
	return &journal{file: file, unlock: unlock, entries: make(chan entry, 256),
		done: make(chan error, 1)}, finished, nil
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
		case <-patience.Done(): // nobody waits any longer
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

// peekJournal reads the finished cells of a folder without locking or changing anything. A folder
// without a journal has none.
func peekJournal(dir string) (map[string]entry, error) {
	file, err := os.Open(filepath.Join(dir, JournalFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	finished, _, err := readJournal(file, func(string) {})
	return finished, err
}

// readJournal returns the finished cells by key and the offset behind the last whole line. Failed
// ones are left out: they run again.
func readJournal(from io.Reader, warn func(string)) (map[string]entry, int64, error) {
	finished := make(map[string]entry)
	end, err := scanJournal(from, warn, func(_ int, o *entry) {
		if o.Status == results.OK {
			finished[o.Key] = *o
		}
	})
	return finished, end, err
}

// scanJournal hands every cell to each, with the number of its line, and returns the offset behind
// the last whole line.
func scanJournal(from io.Reader, warn func(string), each func(line int, o *entry)) (int64, error) {
	reader := bufio.NewReaderSize(from, 1<<16)
	var end int64
	for number := 1; ; number++ {
		text, err := reader.ReadBytes('\n')
		if err == io.EOF {
			return end, nil // what is left of a torn line is cut off
		}
		if err != nil {
			return 0, err
		}
		end += int64(len(text))
		o, ok := parseJournalLine(bytes.TrimSuffix(text, []byte("\n")))
		if !ok {
			warn(fmt.Sprintf("%s:%d: the line does not match its checksum and is left out; its "+
				"cell runs again unless another line has it", JournalFile, number))
			continue
		}
		each(number, &o)
	}
}

func lineSum(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text))[:16] }

func parseJournalLine(text []byte) (entry, bool) {
	var o entry
	sum, text, _ := bytes.Cut(text, []byte(" "))
	if string(sum) != lineSum(text) {
		return o, false
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&o)
	return o, err == nil && o.Key != ""
}

func appendJournalLine(to []byte, o *entry) ([]byte, error) {
	text, err := json.Marshal(o)
	return fmt.Appendf(to, "%s %s\n", lineSum(text), text), err
}

// start writes entries as they come. Whatever has gathered while the disk was busy is written and
// synced together, so syncing never holds up the workers. failed is called once if writing fails.
func (j *journal) start(failed func(error)) {
	go func() {
		var firstErr error
		var buffer []byte
		for o := range j.entries {
			if firstErr != nil {
				continue // drain, so that no worker blocks
			}
			var err error
			buffer, err = appendJournalLine(buffer[:0], &o)
		gather:
			for err == nil {
				select {
				case next, open := <-j.entries:
					if !open {
						break gather
					}
					buffer, err = appendJournalLine(buffer, &next)
				default:
					break gather
				}
			}
			if err == nil {
				if _, err = j.file.Write(buffer); err == nil {
					err = j.file.Sync()
				}
			}
			if err != nil {
				firstErr = fmt.Errorf("journal: %w", err)
				failed(firstErr)
			}
		}
		j.done <- firstErr
	}()
}

// add hands a finished cell to the writer.
func (j *journal) add(o entry) { j.entries <- o }

// errLost says that the journal is no longer where it was opened: somebody removed or replaced the
// folder.
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
