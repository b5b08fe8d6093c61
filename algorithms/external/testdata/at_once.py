"""Answers at once: it looks for what it needs in the text of the request, as C would."""
import sys

print('{"protocol":1}', flush=True)
sys.stdin.readline()
for line in sys.stdin:
    at = line.index('"id":"') + 6
    folder = line[line.index('"folder":"') + 10:line.rindex('"')]
    with open(folder + "/out.csv", "w") as out:
        out.write('age,"a ""word"", or two"\n1,no\n')
    print('{"id":"' + line[at:line.index('"', at)] + '","file":"out.csv",'
          '"spent":[{"purpose":"all","mechanism":"none","amount":1}]}', flush=True)
