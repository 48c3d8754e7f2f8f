"""scvet demo: what is planted is found, and nothing else is."""

import csv
import json

import pytest


@pytest.fixture(scope="module")
def demo(scvet, tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "out"
    return out, scvet("demo", "--outdir", out)


def table(stdout):
    rows = {}
    for line in stdout.splitlines()[1:]:
        words = line.split()
        if words and words[0] in {"exact", "thinned", "stranger", "rare", "unrelated"}:
            rows[words[0]] = dict(
                zip(
                    ["cells", "exact", "same_cell", "suspect", "undecidable", "right"],
                    map(int, words[1:7]),
                    strict=True,
                )
            )
    return rows


def test_every_exact_copy_is_exact_and_finds_its_own_cell(demo):
    row = table(demo[1].stdout)["exact"]
    assert row["cells"] == row["exact"] == row["right"] == 60


def test_thinned_copies_are_found_as_the_same_cell_but_not_as_exact(demo):
    row = table(demo[1].stdout)["thinned"]
    assert row["exact"] == 0
    assert row["same_cell"] >= 0.9 * row["cells"]
    assert row["right"] >= 0.9 * row["cells"]


@pytest.mark.parametrize("planted", ["stranger", "rare", "unrelated"])
def test_other_cells_are_not_flagged(demo, planted):
    row = table(demo[1].stdout)[planted]
    assert row["cells"] > 0
    assert row["exact"] == row["same_cell"] == row["suspect"] == 0


def test_the_last_line_says_where_the_report_is(demo):
    out, result = demo
    last = result.stdout.splitlines()[-1]
    assert last == f"report: {out}/audit/report.html"
    assert (out / "audit" / "report.html").stat().st_size > 100_000


def test_the_run_folder_records_what_was_done(demo):
    record = json.loads((demo[0] / "audit" / "run.json").read_text())
    assert record["status"] == "ok" and record["command"] == "audit" and record["seed"] == 42
    assert all(len(entry["sha256"]) == 64 for entry in record["inputs"])
    assert set(record["outputs"]) >= {"report.html", "cells.csv", "audit.json", "clean_cells.txt", "benchmark.h5ad"}
    assert (demo[0] / "audit" / "log.txt").read_text() != ""


def test_the_same_seed_gives_the_same_bytes_with_one_thread(scvet, tmp_path):
    # Stores and tables name their input files as given, so both runs use the same relative paths.
    for name, threads in [("two", 2), ("one", 1)]:
        (tmp_path / name).mkdir()
        scvet("demo", "--outdir", "demo", "--threads", threads, cwd=tmp_path / name)
    for name in ["study_a.h5ad", "benchmark.h5ad", "demo.corpus"]:
        assert (tmp_path / "one/demo" / name).read_bytes() == (tmp_path / "two/demo" / name).read_bytes(), name
    for name in ["cells.csv", "clean_cells.txt", "benchmark.h5ad"]:
        one, two = (tmp_path / run / "demo/audit" / name for run in ["one", "two"])
        assert one.read_bytes() == two.read_bytes(), name


def test_exposure_agrees_with_the_flags(demo):
    with open(demo[0] / "audit" / "cells.csv", newline="") as file:
        for row in csv.DictReader(file):
            flags = set(filter(None, row["flags"].split(";")))
            assert (row["exposure"] == "exposed") == bool(flags & {"exact", "same_cell"})
