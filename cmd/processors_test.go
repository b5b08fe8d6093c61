package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ppdp/internal/results"

	"github.com/google/go-cmp/cmp"
)

// processors are machines that must give the same results. For each the program is built with some
// variables and started with others, under an emulator where the machine is another.
var processors = []struct {
	name         string
	build, start []string
	emulator     string // of Debian's package qemu-user
}{
	{"amd64", []string{"GOARCH=amd64", "GOAMD64=v1"}, nil, "qemu-x86_64"},
	{"amd64 without FMA", []string{"GOARCH=amd64", "GOAMD64=v1"}, []string{"GODEBUG=cpu.fma=off"},
		"qemu-x86_64"},
	{"amd64 v3", []string{"GOARCH=amd64", "GOAMD64=v3"}, nil, "qemu-x86_64"},
	{"arm64", []string{"GOARCH=arm64"}, nil, "qemu-aarch64"},
}

// TestProcessors runs the quick experiments of PPDP_PROCESSORS, a paper or all, once for each
// processor, on stand-ins, and compares the digests of all files of results.
func TestProcessors(t *testing.T) {
	papers := os.Getenv("PPDP_PROCESSORS")
	if papers == "" {
		t.Skip("PPDP_PROCESSORS is not set (make test-processors sets it)")
	}
	root := t.TempDir()
	do := func(t *testing.T, dir string, environment []string, command ...string) {
		t.Helper()
		c := exec.Command(command[0], command[1:]...)
		c.Dir, c.Env = dir, append(os.Environ(), environment...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", command, err, out)
		}
	}
	var want map[string]map[string]string
	for _, p := range processors {
		t.Run(p.name, func(t *testing.T) {
			dir := filepath.Join(root, p.name)
			noError(t, os.Mkdir(dir, 0o777))
			program := filepath.Join(dir, "ppdp")
			do(t, ".", append(p.build, "CGO_ENABLED=0"), "go", "build", "-o", program, "./ppdp")
			var command []string
			if exec.Command(program, "--help").Run() != nil {
				if _, err := exec.LookPath(p.emulator); err != nil {
					t.Skipf("this machine is another, and there is no %s (Debian: qemu-user)",
						p.emulator)
				}
				command = []string{p.emulator}
			}
			command = append(command, program, "reproduce", papers, "--quick", "--out", "results")
			do(t, dir, append(p.start, "HOME="+dir, "XDG_CACHE_HOME="+dir, "PPDP_DATA=",
				"PPDP_OFFLINE=1"), command...)
			got := digests(t, filepath.Join(dir, "results"))
			if want == nil {
				want = got
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("files differ:\n%s", d)
			}
		})
	}
}

// digests are those in the manifests of all runs below a folder, by run and file.
func digests(t *testing.T, dir string) map[string]map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*", results.ManifestFile))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no runs below %s: %v", dir, err)
	}
	all := make(map[string]map[string]string)
	for _, path := range paths {
		run := must(results.Open(filepath.Dir(path)))
		name := must(filepath.Rel(dir, filepath.Dir(path)))
		all[name] = run.Manifest.Files
	}
	return all
}
