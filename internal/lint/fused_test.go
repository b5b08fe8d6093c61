package lint

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// fused is an instruction that rounds once where the source multiplies and adds, in the compiler's
// listing for arm64, with its place.
var fused = regexp.MustCompile(`\((\S+\.go:\d+)\)\tFN?M(?:ADD|SUB)[DS]\t`)

// TestNothingIsFused compiles the module for a processor on which the compiler fuses x*y+z, also
// across assignments and calls: float64(x*y)+z prevents it.
func TestNothingIsFused(t *testing.T) {
	if os.Getenv("PPDP_LONG") == "" {
		t.Skip("PPDP_LONG is not set: make test-long compiles the module for arm64")
	}
	_, packages := load(t)
	arguments := []string{"build", "-gcflags=-S"}
	for _, p := range packages {
		if !within(p.Room(), drawing) && len(p.Files) > 0 {
			arguments = append(arguments, p.Path)
		}
	}
	for _, place := range fusedIn(t, filepath.Join("..", ".."), arguments...) {
		t.Errorf("%s: a product is added without being rounded: use float64(x*y)", place)
	}
}

// fusedIn runs the go command for arm64 and returns the places of fused instructions.
func fusedIn(t *testing.T, dir string, arguments ...string) (places []string) {
	t.Helper()
	command := exec.Command("go", arguments...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	listing := must(command.StderrPipe())
	noError(t, command.Start())
	functions, last := 0, ""
	lines := bufio.NewScanner(listing)
	lines.Buffer(nil, 1<<26) // strings of the program are lines too
	for lines.Scan() {
		line := lines.Text()
		if strings.Contains(line, " STEXT ") {
			functions++
		} else if found := fused.FindStringSubmatch(line); found != nil {
			places = append(places, found[1])
		} else if !strings.HasPrefix(line, "\t") {
			last = line
		}
	}
	if err := errors.Join(lines.Err(), command.Wait()); err != nil {
		t.Fatalf("go %s: %v\n%s", arguments[0], err, last)
	}
	if functions == 0 {
		t.Fatal("the compiler listed no function")
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// TestFusedIsFound: the compiler's listing still is what the test above reads.
func TestFusedIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: nothing is compiled for arm64")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module fuses\n", "fuses.go": `package fuses

func Direct(x, y, z float64) float64 { return x*y + z }

func Rounded(x, y, z float64) float64 { return float64(x*y) + z }

func product(x, y float64) float64 { return x * y }

func Inlined(x, y, z float64) float64 { return z - product(x, y) }
`} {
		noError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	var lines []string
	for _, place := range fusedIn(t, dir, "build", "-gcflags=-S", ".") {
		lines = append(lines, place[strings.LastIndex(place, ":")+1:])
	}
	if got := strings.Join(lines, " "); got != "3 9" {
		t.Errorf("fused in lines %q, want 3 9", got)
	}
}
