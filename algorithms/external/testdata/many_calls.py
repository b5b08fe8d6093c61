"""Asks for noise as often as the parameter fault says, without reading JSON, as C would."""
import sys

say, hear = sys.stdout, sys.stdin.readline
print('{"protocol":1}', flush=True)
hear()
while line := hear():
    at = line.index('"fault":"') + 9
    times = int(line[at:line.index('"', at)])
    call = '{"call":"laplace","purpose":"counts","values":[1,2,3,4],"sensitivity":1,"amount":%.9g}\n' % (
        0.9 / times)
    for _ in range(times):
        say.write(call)
        say.flush()
        hear()
    at = line.index('"id":"') + 6
    folder = line[line.index('"folder":"') + 10:line.rindex('"')]
    with open(folder + "/out.csv", "w") as out:
        out.write('age,"a ""word"", or two"\n1,1\n')
    print('{"id":"' + line[at:line.index('"', at)] + '","file":"out.csv"}', flush=True)
