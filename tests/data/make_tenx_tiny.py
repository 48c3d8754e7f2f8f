"""Writes tenx_tiny.h5: 3 cells, 3 features, uncompressed, so that a test can change single bytes. Needs h5py."""

import pathlib

import h5py
import numpy as np

with h5py.File(pathlib.Path(__file__).with_name("tenx_tiny.h5"), "w") as file:
    matrix = file.create_group("matrix")
    matrix["barcodes"] = np.array([b"AAAC-1", b"CCCG-1", b"GGGT-1"])
    matrix["data"] = np.array([7, 5, 9, 1, 2], dtype="int32")
    matrix["indices"] = np.array([0, 2, 1, 0, 1], dtype="int64")
    matrix["indptr"] = np.array([0, 2, 3, 5], dtype="int64")
    matrix["shape"] = np.array([3, 3], dtype="int32")
    matrix["features/name"] = np.array([b"A", b"B", b"CD3"])
    matrix["features/feature_type"] = np.array([b"Gene Expression", b"Gene Expression", b"Antibody Capture"])
