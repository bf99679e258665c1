"""Datasets: the ways to make one, versions, splits."""

import json
import tempfile
from pathlib import Path

import pandas

from client_under_test import client, log_spans, make_span, span_id, status_of, unique

EXAMPLES = [
    {"input": {"q": "1+1"}, "output": {"a": "2"}, "metadata": {"level": 1}, "splits": ["train"]},
    {"input": {"q": "2+2"}, "output": {"a": "4"}, "metadata": {"level": 2}, "splits": ["train", "test"]},
    {"input": {"q": "3+3"}, "output": {"a": "6"}},
]


def questions(dataset):
    return sorted(example["input"]["q"] for example in dataset.examples)


def test_dataset_of_examples():
    name = unique("examples")
    made = client.datasets.create_dataset(name=name, examples=EXAMPLES, dataset_description="sums")
    assert made.name == name and made.description == "sums" and len(made) == 3, made
    read = client.datasets.get_dataset(dataset=name)
    assert read.id == made.id and read.version_id == made.version_id
    assert questions(read) == ["1+1", "2+2", "3+3"]
    first = next(example for example in read.examples if example["input"]["q"] == "1+1")
    assert first["output"] == {"a": "2"} and first["metadata"] == {"level": 1}, first
    assert first["node_id"] and first["id"] and first["updated_at"], first
    assert read.created_at.tzinfo is not None
    assert read.to_dataframe().loc[first["id"]]["output"] == {"a": "2"}
    assert client.datasets.get_dataset(dataset=made.id).version_id == made.version_id
    assert client.datasets.get_dataset(dataset=made).version_id == made.version_id
    assert type(made).from_dict(json.loads(json.dumps(made.to_dict()))).id == made.id


def test_splits():
    name = unique("splits")
    client.datasets.create_dataset(name=name, examples=EXAMPLES)
    assert questions(client.datasets.get_dataset(dataset=name, splits=["train"])) == ["1+1", "2+2"]
    assert questions(client.datasets.get_dataset(dataset=name, splits=["test"])) == ["2+2"]


def test_dataset_of_dictionaries():
    made = client.datasets.create_dataset(
        name=unique("dictionaries"),
        inputs=[{"q": "a"}, {"q": "b"}],
        outputs=[{"a": 1}, {"a": None}],
        metadata=[{"n": [1, 2]}, {}],
    )
    assert questions(made) == ["a", "b"]
    assert {json.dumps(example["output"]) for example in made.examples} == {'{"a": 1}', '{"a": null}'}


def test_dataset_of_a_dataframe():
    frame = pandas.DataFrame({"q": ["a", "b"], "a": ["1", "2"], "level": ["x", "y"], "part": ["train", "test"], "key": ["k1", "k2"]})
    name = unique("frame")
    made = client.datasets.create_dataset(
        name=name,
        dataframe=frame,
        input_keys=["q"],
        output_keys=["a"],
        metadata_keys=["level"],
        split_key="part",
        example_id_key="key",
    )
    assert questions(made) == ["a", "b"], made.examples
    assert made.examples[0]["output"] == {"a": "1"} and made.examples[0]["metadata"] == {"level": "x"}, made.examples
    assert questions(client.datasets.get_dataset(dataset=name, splits=["train"])) == ["a"]
    again = client.datasets.create_dataset(
        name=name, dataframe=frame.assign(a=["1", "3"]), input_keys=["q"], output_keys=["a"], example_id_key="key"
    )
    assert len(again) == 2 and {example["output"]["a"] for example in again.examples} == {"1", "3"}, again.examples


def test_dataset_of_a_csv_file():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.csv")
        path.write_text('q,a\n"one, ""two""","line\nbreak"\nb,2\n')
        made = client.datasets.create_dataset(
            name=unique("csv"), csv_file_path=path, input_keys=["q"], output_keys=["a"]
        )
    assert questions(made) == ["b", 'one, "two"'], made.examples
    assert {example["output"]["a"] for example in made.examples} == {"line\nbreak", "2"}


def test_the_same_examples_again_change_nothing_and_others_make_a_version():
    name = unique("updated")
    first = client.datasets.create_dataset(name=name, examples=EXAMPLES[:2])
    client.datasets.create_dataset(name=name, examples=EXAMPLES[:2])
    assert len(client.datasets.get_dataset_versions(dataset=name)) == 1
    second = client.datasets.create_dataset(name=name, examples=EXAMPLES[1:])
    assert second.id == first.id and second.version_id != first.version_id
    assert questions(client.datasets.get_dataset(dataset=name)) == ["2+2", "3+3"]
    assert questions(client.datasets.get_dataset(dataset=name, version_id=first.version_id)) == ["1+1", "2+2"]
    versions = client.datasets.get_dataset_versions(dataset=name)
    assert [version["version_id"] for version in versions] == [second.version_id, first.version_id], versions


def test_examples_are_added():
    name = unique("added")
    first = client.datasets.create_dataset(name=name, examples=EXAMPLES[:1])
    added = client.datasets.add_examples_to_dataset(dataset=name, examples=EXAMPLES[1:])
    assert questions(added) == ["1+1", "2+2", "3+3"] and added.version_id != first.version_id
    frame = pandas.DataFrame({"q": ["z"], "a": ["26"]})
    framed = client.datasets.add_examples_to_dataset(dataset=added, dataframe=frame, input_keys=["q"], output_keys=["a"])
    assert questions(framed) == ["1+1", "2+2", "3+3", "z"]


def test_examples_of_spans():
    log_spans(unique("dataset-source"), make_span(180, "one", trace=180))
    made = client.datasets.create_dataset(
        name=unique("of-spans"), examples=[{"input": {"q": "a"}, "output": {}, "span_id": span_id(180)}]
    )
    assert questions(made) == ["a"]


def test_list_of_datasets():
    for number in range(12):
        client.datasets.create_dataset(name=unique(f"listed-{number}"), inputs=[{"q": number}], outputs=[{}])
    listed = {dataset["name"] for dataset in client.datasets.list()}
    assert {unique(f"listed-{number}") for number in range(12)} <= listed, listed
    assert len(client.datasets.list(limit=3)) == 3
    assert status_of(lambda: client.datasets.get_dataset(dataset="RGF0YXNldDo5OTk5OTk=")) == 404
