"""Hugging Face data sets, Arrow files and parquet as a user meets them, odd and hostile ones included."""

import csv
import json
import os
import pathlib
import shutil
import struct
import subprocess

import pytest

pa = pytest.importorskip("pyarrow")
import pyarrow.ipc as ipc  # noqa: E402  # only where pyarrow is
import pyarrow.parquet as pq  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("SCVET", ROOT / "build" / "release" / "scvet")).resolve()
CELLS = [[5, 3, 9], [2, 7], [4, 6, 2, 9, 120]]


@pytest.fixture(scope="session", autouse=True)
def plugin():
    if not (PROGRAM.parent / "libscvet_io_arrow.so").exists():
        pytest.skip("built without the Arrow plugin")


def inspect(scvet, path, *flags, code=0):
    return json.loads(scvet("inspect", path, "--json", *flags, code=code).stdout)


def write_stream(path, table, **options):
    with ipc.new_stream(path, table.schema, options=ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=2)
    return path


def refusal(scvet, path, *flags):
    facts = json.loads(scvet("inspect", path, "--log-json", *flags, code=3).stderr.splitlines()[-1])
    assert pathlib.Path(path).name in facts["message"]
    return facts


@pytest.mark.parametrize("width", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("kind", [pa.list_, pa.large_list])
def test_tokens_of_any_width_in_lists_of_any_kind(scvet, tmp_path, width, kind):
    table = pa.table({"input_ids": pa.array(CELLS, kind(getattr(pa, width)()))})
    found = inspect(scvet, write_stream(tmp_path / "cells.arrow", table))
    assert found["format"] == "hf_dataset"
    tokens = found["tokens"]
    assert tokens["dtype"] == width
    assert (tokens["n"], tokens["n_distinct"], tokens["least"], tokens["greatest"]) == (10, 8, 2, 120)
    assert (tokens["shortest"], tokens["longest"], tokens["n_empty"]) == (2, 5, 0)
    assert tokens["mean_length"] == pytest.approx(10 / 3)


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("form", ["stream", "file"])
def test_compressed_buffers_in_both_forms(scvet, tmp_path, compression, form):
    table = pa.table({"input_ids": pa.array(CELLS * 500, pa.list_(pa.int32()))})
    new = ipc.new_stream if form == "stream" else ipc.new_file
    path = tmp_path / "cells.arrow"
    with new(path, table.schema, options=ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table, max_chunksize=100)
    found = inspect(scvet, path)
    assert found["tokens"]["n"] == 5000
    assert f"Arrow {form}" in found["notes"]


def test_lists_of_one_length_slices_empty_cells_and_empty_files(scvet, tmp_path):
    fixed = pa.table({"input_ids": pa.array([[1, 2, 3], [4, 5, 6]], pa.list_(pa.int32(), 3))})
    assert inspect(scvet, write_stream(tmp_path / "fixed.arrow", fixed))["tokens"]["n"] == 6
    sliced = pa.table({"input_ids": pa.array(CELLS, pa.list_(pa.int32()))}).slice(1, 1)
    assert inspect(scvet, write_stream(tmp_path / "sliced.arrow", sliced))["tokens"]["greatest"] == 7
    empty = pa.table({"input_ids": pa.array([[], [1], []], pa.list_(pa.int32()))})
    assert inspect(scvet, write_stream(tmp_path / "empty.arrow", empty))["tokens"]["n_empty"] == 2
    none = inspect(scvet, write_stream(tmp_path / "none.arrow", empty.slice(0, 0)))
    assert (none["n_obs"], none["tokens"]["n"], none["tokens"]["least"]) == (0, 0, None)
    assert "0 x 0" in scvet("inspect", tmp_path / "none.arrow").stdout


def test_scalar_columns_of_every_kind_become_obs(scvet, tmp_path):
    table = pa.table(
        {
            "input_ids": pa.array(CELLS, pa.list_(pa.int32())),
            "cell_id": ["a", "b", "c"],
            "type": pa.array(["T", None, "B"]).dictionary_encode(),
            "age": pa.array([1, None, 3], pa.uint16()),
            "score": pa.array([0.5, None, 2], pa.float32()),
            "kept": [True, None, False],
            "nothing": pa.nulls(3),
            "when": pa.array([0, 1, 2], pa.timestamp("s")),
            "attention_mask": pa.array([[1], [1], [1]], pa.list_(pa.int8())),
        }
    )
    found = inspect(scvet, write_stream(tmp_path / "cells.arrow", table))
    assert found["obs_names_first"] == ["a", "b"]
    dtypes = {name: (column["dtype"], column["n_missing"]) for name, column in found["obs"].items()}
    assert dtypes == {
        "type": ("category", 1),
        "age": ("UInt16", 1),
        "score": ("float32", 1),
        "kept": ("boolean", 1),
        "nothing": ("object", 3),
    }
    assert found["obs"]["type"]["categories"] == ["T", "B"]
    notes = " ".join(found["notes"])
    assert "lists that are not read: attention_mask" in notes
    assert "types that are not read: when (timestamp[s])" in notes


def test_text_of_very_many_cells_is_kept_as_categories_where_there_are_few(scvet, tmp_path):
    n = 1_000_001
    plate = pa.array(["p1", None, "p2"]).take(pa.array([row % 3 for row in range(n)]))
    table = pa.table(
        {
            "input_ids": pa.ListArray.from_arrays(pa.array(range(n + 1), pa.int32()), pa.array([7] * n, pa.int8())),
            "plate": plate,
            "note": pa.array(map(str, range(n))),
        }
    )
    path = tmp_path / "cells.parquet"
    pq.write_table(table, path)
    obs = inspect(scvet, path)["obs"]
    assert obs["plate"]["dtype"] == "category"
    assert obs["plate"]["categories"] == ["p1", "p2"]
    assert obs["plate"]["n_missing"] == 333_334
    assert obs["note"]["dtype"] == "object"
    assert obs["note"]["n_distinct"] == n


@pytest.mark.parametrize(
    ("cells", "kind", "expected"),
    [
        ([[1], None, [2]], pa.list_(pa.int32()), "row 1: the list is missing (null)"),
        ([[1], [2, None]], pa.list_(pa.int32()), "row 1: a value in the list is missing (null)"),
        ([[1], [2, 3, 2]], pa.list_(pa.int32()), "row 1: token 2 stands there twice"),
        ([[1], [-1]], pa.list_(pa.int32()), "row 1: -1 is no token"),
        ([[1], [2**40]], pa.list_(pa.int64()), "row 1: 1099511627776 is no token"),
        ([[1], [2**64 - 1]], pa.list_(pa.uint64()), "row 1: a value in the list is above 2^63 - 1"),
    ],
)
def test_a_list_that_is_no_cell_is_refused_with_its_row(scvet, tmp_path, cells, kind, expected):
    path = write_stream(tmp_path / "cells.arrow", pa.table({"input_ids": pa.array(cells, kind)}))
    facts = refusal(scvet, path)
    assert expected in facts["message"]


def test_a_truncated_stream_is_refused_with_the_bytes_that_are_left(scvet, tmp_path):
    path = write_stream(tmp_path / "cells.arrow", pa.table({"input_ids": pa.array(CELLS, pa.list_(pa.int32()))}))
    path.write_bytes(path.read_bytes()[:-30])
    assert refusal(scvet, path)["reason"] == "truncated"
    with ipc.new_file(path, pa.schema([("input_ids", pa.list_(pa.int32()))])) as writer:
        writer.write_table(pa.table({"input_ids": pa.array(CELLS, pa.list_(pa.int32()))}))
    path.write_bytes(path.read_bytes()[:-1])
    assert refusal(scvet, path)["reason"] == "truncated"


def test_sizes_that_a_file_merely_claims_take_no_memory(scvet, tmp_path):
    path = write_stream(tmp_path / "cells.arrow", pa.table({"input_ids": pa.array(CELLS, pa.list_(pa.int64()))}))
    whole = path.read_bytes()
    # Places all over the headers claim 2 GB, or a negative size; the program has 1.5 GB of address space.
    for claim in (struct.pack("<q", 2**31 - 8), struct.pack("<q", -8), struct.pack("<i", 2**31 - 1)):
        for at in range(0, 600, 40):
            path.write_bytes(whole[:at] + claim + whole[at + len(claim) :])
            command = f'ulimit -v 1500000; exec "{PROGRAM}" inspect "{path}" --quiet'
            result = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
            assert result.returncode in (0, 3), (at, claim, result.stderr)


def test_a_data_set_of_shards_is_read_in_their_order(scvet, reference):
    folder = reference / "audit" / "gc_int16_two_shards.dataset"
    found = inspect(scvet, folder)
    expected = json.loads((reference / "audit" / "tokenize_expected.json").read_text())["tokens"]
    assert found["n_obs"] == len(expected) == 60
    assert found["tokens"]["n"] == sum(map(len, expected))
    assert found["tokens"]["longest"] == max(map(len, expected))
    assert "Arrow streams: 2 in order" in found["notes"]


def test_a_dictionary_names_the_tokens(scvet, reference):
    audit = reference / "audit"
    found = inspect(scvet, audit / "gc_small.dataset", "--dictionary", audit / "token_dictionary_v1_style.pkl")
    assert found["genes"]["index"] == "ensembl"
    assert found["genes"]["organism"] == "human"
    assert "--dictionary" in scvet("inspect", audit / "csc_counts.h5ad", "--dictionary", "x", code=2).stderr


def test_tahoe_parquet_loses_its_markers_and_is_named_by_gene_metadata(scvet, reference, tmp_path):
    shutil.copy(reference / "audit" / "tahoe_style.parquet", tmp_path / "cells.parquet")
    numbered = inspect(scvet, tmp_path / "cells.parquet")
    table = pq.read_table(tmp_path / "cells.parquet")
    kept = [value for row in table["expressions"].to_pylist() for value in row if value >= 0]
    assert numbered["matrix"]["state"] == "counts"
    assert numbered["matrix"]["nnz"] == len(kept)
    assert numbered["matrix"]["sum"] == sum(kept)
    assert numbered["obs_names_first"] == ["01_001_000-lib_1", "01_001_001-lib_1"]
    metadata = pa.table(
        {
            "gene_symbol": [f"SYM{token}" for token in range(1, 60)],
            "ensembl_id": [f"ENSG{token:011d}" for token in range(1, 60)],
            "token_id": pa.array(range(1, 60), pa.int64()),
        }
    )
    pq.write_table(metadata, tmp_path / "gene_metadata.parquet")
    named = inspect(scvet, tmp_path / "cells.parquet")
    assert (named["genes"]["index"], named["n_vars"]) == ("ensembl", 59)
    assert named["matrix"]["sum"] == sum(kept)
    assert inspect(scvet, tmp_path)["matrix"]["sum"] == sum(kept)  # the folder; the table of genes is no cells
    elsewhere = inspect(scvet, reference / "audit" / "tahoe_style.parquet", "--dictionary", tmp_path)
    assert elsewhere["genes"]["index"] == "ensembl"


def test_a_table_without_cells_is_refused_with_its_columns(scvet, tmp_path):
    path = tmp_path / "embedding.parquet"
    pq.write_table(pa.table({"PC1": [0.5, 1.5], "PC2": [1.0, 2.0]}), path)
    message = refusal(scvet, path)["message"]
    assert "expected column 'input_ids'" in message
    assert "PC1 (double)" in message
    assert "may be an embedding" in message


def test_without_the_plugin_the_refusal_says_what_to_do(scvet, reference, tmp_path):
    env = {"SCVET_PLUGINS": str(tmp_path)}
    path = reference / "audit" / "gc_small.dataset"
    result = scvet("inspect", path, code=6, env=env)
    assert "gc_small.dataset" in result.stderr
    assert "./dev setup" in result.stderr
    assert str(tmp_path) in result.stderr
    assert result.stdout == ""
    scvet("inspect", reference / "audit" / "csc_counts.h5ad", env=env)  # nothing else needs it


def test_a_program_that_stands_alone_says_so_too(reference, tmp_path):
    program = shutil.copy(PROGRAM, tmp_path / "scvet")
    path = reference / "audit" / "tahoe_style.parquet"
    result = subprocess.run([program, "inspect", path], capture_output=True, text=True, check=False)
    assert result.returncode == 6
    assert "libscvet_io_arrow.so is not in" in result.stderr


def test_a_plugin_that_does_not_load_is_named_with_the_reason(scvet, reference, tmp_path):
    (tmp_path / "libscvet_io_arrow.so").write_bytes(b"not a library")
    path = reference / "audit" / "tahoe_style.parquet"
    result = scvet("inspect", path, code=6, env={"SCVET_PLUGINS": str(tmp_path)})
    assert "cannot be loaded" in result.stderr


@pytest.fixture(scope="module")
def audit(scvet, real, tmp_path_factory):
    folder = tmp_path_factory.mktemp("audit")
    scvet("corpus", "build", "--out", folder / "corpus", real / "kang_liger_ctrl_300.h5")
    for threads in (1, 3):
        scvet(
            *("audit", "--benchmark", real / "kang_pbmc_2000.h5ad", "--corpus", folder / "corpus"),
            *("--outdir", folder / str(threads), "--threads", threads),
        )
    return folder


TEXT = ["cell", "status", "stratum", "flags", "exposure", "match_file", "match_cell", "match_donor", "match_dataset"]
INTEGERS = ["size", "row", "multiplicity", "containment_row", "d", "identical_set", "identical_counts"]


def test_cells_parquet_is_cells_csv_with_types(audit):
    table = pq.read_table(audit / "1" / "cells.parquet")
    with open(audit / "1" / "cells.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert table.column_names == list(rows[0])
    assert table.num_rows == len(rows) == 2000
    types = {field.name: str(field.type) for field in table.schema}
    assert {types[name] for name in TEXT} == {"string"}
    assert {types[name] for name in INTEGERS} == {"int64"}
    assert {types[name] for name in ("jstar", "j2", "rho", "p_same", "lift", "q_same")} == {"double"}
    for name, values in table.to_pydict().items():
        for value, row in zip(values, rows, strict=True):
            assert (value is None) == (row[name] == "")
            if value is not None:
                assert (float(row[name]) if types[name] == "double" else row[name]) == (
                    value if types[name] == "double" else str(value)
                ), name


def test_cells_parquet_is_the_same_bytes_for_any_thread_count(audit):
    assert (audit / "1" / "cells.parquet").read_bytes() == (audit / "3" / "cells.parquet").read_bytes()
    assert "cells.parquet" in json.loads((audit / "1" / "run.json").read_text())["outputs"]


def test_an_audit_without_the_plugin_writes_all_but_parquet(scvet, real, audit, tmp_path):
    arguments = ("audit", "--benchmark", real / "kang_pbmc_2000.h5ad", "--corpus", audit / "corpus")
    scvet(*arguments, "--outdir", tmp_path / "out", env={"SCVET_PLUGINS": str(tmp_path)})
    assert (tmp_path / "out" / "cells.csv").read_bytes() == (audit / "1" / "cells.csv").read_bytes()
    assert not (tmp_path / "out" / "cells.parquet").exists()


def test_count_lists_are_a_corpus_and_a_benchmark_like_any_other(scvet, reference, tmp_path):
    shutil.copy(reference / "audit" / "tahoe_style.parquet", tmp_path / "cells.parquet")
    tokens = range(1, 60)
    genes = {"token_id": pa.array(tokens, pa.int64()), "ensembl_id": [f"ENSG{token:011d}" for token in tokens]}
    pq.write_table(pa.table(genes), tmp_path / "gene_metadata.parquet")
    scvet("corpus", "build", "--out", tmp_path / "corpus", tmp_path / "cells.parquet")
    arguments = ("audit", "--benchmark", tmp_path / "cells.parquet", "--corpus", tmp_path / "corpus")
    scvet(*arguments, "--min-genes", 10, "--outdir", tmp_path / "out")
    rows = pq.read_table(tmp_path / "out" / "cells.parquet").to_pylist()
    assert [row["identical_counts"] for row in rows] == list(range(12))
    copy = json.loads(scvet("inspect", tmp_path / "out" / "cells.h5ad", "--json").stdout)
    assert copy["X"]["nnz"] == 249
    assert "scvet_jstar" in copy["obs"]


def test_count_lists_without_a_gene_table_say_which_flag_names_it(scvet, reference, tmp_path):
    shutil.copy(reference / "audit" / "tahoe_style.parquet", tmp_path / "cells.parquet")
    refused = scvet("corpus", "build", "--out", tmp_path / "corpus", tmp_path / "cells.parquet", code=3)
    assert "gene_metadata" in refused.stderr and "--dictionary" in refused.stderr


@pytest.mark.parametrize("place", ["genes/gene_metadata.csv", "root/metadata/gene_metadata.csv"])
def test_the_flag_takes_every_gene_table_that_the_reader_knows(scvet, reference, tmp_path, place):
    cells = tmp_path / "data" / "cells.parquet"
    cells.parent.mkdir()
    shutil.copy(reference / "audit" / "tahoe_style.parquet", cells)
    table = tmp_path / place
    table.parent.mkdir(parents=True)
    table.write_text("token_id,ensembl_id\n" + "".join(f"{token},ENSG{token:011d}\n" for token in range(1, 60)))
    named = table if place.startswith("genes") else tmp_path / "root"
    built = scvet("corpus", "build", "--out", tmp_path / "corpus", cells, "--dictionary", named)
    assert "12 cells" in built.stdout
    again = scvet("corpus", "build", "--out", tmp_path / "corpus", cells, "--dictionary", named)
    assert "12 added" not in again.stdout
    table.write_text(table.read_text().replace("ENSG00000000007", "ENSG00000000099"))
    assert "12 added" in scvet("corpus", "build", "--out", tmp_path / "corpus", cells, "--dictionary", named).stdout


@pytest.mark.parametrize("name", ["cells.parquet", "cells.arrow", "cells.zarr.zip"])
def test_a_damaged_file_in_a_folder_is_heard_of(scvet, real, tmp_path, name):
    folder = tmp_path / "cells"
    folder.mkdir()
    shutil.copy(real / "kang_pbmc_2000.h5ad", folder)
    (folder / name).write_bytes(b"cut off" * 20)
    assert name in scvet("corpus", "build", "--out", tmp_path / "corpus", folder, code=3).stderr
