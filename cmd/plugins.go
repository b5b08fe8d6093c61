package cmd

// What specs can name: each package below enters all its neighbours into a registry.
import (
	_ "ppdp/algorithms/all"
	_ "ppdp/classifiers/all"
	_ "ppdp/datasets/all"
)
