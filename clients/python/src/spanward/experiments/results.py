"""The results of an experiment."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Run:
    """One run of the task on an example. ``annotations`` are its evaluations."""

    example_id: str
    repetition_number: int
    input: dict[str, Any]
    reference_output: dict[str, Any]
    output: Any
    error: str | None = None
    latency_ms: float | None = None
    trace_id: str | None = None
    annotations: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class ExperimentResult:
    """``experiment`` is None after a dry run."""

    experiment: Any
    runs: list[Run]

    @property
    def scores(self) -> dict[str, float]:
        """The mean of each metric."""
        values: dict[str, list[float]] = defaultdict(list)
        for run in self.runs:
            for annotation in run.annotations:
                if annotation.get("score") is not None:
                    values[annotation["name"]].append(annotation["score"])
        return {name: statistics.fmean(scores) for name, scores in sorted(values.items())}

    @property
    def failed(self) -> list[Run]:
        return [run for run in self.runs if run.error is not None]

    def to_dataframe(self) -> pandas.DataFrame:
        """A row for each run, with a column for the score and the label of each metric. Needs pandas."""
        from .._dataframes import _needed

        rows = []
        for run in self.runs:
            row = {name: getattr(run, name) for name in Run.__dataclass_fields__ if name != "annotations"}
            for annotation in run.annotations:
                row[f"{annotation['name']}.score"] = annotation.get("score")
                row[f"{annotation['name']}.label"] = annotation.get("label")
            rows.append(row)
        return _needed("pandas").DataFrame(rows)

    def __str__(self) -> str:
        name = "dry run" if self.experiment is None else self.experiment["name"]
        scores = ", ".join(f"{metric} {mean:.3f}" for metric, mean in self.scores.items())
        failures = f", {len(self.failed)} failed" if self.failed else ""
        return f"{name}: {len(self.runs)} runs{failures}{': ' + scores if scores else ''}"
