package torture

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// damage tears and flips what a run has left.
func (c *campaign) damage() {
	c.each("torn journal", 2, 200, "go on, same bytes", func(f *fault) {
		if err := os.MkdirAll(f.results(), 0o777); err != nil {
			f.Fatal(err)
		}
		cut := f.IntN(len(c.journal))
		write(f.T, filepath.Join(f.results(), "journal.jsonl"), c.journal[:cut])
		f.recovers()
	})
	c.each("flipped journal", 2, 200, "go on, same bytes", func(f *fault) {
		if err := os.MkdirAll(f.results(), 0o777); err != nil {
			f.Fatal(err)
		}
		text := []byte(c.journal)
		for range 1 + f.IntN(3) {
			text[f.IntN(len(text))] ^= 1 << f.IntN(8)
		}
		write(f.T, filepath.Join(f.results(), "journal.jsonl"), string(text))
		f.recovers()
	})
	c.each("joined shards", 1, 40, "same bytes", func(f *fault) {
		n := 2 + f.IntN(4)
		var journals []string
		for shard := range n {
			printed, err := f.command(nil, "run", "spec.yaml", "--out", "parts", "--shard",
				fmt.Sprintf("%d/%d", shard+1, n)).CombinedOutput()
			if err != nil {
				f.Fatalf("%v: %s", err, printed)
			}
		}
		paths, err := filepath.Glob(filepath.Join(f.dir, "parts", "*", "torture", "small",
			"journal.jsonl"))
		if err != nil || len(paths) != n {
			f.Fatalf("%d journals of %d shards: %v", len(paths), n, err)
		}
		for _, path := range paths {
			journals = append(journals, read(f.T, path))
		}
		journals = append(journals, journals[f.IntN(n)]) // one of them twice
		f.Shuffle(len(journals), func(i, j int) {
			journals[i], journals[j] = journals[j], journals[i]
		})
		if err := os.MkdirAll(f.results(), 0o777); err != nil {
			f.Fatal(err)
		}
		write(f.T, filepath.Join(f.results(), "journal.jsonl"), strings.Join(journals, ""))
		f.recovers()
	})
}

// disks runs on disks that are too small and with too few open files.
func (c *campaign) disks() {
	c.each("file size limit", 2, 60, "say so, go on, same bytes", func(f *fault) {
		f.limited(fmt.Sprintf("ulimit -f %d", f.number*4))
	})
	c.each("file size limit, merging", 2, 20, "say so, go on, same bytes", func(f *fault) {
		for _, part := range []string{"1/2", "2/2"} {
			if out, err := f.run("--shard", part); err != nil {
				f.Fatalf("%v: %s", err, out)
			}
		}
		f.limited(fmt.Sprintf("ulimit -f %d", f.number*8), "merge", "out", "--out", "out")
	})
	c.each("open file limit", 2, 40, "say so, go on, same bytes", func(f *fault) {
		limit := 3 + f.number
		if !*full {
			limit = 6 + 4*f.number
		}
		f.limited(fmt.Sprintf("ulimit -n %d", limit))
	})
	mount := func(f *fault, options string) error {
		out := filepath.Join(f.dir, "out")
		if err := os.MkdirAll(out, 0o777); err != nil {
			f.Fatal(err)
		}
		return exec.Command("mount", "-t", "tmpfs", "-o", options, "tmpfs", out).Run()
	}
	first := &fault{T: c.T, c: c, dir: c.TempDir()}
	if err := mount(first, "size=4k"); err != nil {
		c.skip("full disk", "a small file system cannot be mounted; the limit on files stands in")
		return
	}
	exec.Command("umount", filepath.Join(first.dir, "out")).Run()
	c.each("full disk", 2, 40, "say so, go on, same bytes", func(f *fault) {
		size := 4 * (1 + f.number)
		if err := mount(f, fmt.Sprintf("size=%dk", size)); err != nil {
			f.Fatal(err)
		}
		defer exec.Command("umount", filepath.Join(f.dir, "out")).Run()
		out, err := f.run()
		f.complains(out, err)
		if err := mount(f, "remount,size=16m"); err != nil {
			f.Fatal(err)
		}
		f.recovers()
	})
}

// limited runs ppdp by a shell that first sets a limit: the experiment, if nothing else is asked.
func (f *fault) limited(limit string, args ...string) {
	if args == nil {
		args = []string{"run", "spec.yaml", "--out", "out"}
	}
	out, err := f.command([]string{"sh", "-c", limit + ` && exec "$0" "$@"`},
		args...).CombinedOutput()
	f.complains(string(out), err)
	f.recovers()
}
