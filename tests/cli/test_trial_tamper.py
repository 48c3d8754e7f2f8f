"""Trials that somebody bent: each change is refused with its stable word, or the test stays closed."""

import json
import os
import pathlib
import shutil
import subprocess
import time

import pytest
from trial_case import changed_embedding, reason


def test_no_word_on_the_test_before_it_is_opened(stages, tiny):
    """Neither a file but the withheld one nor a line on the console shows a test label."""
    sane = stages["sane"]
    labels = [line.split("\t")[1] for line in (tiny / "locked/labels.test.tsv").read_text().splitlines()[1:]]
    for path in sane.folder.rglob("*"):
        if path.is_file() and path.name != "labels.test.tsv":
            text = path.read_bytes()
            assert not any(label.encode() in text for label in labels), path
    assert (sane.folder / "labels.test.tsv").read_text() == (tiny / "locked/labels.test.tsv").read_text()


TAMPERED = [
    ("protocol.json", "protocol_changed"),
    ("data.json", "data_changed"),
    ("manifest.json", "manifest_changed"),
    ("rows.tsv", "rows_changed"),
    ("split.tsv", "split_changed"),
    ("labels.trainval.tsv", "label_changed"),
    ("labels.test.tsv", "label_changed"),
    ("fixed.tsv", "fixed_predictions_changed"),
    ("arms/demo/arm.json", "arm_record_changed"),
    ("arms/demo/sanity.json", "sanity_changed"),
    ("derived/x_delta.npy", "derived_changed"),
    ("derived/mag.npy", "derived_changed"),
    ("derived/z_demo.npy", "derived_changed"),
]


@pytest.mark.parametrize("name,expected", TAMPERED)
def test_one_changed_byte_is_refused(stages, tmp_path, name, expected):
    sane = stages["sane"].copy(tmp_path)
    path = sane.folder / name
    text = bytearray(path.read_bytes())
    text[-2] ^= 1
    path.write_bytes(text)
    assert reason(sane.run("final-test", code=4)) == expected
    assert not (sane.folder / "arms/demo/test.opened").exists()


@pytest.mark.parametrize(
    "key", ["gb_mean", "invalid_abs_sm", "mb_mean", "mb_seed", "mb_seeds", "mg_mean", "mg_seed", "mg_seeds", "partial"]
)
def test_a_changed_threshold_is_refused(stages, tmp_path, key):
    sane = stages["sane"].copy(tmp_path)
    path = sane.folder / "protocol.json"
    value = json.loads(path.read_text())["cascade"][key]
    other = value + 1 if isinstance(value, int) else value.replace("0", "1", 1)
    old = json.dumps({key: value}, separators=(",", ":"))[1:-1]
    new = json.dumps({key: other}, separators=(",", ":"))[1:-1]
    assert old in path.read_text() and old != new
    path.write_text(path.read_text().replace(old, new))
    assert reason(sane.run("final-test", code=4)) == "protocol_changed"


def test_scores_and_verdict_cannot_be_edited(stages, tmp_path):
    for name, expected in (("predictions.tsv", "predictions_changed"), ("metrics.json", "predictions_changed")):
        done = stages["done"].copy(tmp_path / name)
        path = done.folder / "arms/demo" / name
        path.write_text(path.read_text().replace("1", "2", 1))
        result = done.run("verify", code=4)
        assert "FAIL" in result.stdout
        if name == "predictions.tsv":
            assert f"reason={expected}" in result.stdout


def test_a_restored_older_folder_is_behind_the_mirror(stages, tmp_path):
    done = stages["done"].copy(tmp_path)
    shutil.rmtree(done.folder)
    shutil.copytree(stages["sane"].folder, done.folder)
    assert reason(done.run("final-test", code=4)) == "ledger_rollback"


def test_a_copied_folder_cannot_open_the_test_again(stages, tmp_path):
    """A copy taken before the test, tested elsewhere with the same state folder."""
    sane = stages["sane"].copy(tmp_path)
    shutil.copytree(sane.folder, tmp_path / "copy")
    sane.run("final-test")
    result = sane.scvet(
        "trial", "final-test", "--trial", tmp_path / "copy", "--state-dir", sane.state, code=4
    )  # fmt: skip
    assert reason(result) in ("ledger_rollback", "test_already_opened")


def test_a_ledger_that_was_cut_is_refused(stages, tmp_path):
    sane = stages["sane"].copy(tmp_path)
    path = sane.folder / "ledger.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-2]))
    assert reason(sane.run("final-test", code=4)) in ("ledger_truncated", "ledger_rollback")
    path.write_bytes(b"".join(lines[:1] + lines[2:]))
    assert reason(sane.run("final-test", code=4)) == "ledger_chain"


@pytest.mark.parametrize(
    "change,code,expected",
    [
        ("noise", 4, "embedding_changed"),
        ("permuted", 4, "embedding_changed"),
        ("short", 3, "cells_unmatched"),
        ("nan", 3, "nonfinite_embedding"),
        ("twice", 3, "duplicate_names"),
    ],
)
def test_another_embedding_is_refused(stages, tmp_path, tiny, change, code, expected):
    sane = stages["sane"].copy(tmp_path)
    changed_embedding(tiny, tmp_path / "z.h5ad", change)
    assert reason(sane.run("final-test", "--embedding", tmp_path / "z.h5ad", code=code)) == expected


def test_one_writer_at_a_time(trial):
    trial.lock()
    program = os.environ.get("SCVET") or str(pathlib.Path(__file__).resolve().parents[2] / "build/release/scvet")
    place = ["--trial", trial.folder, "--state-dir", trial.state]
    first = subprocess.Popen(
        [program, "trial", "sanity", *map(str, place)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    found = set()
    while first.poll() is None and "writer_active" not in found:
        second = subprocess.run([program, "trial", "sanity", *map(str, place)], capture_output=True, text=True)
        found.add(reason(second))
        time.sleep(0.05)
    first.wait()
    assert "writer_active" in found or first.returncode == 4
    assert "ok" in trial.run("verify").stdout
