package cmd

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"ppdp/experiments/language"
	"ppdp/internal/terminal"
)

type kubernetesCommand struct {
	submitFlags
	Image string `help:"The image of the Dockerfile, where the cluster finds it." required:"" placeholder:"IMAGE"`
	Claim string `help:"PersistentVolumeClaim of a volume that all nodes may write to (ReadWriteMany): results go to its folder results, data are looked for in its folder data (default: ${default})." default:"ppdp" placeholder:"NAME"`
	Name  string `help:"Name of the job (default: ${default})." default:"ppdp" placeholder:"NAME"`
}

func (kubernetesCommand) Help() string {
	return `Prints what kubectl apply takes: an Indexed Job, each index of which runs one shard; a
suspended Job that merges, draws and reports once you let it; a ConfigMap with the specs that are
files of yours. Nothing is sent anywhere. A pod that is evicted or killed
goes on from its journal on the shared volume.

Data files that a spec names must be at the same absolute paths in the image or on the volume, which
is at data and results in the image's folder.

Examples:

  ppdp submit kubernetes rps/fig1 --tasks 8 --image registry.example/ppdp > job.yaml

  kubectl apply -f job.yaml && kubectl wait --for=condition=complete --timeout=-1s job/ppdp

  kubectl patch job ppdp-merge --patch '{"spec": {"suspend": false}}'`
}

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

// Folders of the image, which the Dockerfile and the template name, too.
const (
	podResults = "/ppdp/results"
	podFiles   = "/ppdp/specs"
)

// maxConfig is what Kubernetes takes in a ConfigMap, with room for its names.
const maxConfig = 1<<20 - 1<<14

// kubernetesTemplate is what is printed. JSON's quoted texts are YAML's, too.
//
//go:embed kubernetes.yaml.tmpl
var kubernetesTemplate string

// pods is what the template prints.
type pods struct {
	*kubernetesCommand
	Files              []script // of the ConfigMap
	Megabytes          int64    // 0 for any
	Retries            int
	Run, Merge, Report []string // arguments of ppdp
}

// container is a container of a pod.
type container struct {
	Name string
	Args []string
	Pod  pods
}

func (c kubernetesCommand) Run(con *console) error {
	if _, err := makePlans(c.Specs, c.overrides()); err != nil {
		return err
	}
	files, words, err := c.files()
	if err != nil {
		return err
	}
	p := pods{kubernetesCommand: &c, Files: files, Retries: max(6, 3*c.Tasks),
		Merge:  []string{"merge", podResults, "--out", podResults},
		Report: []string{"report", "--out", podResults}}
	p.Megabytes, _ = c.megabytes() // checked
	p.Run = append(append([]string{"run"}, words...), c.arguments()...)
	p.Run = append(p.Run, "--out", podResults, "--shard", fmt.Sprintf("task/%d", c.Tasks))
	functions := template.FuncMap{"quote": quotedJSON,
		"container": func(name string, args []string, p pods) container {
			return container{name, args, p}
		}}
	objects := template.Must(template.New("").Funcs(functions).Parse(kubernetesTemplate))
	return objects.Execute(con.stdout, p)
}

// files are those of the ConfigMap, and words the specs as the pods name them.
func (c *kubernetesCommand) files() (files []script, words []string, err error) {
	total := 0
	add := func(name string, text []byte) {
		files = append(files, script{name, string(text)})
		total += len(strconv.Quote(string(text)))
	}
	taken := make(map[string]bool)
	for _, word := range c.Specs {
		if _, err := language.Embedded(word); err == nil {
			words = append(words, word)
			continue
		}
		text, err := os.ReadFile(word)
		if err != nil {
			return nil, nil, terminal.InputError(err)
		}
		name := filepath.Base(word)
		if taken[name] {
			return nil, nil,
				terminal.InputError(fmt.Errorf("%s: another file has that name, and the pods "+
					"have all in one folder", word))
		}
		taken[name] = true
		add(name, text)
		words = append(words, path.Join(podFiles, name))
	}
	if total > maxConfig {
		return nil, nil, terminal.InputError(fmt.Errorf("the specs have %d bytes, and a ConfigMap "+
			"takes %d: build an image that has the specs, or submit fewer", total, maxConfig))
	}
	return files, words, nil
}

// quotedJSON is a text in the quotes of JSON.
func quotedJSON(text string) (string, error) {
	quoted, err := json.Marshal(text)
	return string(quoted), err
}
