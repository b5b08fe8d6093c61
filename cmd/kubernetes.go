package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"ppdp/experiments/spec"
	"strconv"
	"strings"
)

// kubernetesCommand is "ppdp submit kubernetes".
type kubernetesCommand struct {
	submitFlags
	Image string `help:"The image of the Dockerfile, where the cluster finds it." required:"" placeholder:"IMAGE"`
	Claim string `help:"PersistentVolumeClaim of a volume that all nodes may write to (ReadWriteMany): results go to its folder results, data are looked for in its folder data (default: ${default})." default:"ppdp" placeholder:"NAME"`
	Name  string `help:"Name of the job (default: ${default})." default:"ppdp" placeholder:"NAME"`
}

// Help is the second part of the verb's help text.
func (kubernetesCommand) Help() string {
	return `Prints what kubectl apply takes: an Indexed Job, each index of which runs one shard; a
suspended Job that merges, draws and reports once you let it; a ConfigMap with the specs that are
files of yours, and with what jobs take. Nothing is sent anywhere. A pod that is evicted or killed
goes on from its journal on the shared volume.

Data files that a spec names must be at the same absolute paths in the image or on the volume, which
is at data and results in the image's folder.

Examples:

  ppdp submit kubernetes rps/fig1 --tasks 8 --image registry.example/ppdp > job.yaml

  kubectl apply -f job.yaml && kubectl wait --for=condition=complete --timeout=-1s job/ppdp

  kubectl patch job ppdp-merge --patch '{"spec": {"suspend": false}}'`
}

// Validate is asked by kong, which sees none where two embedded ones have the same name.
func (c *kubernetesCommand) Validate() error {
	errs := []error{c.submitFlags.Validate()}
	for _, word := range []struct{ flag, text string }{
		{"--name", c.Name}, {"--claim", c.Claim}} {
		plain := strings.Trim(word.text, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
		if !plain || word.text == "" || len(word.text) > 50 ||
			strings.HasPrefix(word.text, "-") || strings.HasSuffix(word.text, "-") {
			errs = append(errs, fmt.Errorf("%s: %q, must be at most 50 of a-z, 0-9 and -, with no "+
				"- at its ends", word.flag, word.text))
		}
	}
	return errors.Join(errs...)
}

// Where the pods have things: in the image's folder, which the Dockerfile names.
const (
	podFolder  = "/ppdp"
	podResults = podFolder + "/results"
	podFiles   = podFolder + "/specs"
)

// maxConfig is what Kubernetes takes in a ConfigMap, with room for its names.
const maxConfig = 1<<20 - 1<<14

// Run prints.
func (c kubernetesCommand) Run(con *console) error {
	plans, err := makePlans(c.Specs, c.overrides())
	if err != nil {
		return err
	}
	a, err := c.allow(con, plans)
	if err != nil {
		return err
	}
	files, words, err := c.files()
	if err != nil {
		return err
	}
	run := append([]string{"run"}, words...)
	run = append(run, c.arguments()...)
	run = append(run, "--out", podResults, "--shard", fmt.Sprintf("task/%d", c.Tasks))
	return c.print(con.stdout, a, files, run)
}

// files are those of the ConfigMap, and words the specs as the pods name them.
func (c *kubernetesCommand) files() (files []script, words []string, err error) {
	total := 0
	add := func(name string, text []byte) {
		files = append(files, script{name, text})
		total += len(strconv.Quote(string(text)))
	}
	taken := make(map[string]bool)
	for _, word := range c.Specs {
		if _, err := spec.Embedded(word); err == nil {
			words = append(words, word)
			continue
		}
		text, err := os.ReadFile(word)
		if err != nil {
			return nil, nil, inputError{err}
		}
		name := filepath.Base(word)
		if taken[name] {
			return nil, nil, inputError{fmt.Errorf("%s: another file has that name, and the pods "+
				"have all in one folder", word)}
		}
		taken[name] = true
		add(name, text)
		words = append(words, path.Join(podFiles, name))
	}
	if total > maxConfig {
		return nil, nil, inputError{fmt.Errorf("the specs have %d bytes, and a ConfigMap "+
			"takes %d: build an image that has the specs, or submit fewer", total, maxConfig)}
	}
	return files, words, nil
}

// print writes the objects.
func (c *kubernetesCommand) print(w io.Writer, a allowance, files []script, run []string) error {
	var b strings.Builder
	config := len(files) > 0
	if config {
		fmt.Fprintf(&b, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\ndata:\n", c.Name)
		for _, f := range files {
			fmt.Fprintf(&b, "  %s: %s\n", yamlText(f.name), yamlText(string(f.text)))
		}
		b.WriteString("---\n")
	}
	fmt.Fprintf(&b, `apiVersion: batch/v1
kind: Job
metadata:
  name: %s
spec:
  completionMode: Indexed
  completions: %d
  parallelism: %d
  backoffLimit: %d # for all indices together; a restarted pod goes on from its journal
  template:
    spec:
      restartPolicy: OnFailure
      containers:
`, c.Name, c.Tasks, c.Tasks, max(6, 3*c.Tasks))
	c.container(&b, a, "run", run, config)
	c.volumes(&b, config)
	fmt.Fprintf(&b, `---
apiVersion: batch/v1
kind: Job
metadata:
  name: %s-merge
spec:
  suspend: true # until the first job is complete
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      initContainers:
`, c.Name)
	c.container(&b, a, "merge", []string{"merge", podResults, "--out", podResults}, config)
	b.WriteString("      containers:\n")
	c.container(&b, a, "report", []string{"report", "--out", podResults}, config)
	c.volumes(&b, config)
	_, err := io.WriteString(w, b.String())
	return err
}

func (c *kubernetesCommand) container(b *strings.Builder, a allowance, name string, args []string,
	config bool) {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = yamlText(arg)
	}
	fmt.Fprintf(b, "      - name: %s\n        image: %s\n        args: [%s]\n", name,
		yamlText(c.Image), strings.Join(quoted, ", "))
	if a.megabytes > 0 {
		fmt.Fprintf(b, "        resources:\n          requests: {cpu: %d, memory: %dMi}\n"+
			"          limits: {memory: %dMi}\n", c.Jobs, a.megabytes, a.megabytes)
	} else {
		fmt.Fprintf(b, "        resources:\n          requests: {cpu: %d} # and memory: what a "+
			"task takes is not known\n", c.Jobs)
	}
	b.WriteString("        volumeMounts:\n")
	for _, folder := range []string{"results", "data"} {
		fmt.Fprintf(b, "        - {name: shared, mountPath: %s/%s, subPath: %s}\n",
			podFolder, folder, folder)
	}
	if config {
		fmt.Fprintf(b, "        - {name: specs, mountPath: %s}\n", podFiles)
	}
}

func (c *kubernetesCommand) volumes(b *strings.Builder, config bool) {
	fmt.Fprintf(b, "      volumes:\n      - name: shared\n        persistentVolumeClaim: "+
		"{claimName: %s}\n", c.Claim)
	if config {
		fmt.Fprintf(b, "      - name: specs\n        configMap: {name: %s}\n", c.Name)
	}
}

// yamlText is a text in quotes. JSON's are YAML's, too.
func yamlText(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // texts can always be written
	}
	return string(quoted)
}
