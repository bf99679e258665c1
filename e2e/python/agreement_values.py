"""What krippendorff, statsmodels and scikit-learn say of the tables that come in as JSON.

In: {"tables": [[[value or null, by rater], by item]], "calibrations": [{"gold": [label], "judged": [label], "labels": [label]}]}.
Out: {"tables": [{"alpha", "fleiss", "pairs"}], "calibrations": [{"matrix", "kappa", "scores"}]}, null where a value is undefined.
"""

import json
import math
import sys
import warnings

import krippendorff
import numpy as np
from sklearn.metrics import accuracy_score, cohen_kappa_score, confusion_matrix, precision_recall_fscore_support
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

# Division by zero, and labels that nobody gave: the values are NaN then, and compared.
warnings.simplefilter("ignore")
np.seterr(all="ignore")


def defined(value):
    return None if math.isnan(value) else float(value)


def alpha(rows, level):
    data = np.array([[np.nan if value is None else value for value in row] for row in rows], dtype=float).T
    if len(np.unique(data[~np.isnan(data)])) < 2:
        return None  # It refuses such data.
    return defined(krippendorff.alpha(data, level_of_measurement=level))


def fleiss(rows):
    answers = [[value for value in row if value is not None] for row in rows]
    most = max(len(row) for row in answers)
    counts, _ = aggregate_raters(np.array([row for row in answers if len(row) == most]))
    return defined(fleiss_kappa(counts, method="fleiss"))


def pairs(rows):
    found = []
    for first in range(len(rows[0])):
        for second in range(first + 1, len(rows[0])):
            both = [(row[first], row[second]) for row in rows if row[first] is not None and row[second] is not None]
            if not both:
                continue
            left, right = zip(*both)
            # Numbers with decimals are no labels there.
            left, right = [str(value) for value in left], [str(value) for value in right]
            found.append(
                {
                    "raters": [chr(ord("A") + first), chr(ord("A") + second)],
                    "items": len(both),
                    "agreement": accuracy_score(left, right),
                    "kappa": defined(cohen_kappa_score(left, right)),
                }
            )
    return found


def calibration(gold, judged, labels):
    scores = precision_recall_fscore_support(gold, judged, labels=labels, average=None, zero_division=np.nan)
    return {
        "matrix": confusion_matrix(gold, judged, labels=labels).tolist(),
        "kappa": defined(cohen_kappa_score(gold, judged)),
        "scores": [[defined(value) for value in row] for row in zip(*scores)],
    }


given = json.load(sys.stdin)
json.dump(
    {
        "tables": [
            {
                "alpha": {level: alpha(rows, level) for level in ("nominal", "ordinal", "interval")},
                "fleiss": fleiss(rows),
                "pairs": pairs(rows),
            }
            for rows in given["tables"]
        ],
        "calibrations": [calibration(**each) for each in given["calibrations"]],
    },
    sys.stdout,
)
