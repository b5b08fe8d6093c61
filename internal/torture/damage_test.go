package torture

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"ppdp/internal/results"
)

// damage tears and flips what a run has left.
func (c *campaign) damage() {
	// A whole run is in the folder; its journal or its files are then damaged.
	whole := func(f *fault) {
		if out, err := f.run(); err != nil {
			f.Fatalf("%v: %s", err, out)
		}
	}
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
	for _, name := range append(slices.Clone(files), results.TimingsFile, results.ManifestFile) {
		c.each("torn or flipped "+name, 1, 1, "every change refused, run again: same bytes",
			func(f *fault) {
				whole(f)
				path := filepath.Join(f.results(), name)
				text := []byte(read(f.T, path))
				step := 1
				if !*full {
					step = 1 + len(text)/20
				}
				refused := func(damaged []byte, what string, at int) {
					if err := os.WriteFile(path, damaged, 0o666); err != nil {
						f.Fatal(err)
					}
					if _, err := results.Open(f.results()); err == nil {
						f.Errorf("%s at byte %d: read as a run", what, at)
					}
				}
				for at := 0; at < len(text); at += step {
					flipped := slices.Clone(text)
					flipped[at] ^= 1 << f.IntN(8)
					refused(flipped, "flipped", at)
					refused(text[:at], "torn", at)
				}
				f.recovers()
			})
	}
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

// limited runs the experiment by a shell that first sets a limit.
func (f *fault) limited(limit string) {
	out, err := f.command([]string{"sh", "-c", limit + ` && exec "$0" "$@"`}, "run", "spec.yaml",
		"--out", "out").CombinedOutput()
	f.complains(string(out), err)
	f.recovers()
}
