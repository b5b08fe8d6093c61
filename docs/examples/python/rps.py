"""Recursive Partitioning and Summarization as a baseline of ppdp (Qardaji & Li 2012, Algorithm 1).

The domain is cut in two again and again, each cut chosen by the exponential mechanism with the
quality (n - |left - right|) / 4 (eq. 2), of sensitivity 1/2. A noisy count of at most 5 ends the
recursion. Leaves are published with noisy counts, and records are drawn uniformly in them. Half of
the budget is for the leaf; the rest is shared by the levels, half of each for the count and half
for the cut. Both sides of a cut are disjoint parts of the data: branches 0 and 1 below the region.
"""

import ppdp

DEPTH, STOP = 6, 5
MOST = 100_000  # records


class Tree:
    def __init__(self, release):
        self.release, self.leaves = release, []
        self.leaf = release.total / 2
        self.query = release.total / 2 / DEPTH / 2

    def partition(self, rows, box, branch):
        """Handles a box: for each attribute its first code and the one behind its last."""
        ask, ends = self.release, len(branch) == DEPTH
        cuts = [(at, cut) for at, (low, high) in enumerate(box) for cut in range(low + 1, high)]
        if not ends and cuts:
            noisy = ask.geometric([len(rows)], 1, self.query, "stop tests", branch)
            ends = noisy[0] <= STOP
        if ends or not cuts:
            count = ask.geometric([len(rows)], 1, self.leaf, "leaf counts", branch)
            self.leaves.append((box, max(0, count[0])))
            return
        chosen = ask.choose(self.scores(rows, box), 0.5, self.query, "cuts", branch)
        at, cut = cuts[chosen]
        for side, (low, high) in enumerate([(box[at][0], cut), (cut, box[at][1])]):
            part = [row for row in rows if low <= row[at] < high]
            self.partition(part, box[:at] + [(low, high)] + box[at + 1:], branch + (side,))

    def scores(self, rows, box):
        """The quality of every cut of the box, attribute by attribute."""
        scores = []
        for at, (low, high) in enumerate(box):
            counts = [0] * (high - low)
            for row in rows:
                counts[row[at] - low] += 1
            left = 0
            for count in counts[:-1]:
                left += count
                scores.append((len(rows) - abs(2 * left - len(rows))) / 4)
        return scores

    def records(self):
        draw, left = self.release.random.randrange, MOST
        for box, count in self.leaves:
            for _ in range(int(min(count, left))):
                left -= 1
                yield [draw(low, high) for low, high in box]


for release in ppdp.releases():
    tree = Tree(release)
    tree.partition(release.rows(), [(0, a["cells"]) for a in release.attributes], ())
    release.publish(tree.records())
