"""Noisy histograms with a fault, which the parameter fault names; without one they are sound."""
import math
import os
import random
import time

import ppdp

served = 0
for release in ppdp.releases():
    served += 1
    fault, rows = release.params["fault"], release.rows()
    n, share = len(rows), release.total / 2 / max(1, len(release.attributes))
    columns, warnings = [], []
    ages = [0] * release.attributes[0]["cells"] if release.attributes else [0]
    for row in rows:
        ages[row[0]] += 1
    sensitivity, amount = 1, share
    if fault == "floods":
        for _ in range(1_000_000):
            ppdp.say({"call": "geometric", "purpose": "flood", "values": [n] * 100,
                      "sensitivity": 1, "amount": share / 1e6})
    if fault == "ends early" or fault == "ends late" and served > 1:
        release.geometric([n], 1, share, "first")
        os._exit(3)
    if fault == "goes on after a refusal":
        try:
            release.geometric([n], 1, 2 * release.total, "size")
        except ppdp.Refused:
            release.publish([])
            continue
    if fault == "data in an error" and n > 11:
        raise ValueError(f"row {rows[11]}")
    if fault == "data in every error":
        raise ValueError(f"{n} rows")
    if fault == "sensitivity 0":
        sensitivity = 0
    if fault == "too small a sensitivity":
        sensitivity = 0.5
    if fault == "a sensitivity from the data":
        sensitivity = 1 / (1 + n)
    if fault == "an amount from the data":
        amount = share / (1 + max(ages))
    if fault == "an early stop" and n < 12:
        release.publish([])
        continue
    if fault == "NaN":
        mean = sum(row[0] for row in rows) / n if n else math.nan
        clipped = min(max(mean, 0.0), 1.0)
        release.laplace([clipped], 1, share, "mean")
    if fault == "rounds by the number of records":
        for _ in range(n // 12):
            release.geometric([n], 1, share / 100, "size")
    if fault == "the size of the file" and os.path.getsize(release.request["rows"]) > 200:
        release.geometric([n], 1, share / 100, "size")
    if fault == "the budget twice":
        release.geometric(ages, 1, release.total, "once")
    if fault == "branches that overlap":
        for branch in range(2):
            release.geometric([n], 1, release.total, "parts", (branch,))
        release.publish([])
        continue
    if fault == "a branch from the data":
        release.geometric([n], 1, share, "parts", (n,))
    if fault == "a choice scaled to the data":
        release.choose([n, 0], 1 + n, share, "choice")
    if fault == "too wide a score":
        release.choose([3 * n, 0], 1, share, "choice")
    if fault == "the domain read off the data":
        ages = [count for count in ages if count]
    noisy = release.geometric(ages, sensitivity, amount, "ages")
    for at, attribute in enumerate(release.attributes):
        counts = [0] * attribute["cells"]
        for row in rows:
            counts[row[at]] += 1
        if at == 0:
            counts = noisy
        elif fault == "one noise for two marginals" and at == 2:
            noise = noisy[0] - ages[0]
            counts = [count + noise for count in counts]
        else:
            counts = release.geometric(counts, 1, share, "counts")
        weights = [max(0, count) for count in counts]
        if not sum(weights) > 0:
            weights = [1] * len(weights)
        columns.append(release.random.choices(range(len(weights)), weights, k=50))
    if fault == "a bound read off the data" and n:
        columns[0][0] = max(row[0] for row in rows)
    if fault == "its own randomness":
        random.shuffle(columns[0])
    if fault == "the clock":
        columns[0][0] = time.time_ns() % len(ages)
    if fault == "data in a warning":
        warnings.append(f"{n} records")
    release.publish(zip(*columns), warnings)
