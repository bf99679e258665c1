"""`python -m spanward.evaluate`, as builds use it."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from spanward import Client
from spanward.evaluate.__main__ import main

from server_under_test import URL

KEY = os.environ.get("PHOENIX_API_KEY")
if KEY is not None:
    os.environ["SERVICE_API_KEY"] = KEY

client = Client(URL)
folder = Path(tempfile.mkdtemp(prefix="spanward-evaluate-"))
client.datasets.create(
    "py gates", inputs=[{"country": name} for name in ("France", "Italy", "Spain")], outputs=[{"capital": "Paris"}] * 3
)

TASK = folder / "task.py"
TASK.write_text(
    """
def task(input):
    return "Madrid" if input["country"] == "Spain" else "Paris"

def failing(input):
    if input["country"] == "Italy":
        raise LookupError("no map")
    return "Paris"
"""
)
JUDGES = folder / "judges.py"
JUDGES.write_text(
    """
from spanward.experiments import evaluator, exact_match

@evaluator("short")
def is_short(output):
    return len(output) < 6
"""
)


def call(*args, url=URL):
    """The exit code, and what was written."""
    out, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        code = main([*args, "--url", url], lambda address: Client(address, retries=0))
    return code, out.getvalue(), said.getvalue()


def run(*args):
    return call("run", "--dataset", "py gates", "--evaluator", str(JUDGES), "--no-trace", *args)


def test_e80_runs_and_gates():
    code, out, said = run("--task", str(TASK), "--name", "by program", "--repetitions", "2")
    assert (code, out) == (0, "6 runs, exact_match 0.666667, short 0.666667\n"), (code, out, said)
    lines = said.splitlines()
    assert lines[0].startswith("Experiment by program: http") and lines[1:] == ["tasks: 6 of 6", "evaluations: 12 of 12"], said
    code, out, _ = run("--task", str(TASK), "--require", "mean('exact_match') >= 0.9")
    assert code == 1 and "FAILED   mean('exact_match') >= 0.9  0.666667 is not >= 0.9." in out, out


def test_e80_goes_on_with_what_failed():
    code, out, said = run("--task", f"{TASK}:failing")
    assert (code, out.split(",")[:2]) == (2, ["2 runs", " 1 failed"]), out
    experiment = said.split("--experiment ")[1].split()[0]
    go_on = ["run", "--experiment", experiment, "--evaluator", str(JUDGES), "--no-trace"]
    assert call(*go_on, "--task", f"{TASK}:failing", "--require", "mean('short') >= 0")[0] == 2
    assert call(*go_on, "--task", f"{TASK}:failing", "--require", "errors <= 1")[0] == 0
    before = {run.example_id: run.output for run in client.experiments.result(experiment).runs if run.error is None}
    assert call(*go_on, "--task", str(TASK), "--require", "errors == 0")[0] == 0
    after = {run.example_id: run.output for run in client.experiments.result(experiment).runs}
    assert len(after) == 3 and before.items() <= after.items()


def test_e78_tags_and_reports():
    good = client.experiments.run("py gates", lambda input: "Paris", [lambda_judge()], show_progress=False, trace=False).experiment
    bad = client.experiments.run("py gates", lambda input: "]]>\x00", [lambda_judge()], show_progress=False, trace=False).experiment
    require = ["--require", "mean('right') == 1", "--tag-on-pass", "stable"]
    assert call("gate", "--experiment", bad["id"], *require)[0] == 1
    assert client.experiments.get(bad["id"])["tags"] == []
    junit, markdown = folder / "gate.xml", folder / "gate.md"
    code, out, said = call("gate", "--experiment", good["id"], *require, "--junit", str(junit), "--markdown", str(markdown))
    assert (code, said) == (0, "The experiment now has the tag stable.\n") and out.startswith("Gate passed: http"), out
    assert client.experiments.get(good["id"])["tags"] == ["stable"]
    assert junit.read_text("utf-8").startswith("<?xml") and markdown.read_text("utf-8").startswith("## ✅ Gate passed")
    code, out, _ = call(
        "gate", "--experiment", bad["id"], "--require", "delta('right') >= 0", "--baseline", "tag:stable", "--json"
    )
    assert code == 1 and json.loads(out)["requirements"][0]["value"] == -1
    assert client.experiments.gate(good["id"], ["errors == 0"])["passed"] is True


def lambda_judge():
    from spanward.experiments import evaluator

    return evaluator("right")(lambda output: output == "Paris")


def test_e80_evaluators_of_the_server():
    version = {"kind": "BUILT_IN", "builtin": {"key": "contains", "parameters": {"texts": ["Par"]}}}
    client.evaluators.create("names-paris", version)
    code, out, said = call("run", "--dataset", "py gates", "--task", str(TASK), "--evaluator", "names-paris", "--no-trace")
    assert (code, out) == (0, "3 runs, contains 0.666667\n"), (code, out, said)
    evaluators = ["server:names-paris", lambda_judge()]
    result = client.experiments.run("py gates", lambda input: "Paris", evaluators, show_progress=False, trace=False)
    assert result.scores == {"contains": 1, "right": 1}, result.scores
    assert [one["name"] for one in client.evaluators.list()] == ["names-paris"]
    jobs = client.experiment_jobs.list(experiment_id=result.experiment["id"]).to_list()
    assert [job["state"] for job in jobs] == ["done"]
    assert client.model_connections.list().to_list() == []


def test_e80_exit_codes():
    empty = client.experiments.create("py gates")["id"]
    gate = ["gate", "--experiment", empty, "--require", "errors == 0"]
    assert call(*gate)[0] == 2
    assert call(*gate, "--allow-incomplete")[0] == 0
    for wrong in (
        [],
        ["gate", "--frobnicate"],
        ["gate", "--experiment", empty],
        ["gate", "--experiment", empty, "--require", "mena('x') > 1"],
        ["gate", "--experiment", "RXhwZXJpbWVudDo5OTk5OTk=", "--require", "errors == 0"],
        ["run", "--dataset", "py gates", "--task", "nowhere.py"],
        ["run", "--dataset", "no such dataset", "--task", str(TASK)],
        ["run", "--experiment", empty, "--task", str(TASK), "--name", "x"],
        ["run", "--dataset", "py gates", "--task", str(TASK), "--repetitions", "0"],
    ):
        code, _, said = call(*wrong)
        assert code == 64 and said.endswith("python -m spanward.evaluate --help says more.\n"), (wrong, code, said)
    if KEY is not None:
        os.environ["SERVICE_API_KEY"] = "wrong"
        try:
            assert call(*gate)[0] == 77
        finally:
            os.environ["SERVICE_API_KEY"] = KEY


def test_e80_no_server():
    code, _, said = call("gate", "--experiment", "x", "--require", "errors == 0", url="http://127.0.0.1:1")
    assert code == 69 and "cannot reach http://127.0.0.1:1" in said, said


def test_e80_interrupted():
    go = folder / "go"
    slow = folder / "slow.py"
    slow.write_text(
        f"""
import time
from pathlib import Path

def task(input):
    go = Path({str(go)!r})
    if not go.exists():
        print("running", flush=True)
    while not go.exists():
        time.sleep(0.02)
    return "Paris"
"""
    )
    args = ["run", "--dataset", "py gates", "--task", str(slow), "--concurrency", "1", "--no-trace", "--url", URL]
    child = subprocess.Popen(
        [sys.executable, "-m", "spanward.evaluate", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "running\n"
    child.send_signal(signal.SIGINT)
    # The task ends only after the program has said that it stops.
    said = child.stderr.readline()
    while "Stopping" not in said:
        said += child.stderr.readline()
    go.touch()
    # Not communicate(), which loses what readline() has read ahead.
    said += child.stderr.read()
    child.wait(600)
    assert child.returncode == 2 and said.endswith("Interrupted.\n"), (child.returncode, said)
    experiment = said.split("run --experiment ")[1].split()[0]
    stored = client.experiments.get(experiment)
    counts = stored["successful_run_count"], stored["failed_run_count"], stored["missing_run_count"]
    assert counts == (1, 0, 2), (counts, said)
    assert call("run", "--experiment", experiment, "--task", str(slow), "--no-trace")[:2] == (0, "3 runs\n")
