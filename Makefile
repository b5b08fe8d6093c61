# Everything needs Go and make only; modules download by themselves.
#
#   make reproduce         every figure, verdict and report, into results/
#   make reproduce-quick   the same with few trials and settings
#   make settle            as many trials as the claims take, compared with the verdicts that come with ppdp; hours
#   make settled           those verdicts computed again from the values of its trials
#   make leaderboard       all private baselines on nine tables, into docs/generated; an hour or more
#   make regress           the same on stand-in data, compared with report/reference/quick
#   make regress-full      what make reproduce left, compared with report/reference/full
#   make test              formatting, vet, staticcheck, the tests, and one paper end to end, quickly
#   make nightly           test-long, test-race, test-newcomer and test-slurm
#   make test-newcomer     the pages' examples in a copy of the tree, and all tests there
#   make race              under the race detector what starts goroutines
#   make test-race         the same, and plug-ins that work side by side
#   make test-long         the tests that take longest: every variant audited, arm64's instructions
#   make test-slurm        an experiment on a real Slurm of one node, with tasks killed, requeued and cancelled
#   make test-processors   quick experiments as other processors compute them: the same files
#   make test-elementary   errors of the elementary functions at a million arguments each
#   make calibrate         1,200 black-box audits of sound mechanisms: few may accuse
#   make torture           faults against the whole command: kills, full disks, hostile baselines; minutes
#   make faults            faults planted in real baselines, and what sees them
#   make audits            every variant audited anew, for ppdp list algorithms and docs/generated/algorithms.md
#   make bench             the benchmarks, one for each hot kernel
#   make lint              formatting, vet and staticcheck alone
#   make artifact          the program, its source, results and ARTIFACT.md, in dist/
#   make dist              the program for Linux, macOS and Windows, as archives, wheels and an image, in packages/
#   make build             the ppdp command, in bin/, and beside it the specs' JSON Schema for editors

GO ?= go
SHELL := /bin/sh

# One instruction set for every amd64 machine: newer levels let the compiler fuse products into
# sums, which changes last bits.
export GOAMD64 := v1

# Tests of real data look here; without it they say that they skip. Set it to your own copy.
PPDP_DATA ?= $(firstword $(wildcard $(CURDIR)/data $(abspath $(CURDIR)/..)/shared/data))
export PPDP_DATA

# The race detector needs cgo and a C compiler.
RACE := $(shell command -v "$$($(GO) env CC | cut -d' ' -f1)" >/dev/null 2>&1 && [ "$$($(GO) env CGO_ENABLED)" = 1 ] && echo -race)

# Workers and arguments of a reproduction: make reproduce ARGS="rps -j 4 --out DIR".
ARGS ?= all

.PHONY: reproduce reproduce-quick test lint bench build artifact clean

reproduce: build
	bin/ppdp reproduce $(ARGS)

reproduce-quick: build
	bin/ppdp reproduce --quick $(ARGS)

# Verdicts on as many trials as it takes. An interrupted run goes on where it stopped.
.PHONY: settle
settle: build
	bin/ppdp settle --out $(RESULTS) $(if $(SETTLE_SEED),--seed $(SETTLE_SEED))

# Settled verdicts again, from the trials' values that come with the source; runs nothing.
.PHONY: settled
settled: build
	bin/ppdp claims --settled $(RESULTS)/settled/values

# What make reproduce leaves out: the comparison behind docs/generated/leaderboard.md.
.PHONY: leaderboard
leaderboard: build
	bin/ppdp reproduce leaderboard
	bin/ppdp leaderboard --write docs/generated/leaderboard.md --html results/leaderboard.html

# A busy machine takes longer than go test allows by itself. The last lines say what was skipped.
# All that is built here and by the tests has the settings of the program and of copies of the tree,
# so that a package is compiled once; lint has vetted it. Tests built with -trimpath do not know by
# themselves where the standard library is.
test: export CGO_ENABLED = 0
test: export GOFLAGS ?= -trimpath
test: export GOROOT ?= $(shell $(GO) env GOROOT)
# Tests make tables and drop them; collecting their garbage less often saves a fifth of the time.
test race test-race: export GOGC ?= 400
test: lint
	@{ $(GO) test -v -vet=off -timeout 1h ./... 2>&1 || echo go test failed; } | awk -f .ci/short.awk
	@$(MAKE) --no-print-directory end-to-end

# What is long and seldom changes its answer: once a night, or after a change to what it tests.
.PHONY: nightly
nightly: test-long test-race test-newcomer test-slurm

# The packages that start goroutines, every time; at night also the plug-ins that these run side by
# side. The detector slows everything else down and finds nothing there, nor in tests of one goroutine
# and in real tables, whose readers made-up ones exercise. A package that starts a goroutine belongs here.
RACED = PPDP_DATA= $(GO) test -vet=off -timeout 1h -race
RACES = race-commands race-kernels race-tables race-programs race-audits
PLUGINS = race-plug-ins race-baselines
.PHONY: race test-race $(RACES) $(PLUGINS)
race test-race:
ifeq ($(RACE),)
	@echo "$@: SKIPPED: the race detector needs cgo and a C compiler"
else
	@$(MAKE) --no-print-directory -j2 -O -k $(RACES) $(if $(filter test-race,$@),$(PLUGINS))
endif
race-commands:
	$(RACED) -run 'TestScripts/(merge|run)$$|TestProgress|TestReading' ./cmd
race-kernels:
	$(RACED) -skip 'TestWhatReleasesHold|TestManifestNamesEachWay|TestFiles|TestCopiedTogether' \
		./algorithms/kernel/partition ./datasets ./experiments/engine ./numeric/random ./plots
	$(RACED) -run TestProcessors ./algorithms/mondrian
race-tables:
	$(RACED) -run 'TestBlocks|TestRead|TestWrite|TestParquetAsCSV|TestPersonsInBlocks|TestProgress' ./datasets/csv
race-programs:
	$(RACED) -run 'TestMoods|TestCallers|TestMute' ./algorithms/external
race-audits:
	$(RACED) -run 'TestReplayIsReproducible|TestFindingsDoNotDependOnWorkers' ./audit ./audit/blackbox
race-plug-ins:
	$(RACED) -run 'TestConformance|TestMemoize|TestAccountLocked|TestSameBytes' \
		-skip 'TestConformance/(UNC28|Georgetown15|diabetes|adult-(clusters|enlarged))|TestConformance/.*/allocations' \
		./classifiers/all ./datasets/all ./metrics ./publish ./report
race-baselines:
	$(RACED) -run 'TestConformance/./././parallel|TestFindsDependence' ./algorithms/all ./algorithms/aim

# What is long and rarely changes its answer: it skips in the other targets.
.PHONY: test-long
test-long:
	PPDP_LONG=1 $(GO) test -timeout 1h -run 'TestAuditsTable|TestRebuilt|TestScripts/reproduce|TestNothingIsFused|TestKilled|TestCoverageOnData|TestWideColumn|TestPairs|Apply$$' \
		./cmd ./internal/lint ./publish ./algorithms/all

# One paper from its specifications to the figures on disk, through the built command.
.PHONY: end-to-end
end-to-end: build
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	bin/ppdp reproduce rps --quick --out "$$dir" && bin/ppdp plot rps/fig1 --out "$$dir" >/dev/null && \
	for file in records.jsonl summary.csv ledger.csv manifest.json a.svg a.png a.pdf; do \
		test -s "$$dir/rps/fig1/$$file" || { echo "end to end: no $$file"; exit 1; }; \
	done && echo "end to end: ok"

# What somebody new to the tree would do, in copies of it: the examples of CONTRIBUTING.md and of
# docs/extend.md are added and the whole suite is run. go test ./... has a fast relative.
.PHONY: test-newcomer
test-newcomer:
	PPDP_NEWCOMER=1 $(GO) test -timeout 90m -run TestExamples ./internal/lint

# Quick experiments on stand-ins, in a fresh folder: the same numbers anywhere.
# With REASON set they become the reference:
#   make regress REASON="rps, revision 3: points are cut at midpoints"
.PHONY: regress
regress: build
	bin/ppdp regress all $(if $(REASON),--accept --reason "$(REASON)")

# Results of the full experiments on real data, as make reproduce leaves them; RESULTS and REASON as elsewhere here.
.PHONY: regress-full
regress-full: build
	bin/ppdp regress --all --out $(RESULTS) --reference report/reference/full $(if $(REASON),--accept --reason "$(REASON)")

# Faults against the whole command, with a table at the end, and every fuzz target for FUZZTIME. What is
# tried follows from SEED, and each failure names the command that repeats it.
SEED ?= 1
FUZZTIME ?= 10s
.PHONY: torture
torture:
	$(GO) test -c -o bin/torture.test ./internal/torture
	cd internal/torture && ../../bin/torture.test -test.run TestTorture -test.timeout 2h -full -seed $(SEED)
	grep -rl '^func Fuzz' --include=*_test.go . | while read -r file; do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z]*\)(.*/\1/p' "$$file"); do \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "$$(dirname "$$file")" || exit 1; \
		done; \
	done

# Faults planted in real baselines: which of replay, black box and their own tests see them? A
# program and its tests are built for each; six minutes. With FAULTS=-update what is found becomes
# the table in docs/generated/faults.md.
.PHONY: faults
faults:
	PPDP_FAULTS=1 $(GO) test -timeout 3h -run TestFaults$$ -v ./cmd $(FAULTS)

# Audits of sound mechanisms, and of one that breaks its claim by as much as an audit says it sees; a minute.
.PHONY: calibrate
calibrate:
	PPDP_CALIBRATE=1 $(GO) test -run 'TestSoundMechanisms|TestUnsoundMechanisms' -v ./audit/blackbox

# Replays and black boxes of every variant, into docs/generated/audits.jsonl, and a row for each in
# docs/generated/algorithms.md; some minutes.
.PHONY: audits
audits:
	$(GO) test ./cmd -run 'TestAuditsTable|TestAlgorithmsPage' -timeout 3h -update

# The packages are Debian's; elsewhere, and for other users than root, it says that it skips.
.PHONY: test-slurm
test-slurm:
	@missing=; for program in munged slurmctld slurmd sbatch; do command -v $$program >/dev/null || missing="$$missing $$program"; done; \
	if [ "$$(id -u)" != 0 ]; then echo "test-slurm: SKIPPED: Slurm's daemons are started by root only"; exit; fi; \
	if [ -n "$$missing" ] && ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends slurm-wlm munge; } >/dev/null 2>&1; then \
		echo "test-slurm: SKIPPED: no$$missing here, and none could be installed"; exit; \
	fi; \
	.ci/slurm.sh

# The error of every elementary function at a million arguments, against 160-bit arithmetic; minutes.
.PHONY: test-elementary
test-elementary:
	$(GO) test -run TestErrors -v -arguments 1000000 ./numeric/elementary

# Quick experiments with other instructions, and emulated for arm64: the same files, byte for byte. Half an
# hour of processor time, most of it for arm64; PAPER=rps is shorter. Emulation needs Debian's qemu-user,
# without which it is skipped with a message.
PAPER ?= all

.PHONY: test-processors
test-processors:
	.ci/processors.sh $(PAPER)

lint:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt -w is needed on:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool -modfile=.ci/tools/go.mod staticcheck ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# Manifests name the commit that the program was built from, whatever GOFLAGS is; without git, none.
build:
	CGO_ENABLED=0 $(GO) build $(shell git rev-parse -q --verify HEAD >/dev/null 2>&1 && echo -buildvcs=true || echo -buildvcs=false) -o bin/ppdp ./cmd/ppdp
	@bin/ppdp schema baseline >bin/baseline.schema.json && bin/ppdp schema >bin/spec.schema.json || echo "no bin/spec.schema.json: the program is for another machine"

# Results of another folder: make artifact RESULTS=DIR. Outside a git checkout all source files are packed.
RESULTS ?= results

artifact: build
	rm -rf dist && mkdir dist
	cp bin/ppdp LICENSE CITATION.cff .zenodo.json dist/
	@if git rev-parse --verify -q HEAD >/dev/null 2>&1; then \
		git archive --format=tar.gz --prefix=ppdp/ -o dist/source.tar.gz HEAD; \
	else \
		tar $(addprefix --exclude=./,dist bin data results) -czf dist/source.tar.gz .; \
	fi
	if [ -d report/reference/settled ]; then cp -R report/reference/settled dist/settled; fi
	bin/ppdp artifact --out $(RESULTS) --to dist

# Archives, Python wheels, lists of modules, an OCI image, checksums. The same commit gives the same bytes.
.PHONY: dist
dist:
	$(GO) run ./internal/dist -out packages

clean:
	rm -rf bin dist packages
