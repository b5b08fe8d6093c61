package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ppdp/internal/strictyaml"
)

// TestAction: the action for GitHub pins what it uses by commit, writes no input into a script, has
// the script build this program, and its command does what the page says: a release that misses
// the policy fails, and words with spaces or of a shell stay words.
func TestAction(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	r := strictyaml.NewReader("action.yml")
	root := r.Document(must(os.ReadFile("../action.yml")))
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	text := func(n *strictyaml.Node, keys ...string) string {
		for _, key := range keys {
			n = strictyaml.Find(n, key)
		}
		if n == nil {
			return ""
		}
		return n.Value
	}
	inputs := strictyaml.Find(root, "inputs")
	pinned := regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40}$`)
	var scripts []string
	last := root
	for _, step := range strictyaml.Find(strictyaml.Find(root, "runs"), "steps").Content {
		if uses := text(step, "uses"); uses != "" && !pinned.MatchString(uses) {
			t.Errorf("uses %s, must be a commit", uses)
		} else if uses == "" {
			if script := text(step, "run"); strings.Contains(script, "${{") {
				t.Errorf("an input is part of the script: %s", script)
			}
			scripts, last = append(scripts, text(step, "run")), step
		}
	}
	if len(scripts) != 2 || text(root, "runs", "using") != "composite" {
		t.Fatalf("scripts %q", scripts)
	}
	want := `go build -C "$GITHUB_ACTION_PATH" -trimpath -o "$RUNNER_TEMP/ppdp" ./cmd/ppdp`
	if must(os.Stat("../cmd/ppdp")); scripts[0] != want {
		t.Errorf("builds by %s, want %s", scripts[0], want)
	}
	page := string(must(os.ReadFile("../docs/your-table.md")))
	_, with, _ := strings.Cut(page, "        with:\n")
	with, _, _ = strings.Cut(with, "\n\n")
	shown := regexp.MustCompile(`(?m)^ {14}(\w+):`).FindAllStringSubmatch(with, -1)
	for _, key := range shown {
		if strictyaml.Find(inputs, key[1]) == nil {
			t.Errorf("docs/your-table.md gives %s, which is no input", key[1])
		}
	}
	if len(shown) != 3 {
		t.Errorf("the page shows %d inputs: %s", len(shown), with)
	}
	dir := t.TempDir()
	if err := os.Symlink(must(exec.LookPath("ppdp")), filepath.Join(dir, "ppdp")); err != nil {
		t.Fatal(err)
	}
	script := must(os.ReadFile("testdata/script/gate.txtar"))
	for _, part := range strings.Split("\n"+string(script), "\n-- ")[1:] {
		name, content, _ := strings.Cut(part, " --\n")
		write(t, filepath.Join(dir, strings.Replace(name, "copy", "the $(copy)", 1)), content)
	}
	expression := regexp.MustCompile(`^\$\{\{ inputs\.(\w+) \}\}$`)
	for _, c := range []struct {
		command, arguments string
		code               int
		want               string
	}{
		{"", "my.csv\nfresh.csv\n\n--holdout=later.csv\n--out=fresh", 0, "passed: fresh.csv"},
		{"", "my.csv\nthe $(copy).csv\n--holdout=later.csv", 1, "failed: the $(copy).csv"},
		{"verify", "fresh", 2, "not the folder of a release"},
	} {
		command := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", scripts[1])
		command.Dir = dir
		command.Env = append(os.Environ(), "RUNNER_TEMP="+dir,
			"GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary.md"))
		given := map[string]string{"command": c.command, "arguments": c.arguments}
		if c.command == "" {
			given["policy"] = "mine.yaml"
		}
		env := strictyaml.Find(last, "env")
		for i := 0; i+1 < len(env.Content); i += 2 {
			input := expression.FindStringSubmatch(env.Content[i+1].Value)
			if input == nil || strictyaml.Find(inputs, input[1]) == nil {
				t.Fatalf("%s is no input", env.Content[i+1].Value)
			}
			value := given[input[1]]
			if value == "" {
				value = text(inputs, input[1], "default")
			}
			command.Env = append(command.Env, env.Content[i].Value+"="+value)
		}
		out, _ := command.CombinedOutput()
		if code := command.ProcessState.ExitCode(); code != c.code ||
			!strings.Contains(string(out), c.want) {
			t.Errorf("%q: exit code %d, want %d and %q:\n%s", c.arguments, code, c.code,
				c.want, out)
		}
	}
	checks := string(must(os.ReadFile(filepath.Join(dir, "ppdp.xml"))))
	summary := string(must(os.ReadFile(filepath.Join(dir, "summary.md"))))
	if !strings.Contains(checks, `failures="2"`) ||
		strings.Count(summary, "### ppdp evaluate") != 2 {
		t.Errorf("%s\n%s", checks, summary)
	}
}
