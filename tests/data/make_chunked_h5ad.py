"""Writes chunked_h5ad/<filter>.h5ad: the same 40 cells x 30 genes, X as csr in small chunks under each filter.

csc and dense layers go through the same filter. Needs h5py and hdf5plugin.
"""

import pathlib

import h5py
import hdf5plugin
import numpy as np

FOLDER = pathlib.Path(__file__).parent / "chunked_h5ad"
N_CELLS, N_GENES = 40, 30
FILTERS = {
    "plain": {},
    "gzip_shuffle_fletcher": {"compression": "gzip", "shuffle": True, "fletcher32": True},
    "lzf": {"compression": "lzf"},
    "zstd": hdf5plugin.Zstd(3),
    "blosc_zstd": hdf5plugin.Blosc("zstd", 5, hdf5plugin.Blosc.BITSHUFFLE),
    "blosc_lz4": hdf5plugin.Blosc("lz4", 5, hdf5plugin.Blosc.SHUFFLE),
    "lz4": hdf5plugin.LZ4(),
    "bitshuffle_lz4": hdf5plugin.Bitshuffle(0, "lz4"),
}


def encode(item, kind, version):
    item.attrs["encoding-type"] = kind
    item.attrs["encoding-version"] = version
    return item


def write_frame(file, name, index):
    frame = encode(file.create_group(name), "dataframe", "0.2.0")
    frame.attrs["_index"] = "_index"
    frame.attrs["column-order"] = np.array([], dtype="S1")
    encode(frame.create_dataset("_index", data=index, dtype=h5py.string_dtype()), "string-array", "0.2.0")


def write_sparse(parent, name, kind, dense, how):
    lines = dense if kind == "csr_matrix" else dense.T
    group = encode(parent.create_group(name), kind, "0.1.0")
    group.attrs["shape"] = dense.shape
    chunk = {"chunks": (50,), "maxshape": (None,), **how}
    line, place = np.nonzero(lines)
    group.create_dataset("data", data=lines[line, place], **chunk)
    group.create_dataset("indices", data=place.astype("int32"), **chunk)
    group.create_dataset("indptr", data=np.concatenate([[0], np.cumsum((lines != 0).sum(1))]).astype("int32"))


def main():
    FOLDER.mkdir(exist_ok=True)
    cell, gene = np.indices((N_CELLS, N_GENES))
    dense = np.where((cell * 7 + gene * 3) % 4 == 0, 1 + (cell * gene) % 9, 0).astype("float32")
    for name, how in FILTERS.items():
        with h5py.File(FOLDER / f"{name}.h5ad", "w", libver=("v108", "v110")) as file:
            encode(file, "anndata", "0.1.0")
            write_frame(file, "obs", [f"c{at}" for at in range(N_CELLS)])
            write_frame(file, "var", [f"g{at}" for at in range(N_GENES)])
            write_sparse(file, "X", "csr_matrix", dense, how)
            layers = encode(file.create_group("layers"), "dict", "0.1.0")
            write_sparse(layers, "by_gene", "csc_matrix", dense, how)
            encode(layers.create_dataset("dense", data=dense, chunks=(16, 8), **how), "array", "0.2.0")


main()
