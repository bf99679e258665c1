"""Writes scipy-values.json: pip install scipy==1.17.1, then python make-scipy-values.py > scipy-values.json."""

import json
import random

from scipy import stats

random.seed(19)


def paired(name, before, now):
    interval = stats.ttest_rel(now, before).confidence_interval(0.95)
    return {"name": name, "before": before, "now": now, "low": interval.low, "high": interval.high}


def uniform(count):
    return [round(random.random(), 3) for _ in range(count)]


def ones(count, share):
    return [int(random.random() < share) for _ in range(count)]


print(
    json.dumps(
        {
            "student_t95": [
                {"degrees": degrees, "value": float(stats.t.ppf(0.975, degrees))}
                for degrees in [*range(1, 31), 40, 59, 60, 99, 120, 249, 250, 999, 1_000, 10_000, 100_001, 1_000_000]
            ],
            "paired": [
                paired("two pairs", [0.5, 0.25], [0.75, 1.0]),
                paired("twelve scores", uniform(12), uniform(12)),
                paired("40 passes and failures", ones(40, 0.7), ones(40, 0.8)),
                paired("300 scores", uniform(300), uniform(300)),
            ],
        },
        indent="\t",
    )
)
