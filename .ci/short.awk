# What go test -v says, in short: a line for each package, everything of those that fail, and at the
# end how many tests were skipped, by reason. A last line "go test failed" is passed on as a status.
{ line[++n] = $0 }
/^=== / { test = $3 }
/^ +[a-z0-9_]+\.go:[0-9]+: / { said[test] = $0 }
/--- SKIP: / {
	reason = said[$3]
	sub(/^ *[a-z0-9_]+\.go:[0-9]+: /, "", reason)
	sub(/:.*/, "", reason)
	skipped[reason]++
}
/^(ok|\?) +\t/ { print; n = 0 }
/^FAIL[ \t]/ { for (i = 1; i <= n; i++) print line[i]; n = 0 }
END {
	failed = line[n] == "go test failed"
	for (i = 1; i <= n; i++) print line[i]
	for (reason in skipped) print skipped[reason] " tests skipped: " reason
	exit failed
}
