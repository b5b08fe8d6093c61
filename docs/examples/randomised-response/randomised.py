"""Randomised response as a baseline of ppdp; the standard library alone.

A value of k possible ones is kept with probability e^a / (e^a + k - 1), where a is the
value's share of epsilon, and replaced by one of the others, all equally likely, else
(Kairouz, Bonawitz & Ramage 2016, section 3). A record has d values and a share of
epsilon / d for each, so that replacing a record changes the probability of any output by
a factor of at most e^epsilon.
"""

import json
import math
import os
import random
import sys

rows = {"data": None}  # what was read last, with its name


def read(request):
    """The rows of a request as lists of codes; kept while the data stay the same."""
    if rows["data"] != request["data"]:
        with open(request["rows"], encoding="utf-8", newline="") as lines:
            next(lines)  # the header; names may hold anything but line breaks are quoted
            rows["codes"] = [[int(code) for code in line.split(",")] for line in lines]
        rows["data"] = request["data"]
    return rows["codes"]


def release(request):
    """Writes randomised records and returns the answer."""
    attributes = request["attributes"]
    source = random.Random(int(request["seed"], 16))
    share = request["epsilon"] / max(1, len(attributes))
    cells = [a["cells"] for a in attributes]
    # 1 / (1 + (k - 1) e^-a), which no large epsilon overflows
    keep = [1 / (1 + (k - 1) * math.exp(-share)) for k in cells]
    draw, below = source.random, source.randrange
    with open(os.path.join(request["folder"], "records.csv"), "w", encoding="utf-8",
              newline="") as out:
        out.write(header(attributes))
        for row in read(request):
            line = []
            for code, k, p in zip(row, cells, keep):
                if draw() >= p:
                    other = below(k - 1)
                    code = other + (other >= code)
                line.append(str(code))
            out.write(",".join(line) + "\n")
    return {"id": request["id"], "file": "records.csv",
            "spent": [{"purpose": "values", "mechanism": "randomised response",
                       "amount": request["total"]}]}


def header(attributes):
    """The names, each in quotes, as RFC 4180 has it."""
    return ",".join('"' + a["name"].replace('"', '""') + '"' for a in attributes) + "\n"


def main():
    print(json.dumps({"protocol": 1}), flush=True)
    hello = json.loads(sys.stdin.readline())
    if hello["protocol"] != 1:
        sys.exit("this program speaks protocol 1")
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = release(request)
        except Exception as problem:  # one release fails, the program goes on
            answer = {"id": request["id"], "error": repr(problem)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
