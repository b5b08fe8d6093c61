package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"ppdp/datasets"
	"ppdp/internal/terminal"
)

type datasetsCommand struct {
	List   datasetsListCommand   `cmd:"" help:"List the datasets that specs can name."`
	Fetch  datasetsFetchCommand  `cmd:"" help:"Download missing data files from their public homes and check them."`
	Verify datasetsVerifyCommand `cmd:"" help:"Check data files against their pinned checksums."`
	Schema datasetsSchemaCommand `cmd:"" help:"Draft a schema file for your own table."`

	Hierarchies datasetsHierarchiesCommand `cmd:"" help:"Write a schema's taxonomies for review, in the form of ARX."`
}

type datasetsListCommand struct {
	JSON bool `name:"json" help:"Write JSON instead of a table."`
}

func (c datasetsListCommand) Run(con *console) error {
	return listCommand{What: "datasets", JSON: c.JSON}.Run(con)
}

type datasetsFetchCommand struct {
	dataFlags
	Names []string `arg:"" optional:"" name:"dataset" help:"Datasets to fetch; default: all that have files."`
}

func (datasetsFetchCommand) Help() string {
	return `Files found on the search path with the right checksum are left alone. A download is
checked before it gets its name. PPDP_OFFLINE=1 switches downloads off.

Examples:

  ppdp datasets fetch

  ppdp datasets fetch adult --data ./data`
}

func (c datasetsFetchCommand) Run(con *console) error {
	files := c.files()
	wanted, err := filesOf(files, c.Names)
	if err != nil {
		return err
	}
	fetcher := datasets.DefaultFetcher(files)
	var bar *progress
	fetcher.Progress = func(p datasets.Progress) {
		if bar == nil {
			bar = newProgress(con, p.File, "bytes", p.Total)
		}
		bar.set(p.Done)
	}
	var errs []error
	for _, status := range wanted {
		if status.State == datasets.FileOK {
			fmt.Fprintf(con.stdout, "ok       %s\n", status.Path)
			continue
		}
		bar = nil
		path, err := fetcher.Fetch(con.ctx, status.File)
		if bar != nil {
			bar.finish()
		}
		if err == nil {
			fmt.Fprintf(con.stdout, "fetched  %s\n", path)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

type datasetsVerifyCommand struct {
	dataFlags
	Names []string `arg:"" optional:"" name:"dataset" help:"Datasets to verify; default: all that have files."`
}

func (datasetsVerifyCommand) Help() string {
	return `Reports every file as ok, missing or altered. The exit code is 1 unless all are ok.

Examples:

  ppdp datasets verify

  ppdp datasets verify adult --data ./data`
}

func (c datasetsVerifyCommand) Run(con *console) error {
	statuses, err := filesOf(c.files(), c.Names)
	if err != nil {
		return err
	}
	var errs []error
	table := terminal.NewTable(con.stdout, "FILE", "STATE", "FOUND AT")
	for _, status := range statuses {
		table.Row(status.File.Path, string(status.State), cmp.Or(status.Path, "-"))
		errs = append(errs, status.Err)
	}
	return errors.Join(append(errs, table.Flush())...)
}

// filesOf checks the files of the named datasets, or of all.
func filesOf(files datasets.Files, names []string) ([]datasets.FileStatus, error) {
	statuses := datasets.Verify(files)
	if len(names) == 0 {
		return statuses, nil
	}
	wanted := make(map[string]bool)
	var errs []error
	for _, name := range names {
		source, err := datasets.Lookup(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, file := range source.Info().Files {
			wanted[file.Path] = true
		}
	}
	return slices.DeleteFunc(statuses, func(s datasets.FileStatus) bool {
		return !wanted[s.File.Path]
	}), terminal.InputError(errs...)
}
