// Command ppdp is the benchmark harness; see package ppdp/cmd.
package main

import "ppdp/cmd"

func main() { cmd.Main() }
