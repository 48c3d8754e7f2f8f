"""scvet check as a user runs it: the peer's reports to the letter, ours beside them."""

import json

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp


def checked(scvet, file, out, *flags, code=0):
    scvet("check", "--data", file, "--outdir", out, *flags, code=code)
    name = file.name.removesuffix(".h5ad").removesuffix(".h5")
    text = (out / "check" / f"{name}_check.txt").read_text()
    return text, json.loads((out / "check" / f"{name}_check.json").read_text())


def levels(report, part="lines"):
    return {line["test"]: line["level"] for line in report[part]}


@pytest.fixture
def ready():
    """A file without a fault; each test spoils one thing."""
    rng = np.random.default_rng(3)
    x = sp.csr_matrix(rng.poisson(2, (90, 30)).astype(np.float32))
    x[0, 0] = 40
    genes = [f"GENE{chr(65 + at)}" for at in range(26)] + ["TP53", "CD4", "CD8A", "MS4A1"]
    var = pd.DataFrame({"gene_symbol": genes, "ensembl_id": [f"ENSG{at:011}" for at in range(30)]}, index=genes)
    names = [f"c{at}" for at in range(90)]
    obs = pd.DataFrame(
        {"barcode": names, "cell_type": ["A", "B", "C"] * 30, "batch_id": ["x"] * 45 + ["y"] * 45}, index=names
    )
    return anndata.AnnData(x, obs=obs, var=var)


@pytest.fixture
def spoiled(scvet, ready, tmp_path):
    def check(change, *flags):
        change(ready)
        path = tmp_path / "file.h5ad"
        ready.write_h5ad(path)
        return checked(scvet, path, tmp_path / "results", "--force", *flags)

    return check


@pytest.mark.parametrize("sample", ["pbmc68k", "synth1b", "synth3b"])
def test_the_report_is_the_peers_to_the_letter_but_for_our_marked_lines(scvet, reference, tmp_path, sample):
    folder = reference / "benchmark"
    text, _ = checked(scvet, folder / "data" / f"{sample}.h5ad", tmp_path)
    lines = text.splitlines(keepends=True)
    theirs = "".join(line for line in lines if not line.startswith("  + "))
    assert theirs == (folder / "expected" / "tables" / "check" / f"{sample}_check.txt").read_text()
    ours = [line for line in lines if line.startswith("  + ")]
    assert len(ours) > 3 and lines[-len(ours) :] == ours
    assert "scvet adds" in ours[0]


def test_a_file_without_fault_is_ready(spoiled):
    text, report = spoiled(lambda data: None)
    assert set(levels(report).values()) <= {"OK", "INFO", "WARN"} and not report["failed"]
    assert {test for test, level in levels(report).items() if level == "WARN"} == {"n_genes"}
    assert report["values"]["state"] == "counts"


def set_values(function):
    def change(data):
        data.X = sp.csr_matrix(function(data.X.toarray().astype(np.float64)))

    return change


def put(value):
    def function(x):
        x[4, 5] = value
        return x

    return function


def rename_obs(data):
    data.obs_names = ["c0", "c0", *data.obs_names[2:]]


CASES = [
    (set_values(put(np.nan)), "values", "FAIL"),
    (set_values(put(np.inf)), "values", "FAIL"),
    (set_values(put(-1)), "values", "FAIL"),
    (set_values(np.log1p), "values", "FAIL"),
    (set_values(lambda x: x * 1.7), "values", "WARN"),
    (set_values(lambda x: np.minimum(x, 20)), "values", "WARN"),
    (lambda data: data.var.drop(columns="gene_symbol", inplace=True), "gene_symbol", "FAIL"),
    (lambda data: data.var.__setitem__("gene_symbol", ["A"] * 30), "gene_symbol", "WARN"),
    (lambda data: data.var.__setitem__("gene_symbol", [f"n{at}" for at in range(30)]), "gene_symbol", "WARN"),
    (lambda data: data.var.drop(columns="ensembl_id", inplace=True), "ensembl_id", "INFO"),
    (lambda data: setattr(data, "var_names", ["A", "A", *data.var_names[2:]]), "gene_index", "FAIL"),
    (lambda data: setattr(data, "var_names", data.var["ensembl_id"]), "gene_ids", "WARN"),
    (
        lambda data: setattr(data, "var_names", [data.var["ensembl_id"].iloc[0], *data.var_names[1:]]),
        "gene_ids",
        "INFO",
    ),
    (rename_obs, "cell_index", "FAIL"),
    (lambda data: data.obs.drop(columns="barcode", inplace=True), "barcode", "FAIL"),
    (lambda data: data.obs.__setitem__("barcode", "same"), "barcode", "FAIL"),
    (lambda data: data.obs.__setitem__("barcode", data.obs["barcode"] + "!"), "barcode", "WARN"),
    (lambda data: data.obs.drop(columns="cell_type", inplace=True), "labels", "INFO"),
    (lambda data: data.obs.__setitem__("cell_type", ["A"] * 87 + ["B"] * 3), "small_class", "WARN"),
    (lambda data: data.obs.__setitem__("cell_type", "A"), "one_class", "WARN"),
    (lambda data: data.obs.drop(columns="batch_id", inplace=True), "batches", "INFO"),
    (lambda data: data.obs.__setitem__("batch_id", "x"), "one_batch", "INFO"),
    (lambda data: data.obs.__setitem__("batch_id", ["x"] * 60 + ["y"] * 30), "small_batch", "INFO"),
    (lambda data: data.obsm.__setitem__("spatial", np.zeros((90, 2))), "spatial", "INFO"),
]


@pytest.mark.parametrize(("change", "test", "level"), CASES)
def test_every_fault_has_its_level(spoiled, change, test, level):
    text, report = spoiled(change)
    assert levels(report).get(test) == level, text
    assert report["failed"] == ("FAIL" in levels(report).values()), text


@pytest.mark.parametrize(
    ("change", "flags", "test", "level"),
    [
        (lambda d: d.var.drop(columns="ensembl_id", inplace=True), ("--method", "geneformer"), "ensembl_id", "FAIL"),
        (lambda d: d.var.drop(columns="ensembl_id", inplace=True), ("--method", "scPRINT"), "ensembl_id", "FAIL"),
        (lambda d: d.obs.drop(columns="cell_type", inplace=True), ("--role", "reference"), "labels", "FAIL"),
        (lambda d: d.obs.drop(columns="batch_id", inplace=True), ("--method", "harmony"), "batches", "FAIL"),
        (
            lambda d: d.obs.__setitem__("batch_id", ["x"] * 60 + ["y"] * 30),
            ("--method", "seurat_rpca"),
            "small_batch",
            "WARN",
        ),
        (lambda d: None, ("--method", "novae"), "spatial", "FAIL"),
    ],
)
def test_a_method_or_a_role_raises_the_level(spoiled, change, flags, test, level):
    text, report = spoiled(change, *flags)
    assert levels(report).get(test) == level, text


def test_counts_in_a_layer_are_pointed_to(spoiled):
    def logged(data):
        data.layers["counts"] = data.X.copy()
        data.X = sp.csr_matrix(np.log1p(data.X.toarray()))

    text, _ = spoiled(logged)
    assert "layers['counts']" in text and "log" in text


def test_a_batch_of_other_values_is_named(spoiled):
    def mixed(data):
        x = data.X.toarray()
        x[45:] = x[45:] * 1.37
        data.X = sp.csr_matrix(x)

    text, report = spoiled(mixed)
    line = next(line for line in report["scvet"] if line["test"] == "batch_values")
    assert (
        line["level"] == "WARN" and "'y'" in line["text"] and "'x'" not in line["text"] and "cell c45" in line["text"]
    )


def test_a_fraction_that_a_probe_would_miss_is_found(scvet, ready, tmp_path):
    x = sp.csr_matrix(np.full((30000, 30), 40, dtype=np.float32))
    x.data[12345] = 1.5
    names = [f"c{at}" for at in range(30000)]
    data = anndata.AnnData(x, obs=pd.DataFrame({"barcode": names}, index=names), var=ready.var)
    data.write_h5ad(tmp_path / "big.h5ad")
    text, report = checked(scvet, tmp_path / "big.h5ad", tmp_path)
    assert levels(report)["values"] == "OK"  # the peer's probe sees every fourth value
    assert levels(report, "scvet")["value_state"] == "WARN" and "cell c411 gene" in text


def test_confounding_runs_from_none_to_whole(spoiled):
    def whole(data):
        data.obs["cell_type"] = ["A"] * 45 + ["B"] * 45

    _, report = spoiled(lambda data: data.obs.__setitem__("batch_id", ["x", "x", "x", "y", "y", "y"] * 15))
    assert report["confounding"]["cramers_v"] == 0 and not report["confounding"]["labels_in_one_batch"]
    _, report = spoiled(whole)
    # x and y alternate in threes, labels come in halves: nearly none; by halves of batches: whole
    _, report = spoiled(lambda data: data.obs.__setitem__("batch_id", ["x"] * 45 + ["y"] * 45))
    assert report["confounding"]["cramers_v"] == 1
    assert report["confounding"]["labels_in_one_batch"] == ["A", "B"]
    assert levels(report, "scvet")["confounding"] == "WARN"


def test_cramers_v_is_that_of_the_contingency_table(spoiled):
    labels = ["A"] * 40 + ["B"] * 30 + ["C"] * 20
    batches = (["x"] * 25 + ["y"] * 15) + (["x"] * 5 + ["y"] * 25) + ["y"] * 20

    def change(data):
        data.obs["cell_type"], data.obs["batch_id"] = labels, batches

    _, report = spoiled(change)
    table = pd.crosstab(pd.Series(labels), pd.Series(batches)).to_numpy().astype(float)
    expected = np.outer(table.sum(1), table.sum(0)) / table.sum()
    v = np.sqrt(((table - expected) ** 2 / expected).sum() / table.sum())
    assert report["confounding"]["cramers_v"] == pytest.approx(v, rel=1e-12)
    assert report["confounding"]["labels_in_one_batch"] == ["C"]


def test_shares_of_a_vocabulary_are_counted(spoiled, tmp_path):
    vocabulary = tmp_path / "vocab.json"
    vocabulary.write_text(json.dumps({"<pad>": 0, "TP53": 1, "CD4": 2, "ABSENT": 3}))
    totals = {}

    def change(data):
        totals.update(zip(data.var_names, np.asarray(data.X.sum(0)).ravel(), strict=True))

    _, report = spoiled(change, "--vocabulary", vocabulary)
    share = report["vocabularies"][0]
    assert (share["n_vocabulary"], share["n_known"], share["n_genes"]) == (3, 2, 30)
    expected = (totals["TP53"] + totals["CD4"]) / sum(totals.values())
    assert share["share_of_counts"] == pytest.approx(expected, rel=1e-12)
    assert levels(report, "scvet")["vocabulary"] == "WARN"


def test_empty_cells_are_counted_and_named(spoiled):
    def empty(data):
        x = data.X.toarray()
        x[[3, 8]] = 0
        data.X = sp.csr_matrix(x)

    text, report = spoiled(empty)
    assert report["values"]["empty_cells"] == 2 and "2 cells have no value but zero (c3, c8)" in text


def test_genes_that_are_numbers_are_spotted(spoiled):
    text, report = spoiled(lambda data: setattr(data, "var_names", [str(at) for at in range(30)]))
    assert levels(report, "scvet")["numbered_genes"] == "WARN" and "--symbol-key gene_symbol" in text


def test_wrapped_row_pointers_are_a_fail_that_names_the_row(scvet, ready, tmp_path):
    path = tmp_path / "wrapped.h5ad"
    ready.write_h5ad(path)
    with h5py.File(path, "r+") as file:
        file["X/indptr"][7] = -5
    text, report = checked(scvet, path, tmp_path)
    assert levels(report)["values"] == "FAIL" and "row pointer -5 is negative at cell 6" in text
    assert report["failed"]


REAL = {
    "oligodendroglioma_184_fractional.h5ad": ("fractional", {"gene_symbol": "FAIL"}),
    "pbmc_3tech_1200_lognorm.h5ad": ("logged", {"values": "FAIL"}),
    "scp_duplicate_cell_name.h5ad": (None, {"cell_index": "FAIL"}),
    "cellxgene_pbmc3k_nan_100x100.h5ad": ("broken", {"values": "FAIL"}),
    "anndata_v0.11.4.h5ad": (None, {"values": "FAIL"}),
    "anndata_v0.5.0_pbmc68k_reduced.h5ad": ("scaled", {"values": "FAIL"}),
    "kang_pbmc_2000.h5ad": ("counts", {"values": "OK"}),
    "pbmc_facs_800.h5ad": ("counts", {"values": "OK", "n_genes": "OK"}),
    "mixology_3batch.h5ad": ("counts", {"values": "OK", "gene_ids": "WARN"}),
    "harmony_cell_lines_2370_pca.h5ad": (None, {"values": "FAIL"}),
}


@pytest.mark.parametrize("name", REAL)
def test_real_files_get_the_right_words(scvet, real, tmp_path, name):
    state, wanted = REAL[name]
    _, report = checked(scvet, real / name, tmp_path)
    if state:
        assert report["values"]["state"] == state
    for test, level in wanted.items():
        assert levels(report).get(test) == level, report["lines"]


def test_no_real_file_stops_the_check(scvet, real, tmp_path):
    for path in sorted(path for path in real.iterdir() if path.suffix not in (".md", ".json")):
        if path.name in ("licences", "harmonypy"):
            continue
        scvet("check", "--data", path, "--outdir", tmp_path / path.name)
        reports = list((tmp_path / path.name / "check").glob("*_check.json"))
        assert len(reports) == 1, path.name
        assert json.loads(reports[0].read_text())["lines"], path.name


def test_a_truncated_file_is_a_fail_and_strict_makes_it_exit_3(scvet, real, tmp_path):
    path = real / "scp_truncated.h5"
    text, report = checked(scvet, path, tmp_path)
    assert levels(report) == {"readable": "FAIL"} and "truncated" in text and "not ready" in text
    result = scvet("check", "--data", path, "--outdir", tmp_path, "--strict", code=3)
    assert "scp_truncated" in result.stderr
    scvet("check", "--data", real / "kang_pbmc_2000.h5ad", "--outdir", tmp_path / "k", "--strict", code=3)  # unprepared


def test_a_path_or_a_method_that_is_not_there_is_exit_2(scvet, real, tmp_path):
    scvet("check", "--data", tmp_path / "none.h5ad", "--outdir", tmp_path, code=2)
    result = scvet(
        "check", "--data", real / "kang_pbmc_2000.h5ad", "--method", "geneforme", "--outdir", tmp_path, code=2
    )
    assert "geneformer" in result.stderr
    scvet("check", "--data", real / "kang_pbmc_2000.h5ad", "--role", "both", "--outdir", tmp_path, code=2)


def test_the_report_goes_to_stdout_as_well(scvet, real, tmp_path):
    result = scvet("check", "--data", real / "kang_pbmc_2000.h5ad", "--outdir", tmp_path)
    assert result.stdout == (tmp_path / "check" / "kang_pbmc_2000_check.txt").read_text()


def test_a_prepared_file_passes(scvet, real, tmp_path):
    scvet("prepare", "--data", real / "kang_pbmc_2000.h5ad", "--batch-from", "batch", "--outdir", tmp_path / "prepared")
    _, report = checked(scvet, tmp_path / "prepared" / "kang_pbmc_2000.h5ad", tmp_path, "--strict")
    assert not report["failed"] and "batches" in levels(report)
