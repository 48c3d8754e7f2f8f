"""scvet audit with each search engine, on two real files that share 49 cells."""

import csv

import pytest

ENGINES = ["exact", "lsh", "minhash", "sketch8"]


def test_help_lists_the_engines(scvet):
    assert ", ".join(ENGINES) in scvet("audit", "--help").stdout.replace("\n", " ")


def test_an_unknown_engine_is_a_usage_error_that_names_them(scvet, real, tmp_path):
    corpus = tmp_path / "liger.corpus"
    scvet("corpus", "build", "--out", corpus, real / "kang_liger_ctrl_300.h5")
    said = scvet(
        "audit", "--benchmark", real / "kang_pbmc_2000.h5ad", "--corpus", corpus, "--engine", "sketch9", code=2
    ).stderr
    assert "did you mean 'sketch8'" in said
    assert all(engine in said for engine in ENGINES)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_finds_the_shared_cells_with_jaccard_one(scvet, real, tmp_path, engine):
    corpus = tmp_path / "liger.corpus"
    scvet("corpus", "build", "--out", corpus, real / "kang_liger_ctrl_300.h5", real / "kang_liger_stim_300.h5")
    out = tmp_path / "audit"
    scvet("audit", "--benchmark", real / "kang_pbmc_2000.h5ad", "--corpus", corpus, "--engine", engine, "--outdir", out)
    with open(out / "cells.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    shared = [row for row in rows if "exact" in row["flags"].split(";")]
    assert len(shared) == 49
    assert all(float(row["jstar"]) == 1 for row in shared)
    # Containment is given by the exact engine alone, and only it tests for the same cell.
    assert any(row["containment"] for row in rows) == (engine == "exact")
    assert any(row["p_same"] for row in rows) == (engine == "exact")
