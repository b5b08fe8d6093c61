"""What scikit-learn finds on one half of a real table after learning from the other.

    python3 reference.py FOLDER

FOLDER is laid out as $PPDP_DATA: adult/adult.data.gz, adult/adult.test.gz,
tables/diabetic_data.csv.gz, tables/national2019.csv.gz. Prints, for each table, accuracy and area
under the ROC curve of the classifiers that tests compare with, and R² and the mean absolute error
of the regressors; then accuracies on five columns of all of Adult's rows. The figures in the tests
are those of scikit-learn 1.2.1 (Debian 12, python3-sklearn), OMP_NUM_THREADS=1.
"""
import csv
import gzip
import sys

import numpy as np
from sklearn.ensemble import (HistGradientBoostingClassifier, HistGradientBoostingRegressor,
                              RandomForestClassifier)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, mean_absolute_error, r2_score, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import OneHotEncoder, StandardScaler

ADULT = ("age workclass fnlwgt education education-num marital-status occupation relationship race "
         "sex capital-gain capital-loss hours-per-week native-country salary").split()
TABLES = {
    "diabetes": dict(
        file="diabetic_data", every=4, target="time_in_hospital",
        label=lambda row: row["readmitted"] != "NO",
        leave="encounter_id patient_nbr weight diag_1 diag_2 diag_3 readmitted",
        numbers="time_in_hospital num_lab_procedures num_procedures num_medications "
                "number_outpatient number_emergency number_inpatient number_diagnoses"),
    "acs": dict(
        file="national2019", every=2, target="AGEP",
        label=lambda row: row["PINCP_DECILE"] in "56789",
        leave="DENSITY INDP PINCP PINCP_DECILE POVPIP WGTP", numbers="AGEP PWGTP"),
}


def text(path):
    return gzip.open(path, "rt", newline="")


def adult(path):
    rows = ([f.strip() for f in line.strip().rstrip(".").split(",")] for line in text(path))
    return [dict(zip(ADULT, row)) for row in rows if len(row) == 15]


def report(table, first, second, numbers, label, leave, target):
    """Learns from the rows first and reports on the rows second."""
    left = set(leave.split())
    columns = [c for c in first[0] if c not in left]
    numeric = set(numbers.split())
    codes = {c: {v: i for i, v in enumerate(sorted({r[c] for r in first + second}))}
             for c in columns if c not in numeric}
    y, labels = (np.array([label(r) for r in rows]) for rows in (first, second))

    def features(rows, columns):
        return np.array([[codes[c][r[c]] if c in codes else float(r[c]) for c in columns]
                         for r in rows])

    def flat(columns, x, z):
        """Standardised numbers and one indicator a value."""
        at = [i for i, c in enumerate(columns) if c in codes]
        of = [i for i, c in enumerate(columns) if c not in codes]
        one_hot = OneHotEncoder().fit(np.vstack([x, z])[:, at])
        scale = StandardScaler().fit(x[:, of])
        return [np.hstack([scale.transform(t[:, of]), one_hot.transform(t[:, at]).toarray()])
                for t in (x, z)]

    def sure(model, p):
        print(f"{table} {model} {accuracy_score(labels, p > 0.5):.5f} "
              f"{roc_auc_score(labels, p):.5f}", flush=True)

    x, z = features(first, columns), features(second, columns)
    categories = [c in codes for c in columns]
    boosting = HistGradientBoostingClassifier(early_stopping=False, categorical_features=categories)
    sure("boosting", boosting.fit(x, y).predict_proba(z)[:, 1])
    for seed in range(3):
        forest = RandomForestClassifier(100, random_state=seed)
        sure("forest", forest.fit(x, y).predict_proba(z)[:, 1])
    one, other = flat(columns, x, z)
    logistic = LogisticRegression(max_iter=5000, tol=1e-8)
    sure("logistic", logistic.fit(one, y).predict_proba(other)[:, 1])

    # Numbers: all other columns and the class, which is a column of 0 and 1.
    columns = [c for c in columns if c != target]
    u, v = (np.array([float(r[target]) for r in rows]) for rows in (first, second))

    def numbers_of(model, p):
        print(f"{table} {target} {model} {r2_score(v, p):.5f} {mean_absolute_error(v, p):.5f}",
              flush=True)

    x, z = (np.hstack([features(rows, columns), c.reshape(-1, 1)])
            for rows, c in ((first, y), (second, labels)))
    columns.append("class")
    codes["class"] = {}
    boosting = HistGradientBoostingRegressor(early_stopping=False,
                                             categorical_features=[c in codes for c in columns])
    numbers_of("boosting", boosting.fit(x, u).predict(z))
    one, other = flat(columns, x, z)
    numbers_of("ridge", Ridge(solver="cholesky").fit(one, u).predict(other))


folder = sys.argv[1]
train, test = (adult(f"{folder}/adult/adult.{part}.gz") for part in ("data", "test"))
above = lambda row: row["salary"] == ">50K"
report("adult", *([r for r in rows if "?" not in r.values()] for rows in (train, test)),
       "age fnlwgt education-num capital-gain capital-loss hours-per-week", above, "salary", "age")
for name, t in TABLES.items():
    rows = list(csv.DictReader(text(f"{folder}/tables/{t['file']}.csv.gz")))
    first, second = rows[::t["every"]], rows[t["every"] // 2::t["every"]]
    report(name, first, second, t["numbers"], t["label"], t["leave"], t["target"])

FIVE = "age education-num capital-gain capital-loss hours-per-week".split()
x, z = (np.array([[float(r[c]) for c in FIVE] for r in rows]) for rows in (train, test))
y, labels = (np.array([above(r) for r in rows]) for rows in (train, test))
scale = StandardScaler().fit(x)
print("five columns, naive Bayes", GaussianNB().fit(x, y).score(z, labels))
print("five columns, logistic", LogisticRegression().fit(x, y).score(z, labels))
print("five columns, logistic, standardised",
      LogisticRegression().fit(scale.transform(x), y).score(scale.transform(z), labels))
