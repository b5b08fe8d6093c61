"""PrivBayes of degree 1 as a baseline of ppdp (Zhang, Cormode, Procopiuc, Srivastava & Xiao 2017).

The first attribute is drawn at random. Then attribute after attribute joins the network with one of
those in it as its parent, chosen by the exponential mechanism with the score R, half the L1 distance
of the joint distribution from independence. One record in place of another moves R by at most
3/n + 2/n^2 (their Theorem 4.5), and n is public under this relation. Each pair's counts get noise of
sensitivity 2. Records are drawn along the network. Choices cost 0.3 of the budget.
"""

import itertools

import ppdp

BETA = 0.3


def joint(rows, first, second, cells):
    """Counts of the values of two attributes."""
    counts = [[0] * cells[second] for _ in range(cells[first])]
    for row in rows:
        counts[row[first]][row[second]] += 1
    return counts


def r(counts, n):
    """The score R of two attributes."""
    sums = [sum(column) for column in zip(*counts)]
    return sum(abs(count / n - sum(row) * total / n / n)
               for row in counts for count, total in zip(row, sums)) / 2


def weights(counts):
    positive = [max(0, count) for count in counts]
    return positive if sum(positive) > 0 else [1] * len(positive)


for release in ppdp.releases():
    rows, cells = release.rows(), [a["cells"] for a in release.attributes]
    n, d = len(rows), len(cells)
    order = [release.random.randrange(d)] if d else []
    steps, drawn = max(1, d - 1), []
    if d == 1:
        counts = [sum(code) for code in zip(*joint(rows, 0, 0, cells))] if n else [0] * cells[0]
        counts = release.geometric(counts, 2, release.total, "pairs")
        drawn.append(release.random.choices(range(cells[0]), weights(counts), k=n))
    scored = {}
    for step in range(1, d):
        pairs = [(child, parent) for child in range(d) if child not in order for parent in order]
        for pair in pairs:
            if pair not in scored:
                scored[pair] = r(joint(rows, *pair, cells), max(1, n))
        size = max(1, n)
        at = release.choose([scored[pair] for pair in pairs], 3 / size + 2 / size ** 2,
                            BETA * release.total / steps, "parents")
        child, parent = pairs[at]
        counts = joint(rows, parent, child, cells)
        noisy = release.geometric(itertools.chain(*counts), 2, (1 - BETA) * release.total / steps,
                                  "pairs")
        table = [noisy[i:i + cells[child]] for i in range(0, len(noisy), cells[child])]
        if step == 1:
            sums = weights([sum(max(0, count) for count in row) for row in table])
            drawn.append(release.random.choices(range(cells[parent]), sums, k=n))
        order.append(child)
        along = drawn[order.index(parent)]
        laws = [weights(row) for row in table]
        drawn.append([release.random.choices(range(cells[child]), laws[code])[0] for code in along])
    columns = [drawn[order.index(at)] for at in range(d)]
    release.publish(zip(*columns) if d else [[] for _ in rows])
