"""Writes zarr_tiny/: small AnnData stores of both versions as zip archives, as anndata and zarr write them. Seeds for
fuzzing, so few bytes count more than many kinds. Needs anndata and zarr."""

import json
import pathlib
import tempfile
import warnings
import zipfile

import anndata
import numpy as np
import pandas as pd
import scipy.sparse as sp
import zarr
from zarr import codecs

warnings.filterwarnings("ignore")
OUT = pathlib.Path(__file__).with_name("zarr_tiny")
N_CELLS, N_GENES = 6, 5


def archive(folder, path):
    """All files in order of name, stored, with one date: the same bytes at every run."""
    with zipfile.ZipFile(path, "w") as out:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and file.name != ".zmetadata":
                out.writestr(zipfile.ZipInfo(str(file.relative_to(folder))), file.read_bytes())


def cells():
    x = sp.csr_matrix(np.arange(N_CELLS * N_GENES).reshape(N_CELLS, N_GENES) % 4, dtype="f4")
    obs = pd.DataFrame(index=[f"c{cell}" for cell in range(N_CELLS)])
    obs["kind"] = pd.Categorical(["a", "b", None, "a", "b", "b"])
    obs["count"] = pd.array([1, 2, pd.NA, 4, 5, 6], dtype="Int8")
    adata = anndata.AnnData(x, obs=obs, var=pd.DataFrame(index=[f"g{gene}" for gene in range(N_GENES)]))
    adata.layers["dense"] = x.toarray().astype("i2")
    adata.obsm["X_pca"] = np.ones((N_CELLS, 2), dtype="f2")
    return adata


OUT.mkdir(exist_ok=True)
for version in (2, 3):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "x.zarr"
        anndata.settings.zarr_write_format = version
        cells().write_zarr(folder)
        root = zarr.open_group(folder, mode="a", zarr_format=version)
        if version == 3:
            inner = [codecs.TransposeCodec(order=(1, 0)), codecs.BytesCodec(endian="big"), codecs.ZstdCodec()]
            options = {"serializer": codecs.ShardingCodec(chunk_shape=(2, 5), codecs=inner), "compressors": None}
        else:
            options = {"order": "F", "compressors": None}
        layer = root["layers"].create_array("more", shape=(N_CELLS, N_GENES), dtype="i4", chunks=(4, 5), **options)
        layer.attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
        layer[...] = np.arange(N_CELLS * N_GENES).reshape(N_CELLS, N_GENES)
        if version == 3:
            root = json.loads((folder / "zarr.json").read_text())
            del root["consolidated_metadata"]
            (folder / "zarr.json").write_text(json.dumps(root))
        archive(folder, OUT / f"v{version}.zarr.zip")
