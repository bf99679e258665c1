"""Experiments: running, evaluating, resuming, reading, deleting."""

from datetime import timedelta

from client_under_test import START, NotFound, client, fails, module_function, raw_client, status_of, unique
from server_under_test import read_spans


def make_dataset(name, size=3):
    return client.datasets.create_dataset(
        name=unique(name),
        inputs=[{"q": number} for number in range(size)],
        outputs=[{"a": number * 2} for number in range(size)],
    )


def double(input):
    return {"a": input["q"] * 2}


def is_right(output, expected):
    return 1.0 if output == expected else 0.0


def scores(experiment):
    return sorted((run.name, run.result["score"]) for run in experiment["evaluation_runs"])


def test_run_experiment():
    dataset = make_dataset("run")
    ran = client.experiments.run_experiment(
        dataset=dataset,
        task=double,
        evaluators={"right": is_right},
        experiment_name="first",
        experiment_description="doubles",
        experiment_metadata={"model": "none"},
        print_summary=False,
    )
    assert sorted(run["output"]["a"] for run in ran["task_runs"]) == [0, 2, 4], ran
    read = client.experiments.get_experiment(experiment_id=ran["experiment_id"])
    assert len(read["task_runs"]) == 3
    assert scores(read) == [("right", 1.0)] * 3, read["evaluation_runs"]
    experiment = client.experiments.get(experiment_id=ran["experiment_id"])
    assert experiment["name"] == "first" and experiment["metadata"] == {"model": "none"}, experiment
    assert (experiment["example_count"], experiment["successful_run_count"]) == (3, 3), experiment
    assert (experiment["failed_run_count"], experiment["missing_run_count"]) == (0, 0), experiment
    spans = read_spans(experiment["project_name"])
    assert len(spans) >= 3 and {run["trace_id"] for run in ran["task_runs"]} <= {
        span["context"]["trace_id"] for span in spans
    }, spans
    assert [one["id"] for one in client.experiments.list(dataset_id=dataset.id)] == [ran["experiment_id"]]
    for url in (
        client.experiments.get_dataset_experiments_url(dataset.id),
        client.experiments.get_experiment_url(dataset.id, ran["experiment_id"]),
    ):
        assert dataset.id in url, url
    client.experiments.delete(experiment_id=ran["experiment_id"])
    assert client.experiments.list(dataset_id=dataset.id) == []


def test_repetitions_and_more_evaluations():
    dataset = make_dataset("repeated", 2)
    ran = client.experiments.run_experiment(dataset=dataset, task=double, repetitions=2, print_summary=False)
    assert sorted(run["repetition_number"] for run in ran["task_runs"]) == [1, 1, 2, 2], ran
    experiment = client.experiments.get_experiment(experiment_id=ran["experiment_id"])
    make = module_function("experiments module", "create_evaluator")
    shown = make(kind="CODE", name="shown")(lambda output: {"score": 0.5, "label": "x", "explanation": "y"})
    evaluated = client.experiments.evaluate_experiment(
        experiment=experiment,
        evaluators=[make(name="right")(is_right), shown],
        print_summary=False,
    )
    assert len(evaluated["evaluation_runs"]) == 8, evaluated
    read = client.experiments.get_experiment(experiment_id=ran["experiment_id"])
    assert scores(read) == [("right", 1.0)] * 4 + [("shown", 0.5)] * 4, read


def test_failed_runs_are_resumed():
    dataset = make_dataset("resumed")

    def fails_for_one(input):
        if input["q"] == 1:
            raise ValueError("not yet")
        return double(input)

    ran = client.experiments.run_experiment(dataset=dataset, task=fails_for_one, retries=0, print_summary=False)
    experiment_id = ran["experiment_id"]
    assert client.experiments.get(experiment_id=experiment_id)["failed_run_count"] == 1
    client.experiments.resume_experiment(experiment_id=experiment_id, task=double, print_summary=False)
    experiment = client.experiments.get(experiment_id=experiment_id)
    assert (experiment["successful_run_count"], experiment["failed_run_count"]) == (3, 0), experiment
    client.experiments.resume_evaluation(
        experiment_id=experiment_id, evaluators={"right": is_right}, print_summary=False
    )
    assert scores(client.experiments.get_experiment(experiment_id=experiment_id)) == [("right", 1.0)] * 3


def test_made_by_hand():
    dataset = make_dataset("by-hand", 2)
    experiment = client.experiments.create(
        dataset_id=dataset.id,
        dataset_version_id=dataset.version_id,
        experiment_name="by hand",
        experiment_metadata={"a": 1},
        repetitions=2,
    )
    assert experiment["missing_run_count"] == 4 and experiment["repetitions"] == 2, experiment
    times = {"start_time": START, "end_time": START + timedelta(seconds=1)}
    example = dataset.examples[0]["node_id"]
    run = client.experiments.log_run(
        experiment_id=experiment["id"], dataset_example_id=example, output={"a": 1}, trace_id="0" * 31 + "7", **times
    )
    assert run["id"] and run["output"] == {"a": 1}, run
    again = {"experiment_id": experiment["id"], "dataset_example_id": example, "output": "other", **times}
    assert status_of(lambda: client.experiments.log_run(**again)) == 409
    failed = client.experiments.log_run(
        experiment_id=experiment["id"], dataset_example_id=example, output=None, error="no", repetition_number=2, **times
    )
    assert failed["error"] == "no", failed
    evaluation = client.experiments.log_evaluation(
        experiment_run_id=run["id"], name="judged", annotator_kind="LLM", score=0.25, label="x", explanation="y", metadata={"a": 1}
    )
    assert evaluation["id"], evaluation
    client.experiments.log_evaluation(experiment_run_id=run["id"], name="judged", score=0.75)
    assert scores(client.experiments.get_experiment(experiment_id=experiment["id"])) == [("judged", 0.75)]
    fails(lambda: client.experiments.get_experiment(experiment_id="RXhwZXJpbWVudDo5OTk5OTk="), NotFound)


def test_functions_of_the_module():
    dataset = make_dataset("module", 2)
    ran = module_function("experiments module", "run_experiment")(
        client=raw_client, dataset=dataset, task=double, print_summary=False
    )
    read = module_function("experiments module", "get_experiment")(client=raw_client, experiment_id=ran["experiment_id"])
    assert len(read["task_runs"]) == 2, read
    module_function("experiments module", "evaluate_experiment")(
        client=raw_client, experiment=read, evaluators={"right": is_right}, print_summary=False
    )
    module_function("experiments module", "resume_experiment")(
        client=raw_client, experiment_id=ran["experiment_id"], task=double, print_summary=False
    )
    module_function("experiments module", "resume_evaluation")(
        client=raw_client, experiment_id=ran["experiment_id"], evaluators={"again": is_right}, print_summary=False
    )
    final = module_function("experiments module", "get_experiment")(client=raw_client, experiment_id=ran["experiment_id"])
    assert scores(final) == [("again", 1.0)] * 2 + [("right", 1.0)] * 2, final


def test_splits_of_an_experiment():
    dataset = client.datasets.create_dataset(
        name=unique("split-experiment"),
        examples=[{"input": {"q": number}, "output": {}, "splits": ["a" if number else "b"]} for number in range(3)],
    )
    part = client.datasets.get_dataset(dataset=dataset.id, splits=["a"])
    ran = client.experiments.run_experiment(dataset=part, task=double, print_summary=False)
    assert sorted(run["output"]["a"] for run in ran["task_runs"]) == [2, 4], ran
