"""Writes codecs.txt (blocks packed by numcodecs) and filters.h5 (chunks packed by hdf5plugin's filters).

Both hold the same 1,003 numbers: payload() here and in codecs_test.cpp. Needs numcodecs, google-crc32c, h5py and
hdf5plugin.
"""

import pathlib
import zlib

import google_crc32c
import h5py
import hdf5plugin
import numcodecs
import numpy as np

HERE = pathlib.Path(__file__).parent


def payload() -> np.ndarray:
    at = np.arange(1003, dtype="uint32")
    return at // 5 * 7 % 251 + 1000 * (at // 300)


def write_blocks() -> None:
    numbers = payload()
    blocks = {
        "zlib": numcodecs.Zlib(6).encode(numbers),
        "gzip": numcodecs.GZip(6).encode(numbers),
        "gzip_two_members": numcodecs.GZip(1).encode(numbers[:500]) + numcodecs.GZip(9).encode(numbers[500:]),
        "zstd": numcodecs.Zstd(3).encode(numbers),
        "lz4": numcodecs.LZ4().encode(numbers),
        "shuffle": numcodecs.Shuffle(4).encode(numbers),
    }
    for name in ("blosclz", "lz4", "lz4hc", "zlib", "zstd"):
        for shuffle in (0, 1, 2):
            blocks[f"blosc_{name}_{shuffle}"] = numcodecs.Blosc(name, 5, shuffle).encode(numbers)
    lines = [f"{name} {bytes(block).hex()}" for name, block in blocks.items()]
    lines.append(f"crc32c {google_crc32c.value(numbers.tobytes()):08x}")
    assert zlib.decompress(blocks["zlib"]) == numbers.tobytes()
    (HERE / "codecs.txt").write_text("\n".join(lines) + "\n")


def write_file() -> None:
    filters = {
        "gzip": {"compression": "gzip"},
        "gzip_shuffle_fletcher": {"compression": "gzip", "shuffle": True, "fletcher32": True},
        "lzf": {"compression": "lzf"},
        "lzf_shuffle": {"compression": "lzf", "shuffle": True},
        "zstd": hdf5plugin.Zstd(3),
        "blosc_lz4": hdf5plugin.Blosc("lz4", 5, hdf5plugin.Blosc.SHUFFLE),
        "blosc_zstd": hdf5plugin.Blosc("zstd", 5, hdf5plugin.Blosc.BITSHUFFLE),
        "lz4": hdf5plugin.LZ4(),
        "lz4_small_blocks": hdf5plugin.LZ4(256),
        "bitshuffle": hdf5plugin.Bitshuffle(0, "none"),
        "bitshuffle_lz4": hdf5plugin.Bitshuffle(0, "lz4"),
        "bitshuffle_zstd": hdf5plugin.Bitshuffle(64, "zstd"),
    }
    with h5py.File(HERE / "filters.h5", "w", libver=("v108", "v110")) as file:
        for name, how in filters.items():
            for chunk, suffix in ((1003, ""), (300, "_chunks")):
                file.create_dataset(name + suffix, data=payload(), chunks=(chunk,), track_times=False, **how)


write_blocks()
write_file()
