"""What scikit-learn finds on Adult's second half after learning from the first.

    gunzip -k adult.data.gz adult.test.gz
    python3 reference.py adult.data adult.test

Prints accuracy and area under the ROC curve of the classifiers that tests compare with; the figures
in the tests are those of scikit-learn 1.2.1 (Debian 12, python3-sklearn).
"""
import sys

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.preprocessing import OneHotEncoder, StandardScaler

NUMBERS = [0, 2, 4, 10, 11, 12]
CATEGORIES = [c for c in range(14) if c not in NUMBERS]


def load(path):
    rows = ([f.strip() for f in line.strip().rstrip(".").split(",")] for line in open(path))
    return [row for row in rows if len(row) == 15 and "?" not in row]


train, test = load(sys.argv[1]), load(sys.argv[2])
codes = {c: {v: i for i, v in enumerate(sorted({r[c] for r in train + test}))} for c in CATEGORIES}


def features(rows):
    return np.array([[codes[c][r[c]] if c in codes else float(r[c]) for c in range(14)] for r in rows])


x, z = features(train), features(test)
y, labels = (np.array([r[14] == ">50K" for r in rows]) for rows in (train, test))


def report(name, p):
    print(f"{name} {accuracy_score(labels, p > 0.5):.5f} {roc_auc_score(labels, p):.5f}")


boosting = HistGradientBoostingClassifier(early_stopping=False, categorical_features=CATEGORIES)
report("boosting", boosting.fit(x, y).predict_proba(z)[:, 1])
for seed in range(3):
    forest = RandomForestClassifier(100, random_state=seed)
    report("forest", forest.fit(x, y).predict_proba(z)[:, 1])
one_hot, scale = OneHotEncoder().fit(np.vstack([x, z])[:, CATEGORIES]), StandardScaler().fit(x[:, NUMBERS])
flat = [np.hstack([scale.transform(t[:, NUMBERS]), one_hot.transform(t[:, CATEGORIES]).toarray()])
        for t in (x, z)]
logistic = LogisticRegression(max_iter=5000, tol=1e-8)
report("logistic", logistic.fit(flat[0], y).predict_proba(flat[1])[:, 1])
