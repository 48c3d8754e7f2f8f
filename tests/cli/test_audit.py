"""scvet audit as a user runs it, on real files whose shared cells are known."""

import csv
import json
import shutil

import pytest


def read_cells(folder):
    with open(folder / "cells.csv", newline="") as file:
        return list(csv.DictReader(file))


def flagged(rows, flag):
    return {row["cell"] for row in rows if flag in row["flags"].split(";")}


@pytest.fixture(scope="module")
def liger_corpus(scvet, real, tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "liger.corpus"
    scvet("corpus", "build", "--out", path, real / "kang_liger_ctrl_300.h5", real / "kang_liger_stim_300.h5")
    return path


@pytest.fixture(scope="module")
def kang_against_liger(scvet, real, liger_corpus, tmp_path_factory):
    out = tmp_path_factory.mktemp("kang") / "audit"
    scvet("audit", "--benchmark", real / "kang_pbmc_2000.h5ad", "--corpus", liger_corpus, "--outdir", out)
    return out


def test_the_49_shared_kang_cells_are_exact_and_no_other(kang_against_liger, truth):
    rows = read_cells(kang_against_liger)
    assert len(rows) == 2000
    expected = {pair["kang_pbmc_2000"]: pair["kang_liger"] for pair in truth["kang"]["pairs"]}
    assert flagged(rows, "exact") == set(expected)
    for row in rows:
        if row["cell"] in expected:
            assert row["match_cell"] == expected[row["cell"]]
            assert row["jstar"] == "1"
            assert row["identical_counts"] != ""
            assert row["exposure"] == "exposed"


def test_the_49_shared_kang_cells_are_exact_the_other_way_round(scvet, real, truth, tmp_path):
    corpus = tmp_path / "kang.corpus"
    scvet("corpus", "build", "--out", corpus, real / "kang_pbmc_2000.h5ad")
    out = tmp_path / "audit"
    scvet(
        "audit",
        "--benchmark",
        real / "kang_liger_ctrl_300.h5",
        real / "kang_liger_stim_300.h5",
        "--corpus",
        corpus,
        "--outdir",
        out,
    )
    rows = read_cells(out)
    assert len(rows) == 600
    expected = {pair["kang_liger"]: pair["kang_pbmc_2000"] for pair in truth["kang"]["pairs"]}
    assert flagged(rows, "exact") == set(expected)
    matched = {row["cell"]: row["match_cell"] for row in rows if row["cell"] in expected}
    assert matched == expected


def test_the_verdict_of_the_kang_pair_is_exposed(scvet, real, liger_corpus, kang_against_liger, tmp_path):
    audit = json.loads((kang_against_liger / "audit.json").read_text())
    assert "exposed" in json.dumps(audit)
    result = scvet(
        "audit",
        "--benchmark",
        real / "kang_pbmc_2000.h5ad",
        "--corpus",
        liger_corpus,
        "--outdir",
        tmp_path / "a",
        "--fail-on",
        "exposed",
        code=1,
    )
    assert "Exposed" in result.stdout


def test_outputs_are_the_same_bytes_for_any_thread_count(scvet, real, liger_corpus, kang_against_liger, tmp_path):
    out = tmp_path / "one"
    scvet(
        "audit", "--benchmark", real / "kang_pbmc_2000.h5ad", "--corpus", liger_corpus, "--outdir", out, "--threads", 1
    )
    for name in ["report.html", "audit.json", "cells.csv", "clean_cells.txt", "kang_pbmc_2000.h5ad"]:
        assert (out / name).read_bytes() == (kang_against_liger / name).read_bytes(), name


def test_clean_cells_are_those_with_clean_exposure(kang_against_liger):
    rows = read_cells(kang_against_liger)
    text = (kang_against_liger / "clean_cells.txt").read_text().splitlines()
    assert text[0].startswith("#")
    listed = [line for line in text if not line.startswith("#")]
    assert listed == [row["cell"] for row in rows if row["exposure"] == "clean"]


def test_a_finished_audit_is_not_done_again(scvet, real, liger_corpus, tmp_path):
    arguments = [
        "audit",
        "--benchmark",
        real / "pbmc_facs_800.h5ad",
        "--corpus",
        liger_corpus,
        "--outdir",
        tmp_path / "a",
    ]
    scvet(*arguments)
    first = (tmp_path / "a" / "cells.csv").stat().st_mtime_ns
    again = scvet(*arguments)
    assert "unchanged" in again.stderr
    assert (tmp_path / "a" / "cells.csv").stat().st_mtime_ns == first
    (tmp_path / "a" / "cells.csv").write_text("tampered\n")
    scvet(*arguments)
    assert len(read_cells(tmp_path / "a")) == 800


@pytest.mark.parametrize(
    "name, words",
    [
        ("oligodendroglioma_184_fractional.h5ad", ["whole", "%"]),
        ("pbmc_3tech_1200_lognorm.h5ad", ["counts"]),
        ("cellxgene_pbmc3k_nan_100x100.h5ad", ["NaN"]),
        ("scp_duplicate_cell_name.h5ad", ["AA"]),
        ("scp_truncated.h5", ["truncated"]),
    ],
)
def test_files_without_counts_or_with_faults_are_refused_by_name(scvet, real, liger_corpus, tmp_path, name, words):
    result = scvet("audit", "--benchmark", real / name, "--corpus", liger_corpus, "--outdir", tmp_path / "a", code=3)
    assert name in result.stderr
    for word in words:
        assert word in result.stderr
    assert not (tmp_path / "a" / "cells.csv").exists()


def test_a_mouse_benchmark_against_a_human_corpus_is_refused(scvet, real, liger_corpus, tmp_path):
    result = scvet(
        "audit",
        "--benchmark",
        real / "squidpy_visium_mouse_49.h5ad",
        "--corpus",
        liger_corpus,
        "--values",
        "as-is",
        "--outdir",
        tmp_path / "a",
        code=3,
    )
    assert "mouse" in result.stderr and "human" in result.stderr


def test_a_named_column_that_is_missing_is_a_usage_error(scvet, real, liger_corpus, tmp_path):
    result = scvet(
        "audit",
        "--benchmark",
        real / "kang_pbmc_2000.h5ad",
        "--corpus",
        liger_corpus,
        "--donor-key",
        "conditoin",
        "--outdir",
        tmp_path / "a",
        code=2,
    )
    assert "condition" in result.stderr


def test_a_missing_file_is_exit_3(scvet, liger_corpus, tmp_path):
    result = scvet("audit", "--benchmark", tmp_path / "no.h5ad", "--corpus", liger_corpus, code=3)
    assert "no.h5ad" in result.stderr


def test_another_gene_table_is_another_run(scvet, real, liger_corpus, tmp_path):
    table = tmp_path / "genes.tsv"
    table.write_text("ENSG00000141510\tTP53\thuman\n")
    arguments = ("audit", "--benchmark", real / "kang_pbmc_2000.h5ad", "--corpus", liger_corpus, "--gene-table", table)
    arguments += ("--outdir", tmp_path / "out")
    scvet(*arguments)
    assert "complete and unchanged" in scvet(*arguments).stderr
    table.write_text("ENSG00000141510\tTP53\thuman\nENSG00000012048\tBRCA1\thuman\n")
    assert "complete and unchanged" not in scvet(*arguments).stderr


def test_copies_of_benchmarks_of_one_stem_and_their_clean_cells_bear_different_names(
    scvet, real, liger_corpus, tmp_path
):
    names = ("a/x.h5ad", "b/x.h5ad", "c/x_2.h5ad", "d/x.clean.h5ad")
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(real / "kang_pbmc_2000.h5ad", tmp_path / name)
    benchmarks = [tmp_path / name for name in names]
    scvet("audit", "--benchmark", *benchmarks, "--corpus", liger_corpus, "--write-clean", "--outdir", tmp_path / "out")
    outputs = json.loads((tmp_path / "out" / "run.json").read_text())["outputs"]
    assert len([name for name in outputs if name.endswith(".h5ad")]) == 8
    assert len(set(outputs)) == len(outputs)
