package torture

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// environments runs the experiment as it is in surroundings that must make no difference.
func (c *campaign) environments() {
	settings := [][]string{
		{"GOMAXPROCS=1", "GOMAXPROCS=2", "GOMAXPROCS=7"},
		{"LC_ALL=C", "LC_ALL=de_DE.UTF-8", "LC_ALL=tr_TR.UTF-8", "LC_ALL=fa_IR.UTF-8"},
		{"TZ=UTC", "TZ=Asia/Kathmandu", "TZ=Pacific/Chatham", "TZ=nonsense"},
		{"GOGC=100", "GOGC=5", "GOGC=off", "GOMEMLIMIT=16MiB"},
		{"TERM=dumb", "HOME=/nonexistent", "TMPDIR=/nonexistent", "COLUMNS=1"},
	}
	c.each("environment", 2, 60, "same bytes", func(f *fault) {
		command := f.command(nil, "run", "spec.yaml", "--out", "out", "-j", fmt.Sprint(1+f.IntN(8)))
		for _, group := range settings {
			command.Env = append(command.Env, group[f.IntN(len(group))])
		}
		if out, err := command.CombinedOutput(); err != nil {
			f.Fatalf("%v: %v: %s", command.Env[len(command.Env)-len(settings):], err, out)
		}
		f.same()
	})
	c.each("program without a temporary folder", 1, 1, "say so, no stack", func(f *fault) {
		write(f.T, filepath.Join(f.dir, "a.baseline.yaml"), noProgram)
		write(f.T, filepath.Join(f.dir, "spec.yaml"), strings.Replace(spec, "algorithms:\n",
			"algorithms:\n  - {from: a.baseline.yaml}\n", 1))
		command := f.command(nil, "run", "spec.yaml", "--out", "out")
		command.Env = append(command.Env, "TMPDIR=/nonexistent")
		out, err := command.CombinedOutput()
		f.complains(string(out), err)
		if err == nil || !strings.Contains(string(out), "temporary folder (TMPDIR): ") {
			f.Errorf("%v: %s", err, out)
		}
	})
	c.each("two runs at once", 1, 20, "one is refused or waits, same bytes", func(f *fault) {
		one := f.command(nil, "run", "spec.yaml", "--out", "out")
		if err := one.Start(); err != nil {
			f.Fatal(err)
		}
		out, err := f.run()
		f.complains(out, err)
		if err := one.Wait(); err != nil {
			f.Log(err) // it was the one that was refused
		}
		f.recovers()
	})
}

// noProgram is a descriptor of a program that only has to be there.
const noProgram = `name: no-program
title: None
source: test
input: table
produces: records
command: [cat]
files: a.baseline.yaml
variants:
  - {variant: published, model: differential privacy, unit: record, relation: none, note: None.}
`

var fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// fuzz runs every fuzz target of the module.
func (c *campaign) fuzz() {
	if !*full || *fuzzTime <= 0 {
		return
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		c.Fatal(err)
	}
	var targets [][2]string
	for depth := range 4 {
		pattern := root
		for range depth {
			pattern = filepath.Join(pattern, "*")
		}
		paths, err := filepath.Glob(filepath.Join(pattern, "*_test.go"))
		if err != nil {
			c.Fatal(err)
		}
		for _, path := range paths {
			text := read(c.T, path)
			for _, match := range fuzzTarget.FindAllStringSubmatch(text, -1) {
				targets = append(targets, [2]string{filepath.Dir(path), match[1]})
			}
		}
	}
	if len(targets) < 10 {
		c.Errorf("only %d fuzz targets found", len(targets))
	}
	c.each("fuzz", 0, len(targets), fmt.Sprintf("no failure in %v each", *fuzzTime),
		func(f *fault) {
			target := targets[f.number]
			command := exec.Command("go", "test", "-run", "^$", "-fuzz", "^"+target[1]+"$",
				"-fuzztime", fuzzTime.String())
			command.Dir = target[0]
			command.Env = append(os.Environ(), "GOFLAGS=")
			if out, err := command.CombinedOutput(); err != nil {
				f.Errorf("%s in %s: %v\n%s", target[1], target[0], err, out)
			}
		})
}
