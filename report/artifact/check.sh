#!/bin/sh
# Runs the experiments of results/ again, into mine/, and compares their records byte by byte.
#
#   ./check.sh [PAPER | EXPERIMENT ...]     all where none is named
#   ./check.sh claims                       the settled verdicts, from the values in settled/; runs nothing
#
# The last line is PASS or DIFFERS, and the exit code 0 or 1. Experiments whose data are not here are left out and named.
# Interrupted, it goes on where it stopped.
cd "$(dirname "$0")" || exit 2
ppdp=${PPDP:-./ppdp}

if [ "$*" = claims ]; then
	if "$ppdp" claims --settled settled; then echo PASS && exit; fi
	echo "DIFFERS: the settled verdicts" && exit 1
fi
same=0 chosen=0 differ= lacking=
if [ -f SHA256SUMS ] && ! sha256sum --check --quiet SHA256SUMS; then
	differ=" the files of this folder;"
fi
for records in results/*/*/records.jsonl; do
	name=${records#results/}
	name=${name%/records.jsonl}
	for wanted in "${@:-all}"; do
		case $wanted in all | "$name" | "${name%/*}") ;; *) continue ;; esac
		chosen=$((chosen + 1))
		quick=
		if grep -q '"quick": true' "results/$name/manifest.json"; then quick=--quick; fi
		echo "$name ..."
		if ! message=$("$ppdp" run "$name" $quick --out mine 2>&1); then
			case $message in
			*"data file is missing"*) lacking="$lacking $name" ;;
			*) echo "$message" && differ="$differ $name (failed);" ;;
			esac
		elif cmp "$records" "mine/$name/records.jsonl"; then
			same=$((same + 1))
		else
			differ="$differ $name;"
		fi
		break
	done
done
[ "$chosen" -gt 0 ] || { echo "no results of $*, must be one of:" results/*/* && exit 2; }
echo "$same of $chosen experiments gave the same records."
if [ -n "$lacking" ]; then echo "Not compared, their data are not here ($ppdp datasets fetch):$lacking"; fi
if [ -n "$differ" ]; then
	echo "DIFFERS:$differ see $ppdp regress --out mine --reference results"
	exit 1
fi
if [ "$same" = 0 ]; then echo "DIFFERS: nothing could be compared" && exit 1; fi
echo PASS
