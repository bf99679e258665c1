"""The released client's plugin for pytest: marked tests are an experiment on a dataset."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from client_under_test import KEY, client, unique
from server_under_test import URL

SUITE = '''
import pytest
from phoenix.client.pytest import log_evaluation, log_output


@pytest.mark.phoenix(dataset={dataset!r})
@pytest.mark.parametrize("a,b", [(1, 2), (2, 4)], ids=["one", "two"])
def {name}(a, b):
    log_output(a * 2)
    log_evaluation(name="checked", score=1)
    assert a * 2 == b
'''


def test_marked_tests_are_an_experiment():
    dataset = unique("pytest")
    environment = {**os.environ, "PHOENIX_COLLECTOR_ENDPOINT": URL, **({"PHOENIX_API_KEY": KEY} if KEY else {})}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_suite.py").write_text(SUITE.format(dataset=dataset, name="test_doubles"))
        command = [sys.executable, "-m", "pytest", "-q", "test_suite.py"]
        ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    read = client.datasets.get_dataset(dataset=dataset)
    assert len(read) == 2, (read, ran.stdout)
    [experiment] = client.experiments.list(dataset_id=read.id)
    assert experiment["successful_run_count"] == 2, experiment
    evaluations = client.experiments.get_experiment(experiment_id=experiment["id"])["evaluation_runs"]
    assert "checked" in {evaluation.name for evaluation in evaluations}, evaluations
