#!/usr/bin/env bash
# An experiment is submitted to a real Slurm of one node, in folders of its own, as four tasks. One is killed and requeued,
# another cancelled and submitted again. The merged files are those of one machine. "make test-slurm" installs what it needs.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$(mktemp -d /tmp/ppdp-slurm.XXXXXX) # a short path, for the socket
ended() {
	status=$?
	[ $status = 0 ] || { scancel -f -u "$(id -un)" && sleep 3; } || true
	kill $(jobs -p) 2>/dev/null || true
	wait
	[ $status = 0 ] || tail "$dir"/*.log
	rm -rf "$dir"
}
trap ended EXIT
fail() { echo "test-slurm: $*" >&2; exit 1; }
# A busy machine takes as long as it takes. The last line printed says what never came.
await() {
	echo "waiting for $1"
	until eval "$2"; do sleep 0.05; done
}

mkdir -p "$dir"/munge "$dir"/state "$dir"/spool "$dir"/work "$dir"/single
chmod 755 "$dir" # munged checks it
go build -o "$dir/ppdp" ./cmd/ppdp
host=$(hostname -s)
cat >"$dir/slurm.conf" <<END
ClusterName=ppdp
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldPort=$((20000 + RANDOM % 10000))
SlurmdPort=$((30000 + RANDOM % 10000))
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
KillWait=2
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES State=UP
END
# Jobs are long enough for a task to be caught in the middle.
cat >"$dir/work/grid.yaml" <<END
name: mine/grid
seed: 7
trials: 6
dataset: {name: gaussian, shape: clusters-5d, n: 20000}
epsilon: [0.1, 0.2, 0.5, 1, 2]
algorithms:
  - {name: rps, params: {depth: [4, 6]}}
measure:
  - {metric: [w1, w2]}
  - {metric: accuracy, classifier: [naive-bayes, c45]}
plots:
  - {name: a, x: epsilon, y: accuracy, where: {classifier: c45}}
END
cp "$dir/work/grid.yaml" "$dir/single"
export SLURM_CONF=$dir/slurm.conf PPDP_OFFLINE=1
printf 'secret%.0s' {1..20} >"$dir/munge/key"
chmod 600 "$dir/munge/key"
munged -F --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munge/pid" \
	--log-file="$dir/munge.log" --seed-file="$dir/munge/seed" >/dev/null 2>&1 &
await munged "[ -S $dir/munge/socket ]"
slurmctld -D >"$dir/slurmctld.log" 2>&1 &
slurmd -D >"$dir/slurmd.log" 2>&1 &
await "an idle node" '[ "$(sinfo -h -o %t 2>/dev/null)" = idle ]'

cd "$dir/work"
submit() { "$dir/ppdp" submit slurm grid.yaml --tasks 4; }
finished() { grep -c '"status"' "results/shard-$1-of-4/mine/grid/journal.jsonl" 2>/dev/null || true; }
fact() { scontrol -o show job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p"; }
merged() { grep -q "$1" results/submit/merge.log 2>/dev/null; }
said=$(submit)
job=${said#job }
job=${job%%:*}
await "the second task to begin" '[ "$(finished 2)" -ge 2 ]'
# As the kernel does when memory runs out.
kill -KILL "$(scontrol listpids "$(fact "${job}_2" JobId)" | awk 'NR == 2 { print $1 }')"
await "the killed task to end" '[ "$(fact "${job}_2" JobState)" != RUNNING ]'
[ "$(finished 2)" -lt 15 ] || fail "the task was not killed in the middle"
await "the third task to begin" '[ "$(finished 3)" -ge 2 ]'
scancel "${job}_3"
scontrol requeue "${job}_2"
# Not in two minutes, as Slurm would, but later than its credential was revoked.
scontrol update "JobId=${job}_2" StartTime=now+5
await "the requeued task to end" '[ "$(fact "${job}_2" JobState)" = COMPLETED ]'
await "a merge that misses the cancelled task" 'merged "jobs of shard 3/4: ppdp run grid.yaml"'
status=$("$dir/ppdp" status)
[[ $status == *"3/4    stopped"* && $(grep -c " done " <<<"$status") = 3 ]] || fail "status: $status"
submit
await "the merge" 'merged report.html'

cd "$dir/single"
"$dir/ppdp" run grid.yaml -j 1 --out results
"$dir/ppdp" report --out results
for file in mine/grid/{records.jsonl,summary.csv,ledger.csv,manifest.json,a.svg,a.png,a.pdf} report.html; do
	cmp "$dir/work/results/$file" "results/$file" || fail "$file differs from that of one machine"
done
