"""MST as a baseline of ppdp, in numpy (McKenna, Miklau & Sheldon 2021, section 3).

A third of the budget measures the marginal of each attribute, whose rare values become one. A third
chooses a maximum spanning tree by the exponential mechanism: an edge's weight is the L1 distance of
its pair's counts from independence. A third measures the pairs of the tree. One record moves each
score and each marginal by 1. A model with the tree's structure is fitted to all measurements, by
mirror descent as Private-PGM does, and records are drawn from it.
"""

import math

import numpy

import ppdp

BINS, STEPS = 24, 60


class Tree:
    """A distribution over a tree of edges (parent, child), each parent before its children."""

    def __init__(self, nodes, edges):
        self.edges = edges
        self.root = edges[0][0] if edges else 0
        sizes = [len(node) for node in nodes]
        self.nodes = [numpy.zeros(size) for size in sizes]
        self.pairs = [numpy.zeros((sizes[a], sizes[b])) for a, b in edges]

    def marginals(self):
        """The probabilities of each node's values and of each edge's pairs, by belief propagation."""
        up, sent = list(self.nodes), {}
        for (parent, child), pair in reversed(list(zip(self.edges, self.pairs))):
            sent[child] = numpy.logaddexp.reduce(pair + up[child], axis=1)
            up[parent] = up[parent] + sent[child]
        full, pairs = {self.root: up[self.root]}, []
        for (parent, child), pair in zip(self.edges, self.pairs):
            joint = pair + up[child] + (full[parent] - sent[child])[:, None]
            full[child] = numpy.logaddexp.reduce(joint, axis=0)
            pairs.append(softmax(joint))
        return [softmax(full[at]) for at in range(len(self.nodes))], pairs

    def fit(self, nodes, pairs, total):
        """Fits the distribution to noisy counts by least squares."""
        def off():
            """How far the model's counts are from the noisy ones, and the sum of the squares."""
            ones, twos = self.marginals()
            ones = [total * p - count for p, count in zip(ones, nodes)]
            twos = [total * p - count for p, count in zip(twos, pairs)]
            return ones, twos, sum(float((x * x).sum()) for x in ones + twos)

        step = 2 / total
        ones, twos, least = found = off()
        for _ in range(STEPS):
            before = self.nodes, self.pairs
            while step > 1e-12 / total:
                self.nodes = [theta - step * x for theta, x in zip(before[0], ones)]
                self.pairs = [theta - step * x for theta, x in zip(before[1], twos)]
                found = off()
                if found[2] <= least:
                    break
                step /= 2
            ones, twos, least = found
            step *= 1.5

    def draw(self, rows, random):
        """Values of each node, for so many rows."""
        nodes, pairs = self.marginals()
        columns = {self.root: random.choice(len(nodes[self.root]), rows, p=nodes[self.root])}
        for (parent, child), pair in zip(self.edges, pairs):
            chances = numpy.cumsum(pair, axis=1)[columns[parent]]
            uniform = random.random(rows)[:, None] * chances[:, -1:]
            columns[child] = (uniform > chances).sum(axis=1).clip(max=pair.shape[1] - 1)
        return [columns[at] for at in range(len(nodes))]


def softmax(theta):
    scaled = numpy.exp(theta - theta.max())
    return scaled / scaled.sum()


def joint(columns, a, b, sizes):
    cells = numpy.bincount(columns[a] * sizes[b] + columns[b], minlength=sizes[a] * sizes[b])
    return cells.reshape(sizes[a], sizes[b])


def measure(release, counts, amount, purpose):
    noise = release.discrete_gaussian if release.unit == "rho" else release.geometric
    return numpy.array(noise(counts.ravel().tolist(), 1, amount, purpose), float).reshape(
        counts.shape)


def deviation(release, amount):
    """The standard deviation of the noise of a marginal."""
    if release.unit == "rho":
        return math.sqrt(1 / (2 * amount))
    return math.sqrt(2 * math.exp(-amount)) / -math.expm1(-amount)


def spanning(release, scores, d):
    """The edges of a spanning tree, chosen by their scores."""
    forest, left, chosen = list(range(d)), dict(scores), []
    for _ in range(d - 1):
        left = {edge: score for edge, score in left.items() if forest[edge[0]] != forest[edge[1]]}
        at = release.choose(left.values(), 1, release.total / 3 / (d - 1), "tree")
        a, b = list(left)[at]
        chosen.append((a, b))
        forest = [forest[a] if tree == forest[b] else tree for tree in forest]
    ordered, known = [], {0}
    while chosen:
        a, b = next(edge for edge in chosen if known & set(edge))
        chosen.remove((a, b))
        ordered.append((a, b) if a in known else (b, a))
        known |= {a, b}
    return ordered


for release in ppdp.releases():
    cells = [a["cells"] for a in release.attributes]
    d, random = len(cells), numpy.random.default_rng(release.random.getrandbits(64))
    table = numpy.array(release.rows(), int).reshape(-1, d).T
    bins = [min(BINS, cell) for cell in cells]
    ends = [[-(-(i * cell) // size) for i in range(size + 1)] for cell, size in zip(cells, bins)]
    columns = [numpy.searchsorted(end, column, side="right") - 1
               for end, column in zip(ends, table)]
    each = release.total / (3 if d > 1 else 1) / max(1, d)
    nodes, values = [], []
    for at, size in enumerate(bins):
        noisy = measure(release, numpy.bincount(columns[at], minlength=size), each, "marginals")
        rare = noisy < 3 * deviation(release, each)
        groups = [[value] for value in numpy.flatnonzero(~rare)]
        if rare.any():
            groups.append(list(numpy.flatnonzero(rare)))
        merged = numpy.empty(size, int)
        for group, members in enumerate(groups):
            merged[members] = group
        columns[at] = merged[columns[at]]
        nodes.append(numpy.array([noisy[members].sum() for members in groups]))
        values.append(groups)
    total = max(1.0, float(numpy.mean([node.sum() for node in nodes])) if nodes else 1.0)
    sizes = [len(node) for node in nodes]
    laws = [node.clip(min=0) / max(1e-9, node.clip(min=0).sum()) for node in nodes]
    scores = {(a, b): float(abs(joint(columns, a, b, sizes)
                                - total * numpy.outer(laws[a], laws[b])).sum())
              for a in range(d) for b in range(a + 1, d)}
    edges = spanning(release, scores, d) if d > 1 else []
    pairs = [measure(release, joint(columns, *edge, sizes), release.total / 3 / len(edges),
                     "pairs") for edge in edges]
    tree, rows = Tree(nodes, edges), round(total)
    drawn = []
    if d:
        tree.fit(nodes, pairs, total)
        for at, column in enumerate(tree.draw(rows, random)):
            pick = random.random(rows)
            group = [values[at][group] for group in column]
            chosen = [members[int(u * len(members))] for u, members in zip(pick, group)]
            lows, highs = numpy.array(ends[at])[chosen], numpy.array(ends[at])[
                numpy.array(chosen) + 1]
            drawn.append(random.integers(lows, highs).tolist())
    release.publish(zip(*drawn) if d else [[] for _ in range(rows)])
