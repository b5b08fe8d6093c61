"""Baselines of ppdp in Python, whose noise ppdp draws; the standard library alone.

    import ppdp

    for release in ppdp.releases():
        counts = [...]  # of release.rows()
        noisy = release.geometric(counts, sensitivity=1, amount=release.total, purpose="counts")
        release.publish(...)

The variant in the descriptor says `mechanisms: ppdp`. Every number that depends on the rows has to
pass a mechanism: laplace, geometric, gaussian, discrete_gaussian or choose. ppdp
charges the budget for each call, refuses what exceeds it, and can replay the program on other rows
with the same answers: what is published must then be the same. So take all other randomness from
release.random, and nothing from the clock, from the number of rows or from unordered sets.

sensitivity  how far one record moves the whole vector: in L1; in L2 for Gaussian noise; how far it
             moves any score for a choice
amount       of the budget, in its unit (release.unit): all of it is release.total
purpose      the same text for the same kind of call, at most 8 in a release
branch       numbers of a part of the data, such as (0, 2): the third part of the first part. Parts
             must be disjoint: their costs do not add up, those of a part and its own parts do
"""

import csv
import json
import os
import random
import sys


class Refused(Exception):
    """ppdp has refused a call, and the release has failed; the text says why."""


class Release:
    """One release that ppdp asks for. `request` has all that it said, by the protocol's keys."""

    kept = {"data": None}  # the rows that were read last, and their name

    def __init__(self, request):
        self.request = request
        self.variant, self.params = request["variant"], request["params"]
        self.epsilon, self.delta = request["epsilon"], request["delta"]
        self.unit, self.total = request["unit"], request["total"]
        self.attributes = request.get("attributes", [])
        self.random = random.Random(int(request["seed"], 16))
        self.answered = False

    def rows(self):
        """The rows as lists, of codes with `values: codes`, else of texts: change nothing in them."""
        if self.kept["data"] != self.request["data"]:
            with open(self.request["rows"], encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file))[1:]  # without the header
            codes = self.request["values"] == "codes"
            self.kept["rows"] = [list(map(int, row)) for row in rows] if codes else rows
            self.kept["data"] = self.request["data"]
        return self.kept["rows"]

    def laplace(self, values, sensitivity, amount, purpose, branch=()):
        """values with Laplace noise."""
        return self.ask("laplace", "values", values, sensitivity, amount, purpose, branch)

    def geometric(self, values, sensitivity, amount, purpose, branch=()):
        """Whole numbers with two-sided geometric noise, which is whole too."""
        return self.ask("geometric", "values", values, sensitivity, amount, purpose, branch)

    def gaussian(self, values, sensitivity, amount, purpose, branch=()):
        """values with normal noise: of budgets in rho only."""
        return self.ask("gaussian", "values", values, sensitivity, amount, purpose, branch)

    def discrete_gaussian(self, values, sensitivity, amount, purpose, branch=()):
        """Whole numbers with discrete Gaussian noise: of budgets in rho only."""
        return self.ask("discrete-gaussian", "values", values, sensitivity, amount, purpose, branch)

    def choose(self, scores, sensitivity, amount, purpose, branch=()):
        """The number of a score, by the exponential mechanism."""
        return self.ask("choose", "scores", scores, sensitivity, amount, purpose, branch)

    def ask(self, call, key, numbers, sensitivity, amount, purpose, branch):
        """Makes a call and waits for its reply: values or a choice."""
        say({"call": call, "purpose": purpose, key: list(numbers), "sensitivity": sensitivity,
             "amount": amount, "branch": list(branch)})
        reply = json.loads(sys.stdin.readline() or '{"error": "ppdp has ended"}')
        if "error" in reply:
            raise Refused(reply["error"])
        return reply["choice" if key == "scores" else "values"]

    def publish(self, records, warnings=()):
        """Ends the release: records are rows like those that rows() returns, or degrees."""
        with open(os.path.join(self.request["folder"], "release.csv"), "w", encoding="utf-8",
                  newline="") as file:
            if "rows" in self.request:
                names = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
                names.writerow([a["name"] for a in self.attributes])
                csv.writer(file, lineterminator="\n").writerows(records)
            else:
                file.writelines(f"{degree}\n" for degree in records)
        say({"id": self.request["id"], "file": "release.csv", "warnings": list(warnings)})
        self.answered = True


def say(line):
    print(json.dumps(line), flush=True)


def releases():
    """The releases that ppdp asks for, one after the other. Each must be published."""
    say({"protocol": 1})
    sys.stdin.readline()
    for line in iter(sys.stdin.readline, ""):
        release = Release(json.loads(line))
        yield release
        if not release.answered:
            say({"id": release.request["id"], "error": "the program has published nothing"})
