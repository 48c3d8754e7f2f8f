"""Zarr stores as others write them: every codec and layout, versions 2 and 3, folders and zip archives."""

import itertools
import json
import shutil
import warnings
import zipfile

import anndata
import numcodecs
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import zarr
from zarr import codecs

warnings.filterwarnings("ignore")

N_CELLS, N_GENES = 53, 37
NUMBERS = [
    "bool",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    "float16",
    "float32",
    "float64",
]


def inspect(scvet, path, *flags):
    return json.loads(scvet("inspect", path, "--json", *flags).stdout)


def zipped(folder, compression=zipfile.ZIP_STORED, top=""):
    """The folder as a zip archive beside it."""
    path = folder.with_name(folder.name + ".zip")
    with zipfile.ZipFile(path, "w", compression) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, top + str(file.relative_to(folder)))
    return path


def matrix(dtype):
    random = np.random.default_rng(7)
    values = random.poisson(0.8, (N_CELLS, N_GENES)) * random.integers(1, 60, (N_CELLS, N_GENES))
    values[20:33] = 0  # whole chunks of the fill value, which zarr does not write
    return (values > 0) if dtype == "bool" else (values % 128).astype(dtype)


def write_frame(group, name, names):
    frame = group.create_group(name)
    frame.attrs.update(
        {"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index", "column-order": []}
    )
    index = frame.create_array("_index", data=np.array(names))
    index.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})


def write_store(path, version, values, **options):
    """A store whose X is one array made with `options`."""
    root = zarr.open_group(path, mode="w", zarr_format=version)
    root.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
    write_frame(root, "obs", [f"cell{cell}" for cell in range(N_CELLS)])
    write_frame(root, "var", [f"gene{gene}" for gene in range(N_GENES)])
    options.setdefault("chunks", (10, 16))
    x = root.create_array("X", shape=values.shape, dtype=values.dtype, config={"write_empty_chunks": False}, **options)
    x.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
    x[...] = values
    return root


def check(scvet, path, values):
    found = inspect(scvet, path)
    assert found["faults"] == []
    assert found["format"] == "zarr"
    assert (found["n_obs"], found["n_vars"]) == values.shape
    x = found["X"]
    assert x["dtype"] == values.dtype.newbyteorder("=").name
    assert x["nnz"] == np.count_nonzero(values)
    assert x["sum"] == pytest.approx(values.astype("f8").sum(), rel=1e-12)
    assert (x["min_stored"], x["max"]) == (values.min(), values.max())
    assert found["row_sums_first"] == values.astype("f8").sum(axis=1)[:3].tolist()
    assert x["n_zero_rows"] == (values == 0).all(axis=1).sum()


COMPRESSORS_2 = {
    "none": None,
    "zstd": numcodecs.Zstd(level=3),
    "gzip": numcodecs.GZip(level=4),
    "zlib": numcodecs.Zlib(level=4),
    "lz4": numcodecs.LZ4(),
    **{
        f"blosc-{name}-{shuffle}": numcodecs.Blosc(cname=name, shuffle=shuffle)
        for name, shuffle in itertools.product(("lz4", "lz4hc", "zstd", "zlib", "blosclz"), (0, 1, 2))
    },
}


@pytest.mark.parametrize("compressor", COMPRESSORS_2)
def test_every_compressor_of_version_2_is_read(scvet, tmp_path, compressor):
    values = matrix("float32")
    write_store(tmp_path / "x.zarr", 2, values, compressors=COMPRESSORS_2[compressor])
    check(scvet, tmp_path / "x.zarr", values)


CODECS_3 = {
    "none": [],
    "gzip": [codecs.GzipCodec()],
    "zstd": [codecs.ZstdCodec()],
    "zstd-checksum": [codecs.ZstdCodec(checksum=True)],
    "crc32c": [codecs.Crc32cCodec()],
    "zstd, crc32c": [codecs.ZstdCodec(), codecs.Crc32cCodec()],
    "crc32c, gzip": [codecs.Crc32cCodec(), codecs.GzipCodec()],
    **{
        f"blosc-{name}-{shuffle}": [codecs.BloscCodec(cname=name, shuffle=shuffle)]
        for name, shuffle in itertools.product(("lz4", "zstd"), ("noshuffle", "shuffle", "bitshuffle"))
    },
}


@pytest.mark.parametrize("codec", CODECS_3)
def test_every_codec_of_version_3_is_read(scvet, tmp_path, codec):
    values = matrix("int32")
    write_store(tmp_path / "x.zarr", 3, values, compressors=CODECS_3[codec])
    check(scvet, tmp_path / "x.zarr", values)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(
    "dtype",
    ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"],
)
def test_every_type_of_number_is_read(scvet, tmp_path, version, dtype):
    values = matrix(dtype)
    write_store(tmp_path / "x.zarr", version, values)
    check(scvet, tmp_path / "x.zarr", values)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("separator", [".", "/"])
def test_orders_and_separators_are_read(scvet, tmp_path, version, order, separator):
    values = matrix("float64")
    name = "v2" if version == 2 or separator == "." else "default"
    options = {"order": order} if version == 2 else {}
    if version == 3 and order == "F":
        options["filters"] = [codecs.TransposeCodec(order=(1, 0))]
    write_store(
        tmp_path / "x.zarr", version, values, chunk_key_encoding={"name": name, "separator": separator}, **options
    )
    check(scvet, tmp_path / "x.zarr", values)


@pytest.mark.parametrize("version", [2, 3])
def test_big_endian_numbers_are_read(scvet, tmp_path, version):
    values = matrix(">f4" if version == 2 else "float32")
    options = {} if version == 2 else {"serializer": codecs.BytesCodec(endian="big")}
    write_store(tmp_path / "x.zarr", version, values, **options)
    check(scvet, tmp_path / "x.zarr", values)


@pytest.mark.parametrize("location", ["start", "end"])
@pytest.mark.parametrize("compressor", ["none", "zstd", "blosc-lz4-shuffle"])
def test_shards_are_read_with_their_index_at_either_end(scvet, tmp_path, location, compressor):
    values = matrix("float32")
    sharding = codecs.ShardingCodec(
        chunk_shape=(5, 8), codecs=[codecs.BytesCodec(), *CODECS_3[compressor]], index_location=location
    )
    write_store(tmp_path / "x.zarr", 3, values, chunks=(20, 16), serializer=sharding, compressors=None)
    check(scvet, tmp_path / "x.zarr", values)
    check(scvet, zipped(tmp_path / "x.zarr"), values)
    check(scvet, zipped(tmp_path / "x.zarr", zipfile.ZIP_DEFLATED), values)


@pytest.mark.parametrize("version", [2, 3])
def test_a_zip_archive_reads_like_its_folder(scvet, tmp_path, version):
    values = matrix("uint16")
    write_store(tmp_path / "x.zarr", version, values)
    for compression, top in itertools.product((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED), ("", "x.zarr/")):
        check(scvet, zipped(tmp_path / "x.zarr", compression, top), values)


def test_of_names_that_stand_twice_in_a_zip_the_last_counts(scvet, tmp_path):
    values = matrix("int16")
    folder = tmp_path / "x.zarr"
    write_store(folder, 2, values, chunks=values.shape, compressors=None)
    path = tmp_path / "twice.zarr.zip"
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("X/0.0", bytes(values.nbytes))
        archive.writestr("X/.zarray", "{}")
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder))
    check(scvet, path, values)


def test_chunks_that_were_never_written_hold_the_fill_value(scvet, tmp_path):
    values = matrix("float32")
    for version in (2, 3):
        folder = tmp_path / f"x{version}.zarr"
        write_store(folder, version, values, fill_value=3, chunks=(10, N_GENES))
        chunk = folder / "X" / ("0.0" if version == 2 else "c/0/0")
        assert chunk.exists()
        chunk.unlink()
        filled = values.copy()
        filled[:10] = 3
        check(scvet, folder, filled)


def rich():
    random = np.random.default_rng(3)
    x = sp.csr_matrix(random.poisson(0.4, (N_CELLS, N_GENES)).astype("f4"))
    obs = pd.DataFrame(index=[f"cell é{cell}" for cell in range(N_CELLS)])
    obs["type"] = pd.Categorical(
        random.choice(["B", "T", "NK cell"], N_CELLS), categories=["T", "NK cell", "B", "none"]
    )
    obs["stage"] = pd.Categorical(random.choice(["a", "b"], N_CELLS), ordered=True)
    obs.loc[obs.index[3], "type"] = np.nan
    obs["count"] = pd.array(random.integers(0, 9, N_CELLS), dtype="Int32")
    obs.loc[obs.index[5], "count"] = pd.NA
    obs["flag"] = pd.array([True, False, pd.NA] + [True] * (N_CELLS - 3), dtype="boolean")
    obs["score"] = random.normal(size=N_CELLS)
    obs["text"] = [f"text {cell}" for cell in range(N_CELLS)]
    obs["plain"] = random.integers(0, 2, N_CELLS).astype(bool)
    var = pd.DataFrame({"length": np.arange(N_GENES, dtype="u2")}, index=[f"GENE{gene}" for gene in range(N_GENES)])
    adata = anndata.AnnData(x, obs=obs, var=var)
    adata.layers["dense"] = random.normal(size=adata.shape)
    adata.layers["by gene"] = sp.csc_matrix(x * 2)
    adata.raw = adata.copy()
    adata = adata[:, :20].copy()
    adata.obsm["X_pca"] = random.normal(size=(N_CELLS, 5)).astype("f4")
    adata.obsm["frame"] = pd.DataFrame(random.normal(size=(N_CELLS, 2)), index=obs.index, columns=["u", "v"])
    adata.obsm["sparse"] = sp.csr_matrix(random.poisson(0.2, (N_CELLS, 4)).astype("f4"))
    adata.varm["PCs"] = random.normal(size=(20, 5))
    adata.obsp["distances"] = sp.csr_matrix(random.random((N_CELLS, N_CELLS)) > 0.9)
    adata.uns["neighbors"] = {"params": {"k": 5, "metric": "cosine"}, "list": ["a", "b"]}
    adata.uns["title"] = "a title"
    return adata


@pytest.mark.parametrize(("version", "sharded"), [(2, False), (3, False), (3, True)])
def test_what_anndata_writes_is_the_same_in_h5ad_and_zarr(scvet, tmp_path, version, sharded):
    adata = rich()
    anndata.settings.allow_write_nullable_strings = True
    adata.write_h5ad(tmp_path / "x.h5ad")
    anndata.settings.zarr_write_format = version
    folder = tmp_path / "x.zarr"
    try:
        anndata.settings.auto_shard_zarr_v3 = sharded
        adata.write_zarr(folder, chunks=(16, 8))
    finally:
        anndata.settings.auto_shard_zarr_v3 = False
    assert sharded == any("sharding_indexed" in meta.read_text() for meta in folder.rglob("zarr.json"))
    expected = inspect(scvet, tmp_path / "x.h5ad")
    assert set(expected["obs"]) == set(adata.obs.columns)
    assert expected["raw"]["shape"] == [N_CELLS, N_GENES]
    for path in (folder, zipped(folder)):
        found = inspect(scvet, path)
        for key in ("file", "format", "bytes"):
            found.pop(key), expected.pop(key, None)
        assert found == expected


def test_a_store_without_x_and_with_stale_consolidated_metadata_is_read(scvet, tmp_path):
    adata = rich()
    adata.X = None
    folder = tmp_path / "x.zarr"
    anndata.settings.zarr_write_format = 2
    adata.write_zarr(folder)
    stale = json.loads((folder / ".zmetadata").read_text())
    stale["metadata"] = {}
    (folder / ".zmetadata").write_text(json.dumps(stale))
    found = inspect(scvet, folder)
    assert found["X"] is None
    assert found["n_obs"] == N_CELLS


# --- what cannot be read is named


def refusal(scvet, path, *words):
    result = scvet("inspect", path, "--json", code=3)
    for word in words:
        assert word in result.stderr
    return result


def test_unknown_codecs_filters_and_types_are_named(scvet, tmp_path):
    values = matrix("float32")
    write_store(tmp_path / "bz2.zarr", 2, values, compressors=numcodecs.BZ2())
    refusal(scvet, tmp_path / "bz2.zarr", "X", "'bz2'", "known: blosc, zstd, gzip, zlib, lz4")
    write_store(tmp_path / "delta.zarr", 2, values, filters=[numcodecs.Delta(dtype="f4")])
    refusal(scvet, tmp_path / "delta.zarr", "filter 'delta'")
    write_store(tmp_path / "shuffle.zarr", 3, values)
    meta = tmp_path / "shuffle.zarr" / "X" / "zarr.json"
    meta.write_text(meta.read_text().replace('"zstd"', '"pcodec"'))
    refusal(scvet, tmp_path / "shuffle.zarr", "codec 'pcodec'")
    write_store(tmp_path / "complex.zarr", 2, values.astype("c8"))
    refusal(scvet, tmp_path / "complex.zarr", "expected numbers")


def test_damaged_chunks_are_named_by_their_place(scvet, tmp_path):
    values = matrix("float32")
    folder = tmp_path / "x.zarr"
    write_store(folder, 3, values, compressors=CODECS_3["zstd, crc32c"])
    chunk = folder / "X" / "c" / "4" / "1"
    whole = chunk.read_bytes()
    chunk.write_bytes(whole[:10] + bytes([whole[10] ^ 1]) + whole[11:])
    refusal(scvet, folder, "chunk (4, 1)", "crc32c: its checksum is wrong")
    chunk.write_bytes(b"")
    refusal(scvet, folder, "chunk (4, 1)", "cut short")
    write_store(folder, 2, values, compressors=None)
    chunk = folder / "X" / "4.1"
    chunk.write_bytes(chunk.read_bytes()[:-4])
    refusal(scvet, folder, "chunk (4, 1)", "bytes instead of")


def test_claims_that_no_bytes_stand_for_are_refused(scvet, tmp_path):
    folder = tmp_path / "x.zarr"
    write_store(folder, 2, matrix("float32"))
    meta = folder / "X" / ".zarray"
    array = json.loads(meta.read_text())
    index = json.loads((folder / "obs" / "_index" / ".zarray").read_text())
    index["shape"] = [10**12]
    (folder / "obs" / "_index" / ".zarray").write_text(json.dumps(index))
    refusal(scvet, folder, "1,000,000,000,000 values")
    for broken in (
        {"shape": [2**62, 2**62]},
        {"shape": [-1, 5]},
        {"chunks": [0, 16]},
        {"chunks": [2**40, 2**40]},
        {"dtype": "<f3"},
        {"dtype": "nonsense"},
        {"zarr_format": 9},
        {"chunks": "all"},
    ):
        meta.write_text(json.dumps({**array, **broken}))
        refusal(scvet, folder)
    meta.write_text("[" * 100000)
    refusal(scvet, folder)


def test_a_broken_uns_is_skipped(scvet, tmp_path):
    folder = tmp_path / "x.zarr"
    values = matrix("float32")
    root = write_store(folder, 2, values)
    root.create_group("uns").create_array("odd", shape=(3,), dtype="i4")
    (folder / "uns" / "odd" / ".zarray").write_text("{")
    check(scvet, folder, values)
    (folder / "uns" / ".zattrs").write_text("nonsense")
    check(scvet, folder, values)


def test_categories_are_never_taken_from_outside_the_store(scvet, tmp_path):
    """The attribute that names them in anndata 0.7 is a path; one that leads out is not followed."""
    folder = tmp_path / "x.zarr"
    values = matrix("float32")
    root = write_store(folder, 2, values)
    codes = root["obs"].create_array("kind", data=np.zeros(N_CELLS, dtype="i1"))
    codes.attrs["categories"] = "../../outside"
    root["obs"].attrs["column-order"] = ["kind"]
    outside = zarr.open_group(tmp_path / "outside.zarr", mode="w", zarr_format=2)
    outside.create_array("outside", data=np.array(["secret"]))
    shutil.move(tmp_path / "outside.zarr" / "outside", tmp_path / "outside")
    found = inspect(scvet, folder)
    assert found["obs"]["kind"]["dtype"] == "int8"
    assert "secret" not in json.dumps(found)


def test_a_store_that_holds_no_anndata_is_described(scvet, tmp_path):
    root = zarr.open_group(tmp_path / "other.zarr", mode="w", zarr_format=3)
    root.create_group("images")
    refusal(scvet, tmp_path / "other.zarr", "it is a zarr store that holds images")
    refusal(scvet, zipped(tmp_path / "other.zarr"), "it is a zarr store that holds images")


def test_the_same_cells_in_h5ad_and_zarr_are_found_as_exact_copies(scvet, real, tmp_path):
    scvet("corpus", "build", "--values", "as-is", "--out", "z.corpus", real / "scanpy_pbmc68k_reduced.zarr.zip",
          cwd=tmp_path)  # fmt: skip
    scvet("audit", "--benchmark", real / "anndata_v0.5.0_pbmc68k_reduced.h5ad", "--corpus", "z.corpus",
          "--values", "as-is", "--outdir", "out", cwd=tmp_path)  # fmt: skip
    verdict = json.loads((tmp_path / "out" / "audit.json").read_text())["datasets"][0]["verdict"]
    assert verdict["kind"] == "exposed"
    assert "700 of 700 cells" in verdict["sentence"]
    assert "identical content" in verdict["sentence"]


def test_an_audit_of_a_zarr_store_writes_an_annotated_h5ad(scvet, real, tmp_path):
    store = real / "scanpy_pbmc68k_reduced.zarr.zip"
    scvet("corpus", "build", "--layer", "counts", "--out", "z.corpus", store, cwd=tmp_path)
    scvet("audit", "--benchmark", store, "--layer", "counts", "--corpus", "z.corpus", "--outdir", "out", cwd=tmp_path)
    (copy,) = (tmp_path / "out").glob("*.h5ad")
    written = anndata.read_h5ad(copy)
    assert written.shape == (700, 765)
    assert any(column.startswith("scvet_") for column in written.obs.columns)
    assert written.obs["bulk_labels"].nunique() == 10
