"""scvet geometry: tables and values of the peer, pairs of files, missing cells, runs that are not done again."""

import csv
import json
import math

import pytest

anndata = pytest.importorskip("anndata")
np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")

RUNS = {
    "pca": ("pca", []),
    "harmonypy": ("harmonypy", []),
    "pca1200": ("pca/synth3b.h5ad", ["--max-cells", "1200"]),
    "pca500": ("pca/pbmc68k.h5ad", ["--n-genes", "500"]),
}
# Relative ("r") or absolute ("a") tolerance of each number: specification, section 11.
TOLERANCES = {
    "pr": ("r", 1e-5),
    "npr": ("r", 1e-5),
    "aniso_spec": ("a", 1e-5),
    "aniso_cos": ("a", 1e-6),
    "aniso_cos_within_ct": ("a", 1e-6),
    "aniso_cos_between_ct": ("a", 1e-6),
    "aniso_cos_ct_gap": ("a", 1e-6),
    "rnx_k15": ("a", 1e-6),
    "rnx_k30": ("a", 1e-6),
    "rnx_k50": ("a", 1e-6),
    "rnx_mean": ("a", 1e-6),
    "id_twonn_raw": ("r", 1e-4),
    "id_twonn_z": ("r", 1e-4),
    "partial_eta2_celltype": ("a", 1e-6),
    "partial_eta2_batch": ("a", 1e-6),
}
WHOLE = {"rnx_eligible_cells", "rnx_n_batches"}  # pandas prints them as 2000.0 where another row has none


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def only_row(path):
    (row,) = rows_of(path)
    return row


def near(found, expected, tolerance, what):
    kind, limit = tolerance
    if expected is None or expected == "":
        assert found == "", what
        return
    scale = abs(float(expected)) if kind == "r" else 1
    assert abs(float(found) - float(expected)) <= limit * scale, f"{what}: {found}, expected {expected}"


def same_row(found, expected):
    assert list(found) == list(expected)
    for column, text in expected.items():
        if column in TOLERANCES:
            near(found[column], text, TOLERANCES[column], column)
        elif column in WHOLE:
            assert found[column] == text.removesuffix(".0"), column
        elif column == "notes":
            ours = text.replace("randomized_svd_top1", "exact_svd_top1").replace("sklearn_exact", "exact")
            assert found[column] == ours
        else:
            assert found[column] == text, column


def same_table(found, expected):
    ours, theirs = rows_of(found), rows_of(expected)
    assert found.read_text().splitlines()[0] == expected.read_text().splitlines()[0]
    assert len(ours) == len(theirs)
    for row, other in zip(ours, theirs, strict=True):
        if "RNX" in other:
            near(row.pop("RNX"), other.pop("RNX"), ("a", 1e-6), "RNX")
            assert row.pop("embedding_knn_backend") == "exact"
            other.pop("embedding_knn_backend")
            assert row == other
        else:
            same_row(row, other)


@pytest.fixture(scope="module")
def vectors(reference):
    return reference / "benchmark"


@pytest.fixture(scope="module")
def results(scvet, vectors, tmp_path_factory):
    """Every run of the vectors in one result root."""
    root = tmp_path_factory.mktemp("results")
    for method, (embedding, flags) in RUNS.items():
        arguments = ["--embedding", vectors / "embeddings" / embedding, "--data", vectors / "data", "--outdir", root]
        scvet("geometry", *arguments, "--method", method, *flags)
    return root


def test_folders_and_tables_are_the_peers(results, vectors):
    expected = vectors / "expected" / "tables" / "geometry"
    theirs = sorted(path.relative_to(expected) for path in expected.rglob("*.csv"))
    ours = sorted(path.relative_to(results) for path in results.rglob("*.csv"))
    assert ours == theirs
    for path in theirs:
        same_table(results / path, expected / path)


def test_values_are_the_exact_ones(results, vectors):
    runs = json.loads((vectors / "expected" / "geometry.json").read_text())["runs"]
    for name, run in runs.items():
        method, sample = name.split("/")
        row = only_row(results / "geometry" / method / f"{sample}_{method}.csv")
        for column, value in run["exact_float64"].items():
            what = f"{name} {column}"
            if value is None or math.isnan(value):
                assert row[column] == "", what
            elif column.endswith("n_cells"):
                assert int(row[column]) == value, what
            else:
                near(row[column], value, ("r" if column in ("pr", "id_twonn_raw", "id_twonn_z") else "a", 1e-6), what)


def test_numbers_are_written_as_pandas_writes_them(results):
    path = results / "geometry" / "pca" / "synth3b_pca.csv"
    again = pd.read_csv(path).to_csv(index=False)
    ours = path.read_text()
    # Python's reader does not always round a decimal to the nearest double, so compare their shapes.
    assert [len(line.split(",")) for line in ours.splitlines()] == [len(line.split(",")) for line in again.splitlines()]
    row = only_row(path)
    assert row["rnx_eligible_cell_fraction"] == "1.0"
    for column in TOLERANCES:
        assert row[column] == repr(float(row[column])), column


def test_methods_are_named_after_their_folder_and_cells_drawn_by_seed(scvet, vectors, tmp_path):
    def value(*flags):
        arguments = ["--embedding", vectors / "embeddings/pca/pbmc68k.h5ad", "--data", vectors / "data/pbmc68k.h5ad"]
        scvet("geometry", *arguments, "--outdir", tmp_path, "--max-cells", "300", *flags)
        return only_row(tmp_path / "geometry" / "pca" / "pbmc68k_pca.csv")

    first, second = value(), value("--seed", "1")
    assert first["n_cells_used"] == second["n_cells_used"] == "300"
    assert first["n_cells_total"] == "700"
    assert first["pr"] != second["pr"]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Counts of 160 cells in two batches and an embedding made of them; returns a writer of changed copies."""
    folder = tmp_path_factory.mktemp("small")
    random = np.random.default_rng(3)
    labels = np.array(["a", "b", "c", "d"])[np.arange(160) % 4]
    means = random.gamma(2, 2, (4, 70))
    counts = random.poisson(means[np.arange(160) % 4]).astype("float32")
    obs = pd.DataFrame(
        {"cell_type": labels, "batch_id": np.where(np.arange(160) < 110, "one", "two")},
        index=[f"cell{number}" for number in range(160)],
    )
    embedding = (np.log1p(counts) @ random.normal(size=(70, 8))).astype("float32")
    data = anndata.AnnData(counts, obs=obs, var=pd.DataFrame(index=[f"GENE{gene}" for gene in range(70)]))
    made = anndata.AnnData(embedding, obs=obs.copy(), var=pd.DataFrame(index=[f"V{dim}" for dim in range(1, 9)]))

    def write(name, change_data=None, change_embedding=None):
        place = folder / name
        (place / "data").mkdir(parents=True)
        (place / "toy").mkdir()
        for changed, original, sub in ((change_data, data, "data"), (change_embedding, made, "toy")):
            copy = original.copy()
            copy = (changed(copy) if changed else None) or copy
            copy.write_h5ad(place / sub / "set.h5ad")
        return place

    return write


def measure(scvet, place, *flags, code=0, n_genes=50):
    arguments = ["--embedding", place / "toy", "--data", place / "data", "--outdir", place / "out"]
    result = scvet("geometry", *arguments, "--n-genes", n_genes, *flags, code=code)
    return result, only_row(place / "out" / "geometry" / "toy" / "set_toy.csv")


def numbers(row):
    return {column: text for column, text in row.items() if column not in ("dataset_id", "embedding_file", "notes")}


def test_a_pair_of_one_each_needs_no_equal_names(scvet, small):
    place = small("names")
    (place / "toy" / "set.h5ad").rename(place / "toy" / "other.h5ad")
    arguments = ["--embedding", place / "toy", "--data", place / "data", "--outdir", place / "out", "--n-genes", "50"]
    scvet("geometry", *arguments)
    row = only_row(place / "out" / "geometry" / "toy" / "other_toy.csv")
    assert (row["dataset_id"], row["embedding_file"]) == ("set", "other.h5ad")
    assert (place / "out" / "geometry" / "toy" / "other_toy_rnx_batches.csv").exists()


def test_an_embedding_without_counts_of_its_name_stops_before_any_work(scvet, small):
    place = small("pairs")
    (place / "toy" / "lonely.h5ad").write_bytes((place / "toy" / "set.h5ad").read_bytes())
    arguments = ["--embedding", place / "toy", "--data", place / "data", "--outdir", place / "out"]
    result = scvet("geometry", *arguments, code=2)
    assert "lonely" in result.stderr
    assert not (place / "out").exists()
    result = scvet("geometry", "--embedding", place / "nowhere", "--data", place / "data", code=2)
    assert "nowhere" in result.stderr


def test_cells_are_found_by_name_and_their_order_changes_nothing(scvet, small):
    _, straight = measure(scvet, small("straight"))
    assert straight["notes"].startswith("obs_alignment=exact_order;")
    turned = small("turned", change_embedding=lambda data: data[::-1].copy())
    _, row = measure(scvet, turned)
    assert row["notes"].startswith("obs_alignment=reordered_by_obs_names;")
    assert numbers(row) == numbers(straight)


def test_other_cells_fail_the_row_and_the_tables_say_so(scvet, small):
    def rename(data):
        data.obs_names = ["stranger", *data.obs_names[1:]]

    for name, change in (("renamed", rename), ("fewer", lambda data: data[:150].copy())):
        for side in ("change_data", "change_embedding"):
            place = small(f"{name}_{side}", **{side: change})
            result, row = measure(scvet, place, code=3)
            assert row["probe_status"] == "failed"
            assert row["failure_reason"].startswith("RuntimeError:obs_alignment_failed:")
            assert row["notes"] == row["pr"] == row["rnx_mean"] == ""
            assert "obs_alignment_failed" in result.stderr
            assert only_row(place / "out" / "toy_geometry.csv") == row
            assert not list((place / "out").rglob("*rnx_batches.csv"))


def test_a_failed_pair_costs_only_itself(scvet, small):
    place = small("damaged")
    for folder, text in (("data", (place / "data" / "set.h5ad").read_bytes()), ("toy", b"no HDF5")):
        (place / folder / "bad.h5ad").write_bytes(text)
    result, row = measure(scvet, place, code=3)
    assert row["probe_status"] == "completed"
    bad, good = rows_of(place / "out" / "toy_geometry.csv")
    assert (bad["dataset_id"], bad["probe_status"], good["probe_status"]) == ("bad", "failed", "completed")
    assert "bad.h5ad" in bad["failure_reason"]
    assert "1 of 2" in result.stderr


def test_cells_that_were_not_embedded_are_dropped_and_counted(scvet, small):
    def drop(data):
        data.X[[3, 77]] = np.nan

    def remove(data):
        kept = [cell for cell in range(160) if cell not in (3, 77)]
        return data[kept].copy()

    _, row = measure(scvet, small("missing", change_embedding=drop))
    assert row["notes"].endswith(";dropped_nan_rows=2")
    assert (row["n_cells_total"], row["n_cells_used"]) == ("160", "158")
    _, without = measure(scvet, small("without", change_data=remove, change_embedding=remove))
    assert without["n_cells_total"] == "158"
    without["n_cells_total"] = "160"
    assert numbers(row) == numbers(without)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_row_that_is_broken_in_part_is_an_error_that_names_the_cell(scvet, small, value):
    def spoil(data):
        data.X[5, 2] = value

    _, row = measure(scvet, small(f"broken_{value}", change_embedding=spoil), code=3)
    assert row["failure_reason"].startswith("ValueError:")
    assert "cell5" in row["failure_reason"]


def test_constant_dimensions_are_counted(scvet, small):
    def flatten(data):
        data.X[:, 4] = 2.5

    _, row = measure(scvet, small("constant", change_embedding=flatten))
    assert (row["zero_var_dims"], row["embedding_dim"], row["partial_eta2_n_dims"]) == ("1", "8", "7")
    assert float(row["npr"]) == pytest.approx(float(row["pr"]) / 8)


def test_without_labels_and_batches_the_other_probes_are_filled(scvet, small):
    place = small("bare")
    result, row = measure(scvet, place, "--label-key", "type", "--batch-key", "lane")
    assert "type" in result.stderr and "lane" in result.stderr
    assert row["aniso_cos_within_ct"] == row["partial_eta2_celltype"] == ""
    assert row["partial_eta2_status"] == "missing_cell_type"
    assert row["rnx_n_batches"] == "1"
    assert "aniso_pairs=missing_cell_type" in row["notes"]
    assert "rnx:batch_key=lane_missing;single_batch;n_genes=50;eligible_batches=1/1" in row["notes"]
    assert rows_of(place / "out" / "geometry" / "toy" / "set_toy_rnx_batches.csv")[0]["batch"] == "batch0"


def test_columns_that_only_the_embedding_has_are_used(scvet, small):
    def strip(data):
        del data.obs["cell_type"]
        del data.obs["batch_id"]

    _, straight = measure(scvet, small("whole"))
    _, row = measure(scvet, small("stripped", change_data=strip))
    assert numbers(row) == numbers(straight)


def test_missing_batches_are_a_batch_of_their_own(scvet, small):
    def forget(data):
        data.obs["batch_id"] = data.obs["batch_id"].where(np.arange(160) < 110)

    place = small("forgotten", change_data=forget)
    _, row = measure(scvet, place)
    assert row["partial_eta2_status"] == "n_labeled=160;n_celltypes=4;n_batches=2"
    assert "eligible_batches=1/2" in row["notes"]


def test_values_that_are_no_counts_leave_r_nx_empty(scvet, small):
    place = small("logged", change_data=lambda data: anndata.AnnData(np.log1p(data.X), data.obs, data.var))
    _, row = measure(scvet, place)
    assert row["probe_status"] == "completed"
    assert row["rnx_mean"] == ""
    assert "rnx_failed=ValueError:R_NX needs raw counts" in row["notes"]


def test_an_unchanged_pair_is_not_done_again(scvet, small):
    place = small("again")
    measure(scvet, place)
    table = place / "out" / "geometry" / "toy" / "set_toy.csv"
    before, combined = table.stat().st_mtime_ns, (place / "out" / "toy_geometry.csv").read_text()
    result, _ = measure(scvet, place)
    assert "unchanged" in result.stderr
    assert table.stat().st_mtime_ns == before
    assert (place / "out" / "toy_geometry.csv").read_text() == combined
    measure(scvet, place, "--seed", "5")
    changed = table.stat().st_mtime_ns
    assert changed != before
    measure(scvet, place, "--seed", "5", "--force")
    assert table.stat().st_mtime_ns != changed


def test_a_table_of_an_earlier_run_does_not_stay_beside_a_row_without_r_nx(scvet, small):
    place = small("stale")
    measure(scvet, place)
    assert (place / "out" / "geometry" / "toy" / "set_toy_rnx_batches.csv").exists()
    measure(scvet, place, n_genes=5000)
    assert not (place / "out" / "geometry" / "toy" / "set_toy_rnx_batches.csv").exists()


def test_the_same_bytes_for_any_number_of_threads(scvet, small):
    place = small("threads")
    texts = []
    for threads in (1, 2):
        measure(scvet, place, "--threads", threads, "--force")
        texts.append({path.name: path.read_bytes() for path in (place / "out").rglob("*.csv")})
    assert texts[0] == texts[1]


def test_a_dry_run_writes_nothing(scvet, small):
    place = small("dry")
    arguments = ["--embedding", place / "toy", "--data", place / "data", "--outdir", place / "out", "--dry-run"]
    assert "geometry" in scvet("geometry", *arguments).stdout
    assert not (place / "out").exists()


def test_help_explains_every_flag_and_the_exit_codes(scvet):
    text = scvet("geometry", "--help").stdout
    for flag in ("--embedding", "--data", "--label-key", "--batch-key", "--max-cells", "--n-genes"):
        assert flag in text
    assert "Exit codes" in text and "Examples" in text
