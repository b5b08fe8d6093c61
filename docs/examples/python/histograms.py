"""Noisy histograms as a baseline of ppdp: records whose attributes are independent.

A record is in one cell of each histogram. With d attributes and an equal share of the budget for
each, a record costs the whole budget (Dwork, McSherry, Nissim & Smith 2006).
"""

import ppdp

MOST = 100_000  # records: what noise alone makes of a tiny budget would have no end

for release in ppdp.releases():
    share = release.total / max(1, len(release.attributes))
    columns, size = [], 0
    for at, attribute in enumerate(release.attributes):
        counts = [0] * attribute["cells"]
        for row in release.rows():
            counts[row[at]] += 1
        noisy = release.geometric(counts, sensitivity=1, amount=share, purpose="counts")
        if at == 0:  # how many records there are is private, too
            size = int(min(MOST, max(0, sum(noisy))))
        weights = [max(0, count) for count in noisy]
        if not sum(weights) > 0:
            weights = [1] * len(weights)
        columns.append(release.random.choices(range(len(weights)), weights, k=size))
    release.publish(zip(*columns))
