"""scvet audit --paper and the nulls that draw, on real files."""

import csv
import json
import re

import pytest

LINE = re.compile(
    r"^(?P<name>\S+): n (?P<n>[\d,]+), mean J\* (?P<mean>[\d.]+), max J\* (?P<max>[\d.]+), "
    r"p < 0\.05 (?P<p05>[\d.]+) %, p < 0\.01 (?P<p01>[\d.]+) %, "
    r"without a candidate (?P<none>[\d.]+) % \(engine (?P<engine>\w+), null uniform",
    re.MULTILINE,
)


def cells_of(folder):
    with open(folder / "cells.csv", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def mixology(scvet, real, tmp_path_factory):
    """Each half of a cell-line mixture: a corpus, and a benchmark that shares no cell with it."""
    anndata = pytest.importorskip("anndata")
    folder = tmp_path_factory.mktemp("mixology")
    cells = anndata.read_h5ad(real / "mixology_3batch.h5ad")
    cells[::2].write_h5ad(folder / "corpus.h5ad")
    cells[1::2][:40].write_h5ad(folder / "half.h5ad")
    scvet("corpus", "build", "--out", folder / "half.corpus", folder / "corpus.h5ad")
    return folder


@pytest.fixture(scope="module")
def paper(scvet, mixology, tmp_path_factory):
    out = tmp_path_factory.mktemp("paper") / "audit"
    done = scvet(
        "audit", "--benchmark", mixology / "half.h5ad", "--corpus", mixology / "half.corpus", "--paper", "--outdir", out
    )
    return done, out


def test_paper_prints_its_summary_line_and_the_same_numbers_stand_in_audit_json(paper):
    done, out = paper
    line = LINE.search(done.stdout)
    assert line and line["name"] == "half" and line["engine"] == "lsh"
    audit = json.loads((out / "audit.json").read_text())
    assert audit["engine"] == "lsh" and audit["parameters"]["nulls"] == ["uniform"]
    written = audit["datasets"][0]["paper_line"]
    assert written["sentence"] in done.stdout
    assert float(line["mean"]) == pytest.approx(written["mean_jstar"], abs=5e-4)
    assert float(line["p05"]) == pytest.approx(100 * written["share_p_below_05"], abs=0.005)
    rows = cells_of(out)
    p = [float(row["p_uniform"]) for row in rows if row["p_uniform"]]
    assert written["n"] == len(rows) and written["n_p"] == len(p)
    assert written["share_p_below_01"] == pytest.approx(sum(value < 0.01 for value in p) / len(p))
    assert written["n_no_candidate"] == sum(row["no_candidate"] == "True" for row in rows)
    assert written["mean_jstar"] == pytest.approx(sum(float(row["jstar"]) for row in rows) / len(rows))


def test_unseen_cells_are_called_contaminated_by_the_recipe_and_so_it_warns_and_decides_nothing(paper):
    """No cell of the benchmark is in the corpus, and yet whatever has a candidate has the smallest p there is."""
    done, out = paper
    assert "never shows membership" in done.stderr
    assert "half: Undecided" in done.stdout
    rows = cells_of(out)
    found = [row for row in rows if row["no_candidate"] == "False"]
    assert found
    assert all(float(row["p_uniform"]) < 0.01 for row in found if float(row["jstar"]) > float(row["j_max_uniform"]))
    for row in rows:
        assert row["p_same"] == "" and row["flags"] == "" and row["exposure"] == "unknown"
        if row["no_candidate"] == "True":
            assert row["jstar"] == "0" and row["p_uniform"] == "1"
    page = (out / "report.html").read_text()
    assert "never shows membership" in page and 'id="table-published"' in page


def test_paper_finds_the_shared_cells_by_content_all_the_same(scvet, real, truth, tmp_path):
    corpus = tmp_path / "liger.corpus"
    scvet("corpus", "build", "--out", corpus, real / "kang_liger_ctrl_300.h5", real / "kang_liger_stim_300.h5")
    out = tmp_path / "audit"
    done = scvet(
        "audit", "--benchmark", real / "kang_pbmc_2000.h5ad", "--corpus", corpus, "--paper", "--min-genes", 60,
        "--outdir", out,
    )  # fmt: skip
    assert "kang_pbmc_2000: Exposed: 49 of" in done.stdout
    assert LINE.search(done.stdout)["n"] == "2,000"
    exact = {row["cell"] for row in cells_of(out) if "exact" in row["flags"].split(";")}
    assert exact == {pair["kang_pbmc_2000"] for pair in truth["kang"]["pairs"]}
    for row in cells_of(out):
        assert (row["p_uniform"] == "") == (int(row["size"]) < 60)
        assert row["status"] == (
            "too_few_genes" if 0 < int(row["size"]) < 60 else "empty" if row["size"] == "0" else "ok"
        )
    again = scvet(
        "audit", "--benchmark", real / "kang_pbmc_2000.h5ad", "--corpus", corpus, "--paper", "--min-genes", 60,
        "--outdir", out,
    )  # fmt: skip
    assert "unchanged" in again.stderr and LINE.search(again.stdout)["n"] == "2,000"


@pytest.mark.parametrize(("flag", "value"), [("--engine", "exact"), ("--null", "same_cell")])
def test_paper_with_another_engine_or_null_is_a_usage_error(scvet, mixology, tmp_path, flag, value):
    done = scvet(
        "audit", "--benchmark", mixology / "half.h5ad", "--corpus", mixology / "half.corpus", "--paper", flag, value,
        "--outdir", tmp_path / "a", code=2,
    )  # fmt: skip
    assert flag in done.stderr and value in done.stderr and "--paper" in done.stderr
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("engine", ["minhash", "lsh", "sketch8"])
def test_another_engine_leaves_same_cell_undefined_says_why_and_keeps_exact_identity(scvet, real, tmp_path, engine):
    corpus = tmp_path / "liger.corpus"
    scvet("corpus", "build", "--out", corpus, real / "kang_liger_ctrl_300.h5", real / "kang_liger_stim_300.h5")
    out = tmp_path / "audit"
    scvet("audit", "--benchmark", real / "kang_pbmc_2000.h5ad", "--corpus", corpus, "--engine", engine, "--outdir", out)
    rows = cells_of(out)
    assert all(row["p_same"] == "" and row["lift"] == "" for row in rows)
    assert sum("exact" in row["flags"].split(";") for row in rows) == 49
    audit = json.loads((out / "audit.json").read_text())
    assert audit["engine"] == engine
    assert any("destroys the spacings" in note for note in audit["datasets"][0]["notes"])
    assert "destroys the spacings" in (out / "report.html").read_text()


def test_frequency_is_shown_as_an_excess_and_flags_nothing(scvet, mixology, tmp_path):
    out = tmp_path / "audit"
    scvet(
        "audit", "--benchmark", mixology / "half.h5ad", "--corpus", mixology / "half.corpus", "--null", "frequency",
        "--outdir", out,
    )  # fmt: skip
    for row in cells_of(out):
        assert float(row["excess_frequency"]) == pytest.approx(
            float(row["jstar"]) - float(row["j_mean_frequency"]), abs=1e-12
        )
        assert row["flags"] == "" and row["p_uniform"] == ""
