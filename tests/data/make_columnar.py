"""Writes token_lists/ (a Hugging Face data set of two shards), token_layouts/ (its cells in every layout that a list
of integers may have) and count_lists/ (parquet with its table of genes).

Needs pyarrow. Small on purpose: tests cut these files at every byte.
"""

import json
import pathlib

import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

HERE = pathlib.Path(__file__).parent

SHARDS = [
    {"input_ids": [[5, 3, 9], [2, 7]], "length": [3, 2], "cell_type": ["B", "T"], "barcode": ["AAAC", "CCCG"]},
    {
        "input_ids": [[], [4, 6, 2, 9], [3]],
        "length": [0, 4, 2],
        "cell_type": ["T", None, "NK"],
        "barcode": ["A", "C", "G"],
    },
]


def write_token_lists(folder):
    names = [f"data-{at:05d}-of-{len(SHARDS):05d}.arrow" for at in range(len(SHARDS))]
    for name, columns in zip(names, SHARDS, strict=True):
        table = pa.table(
            {
                "input_ids": pa.array(columns["input_ids"], pa.list_(pa.int16())),
                "length": pa.array(columns["length"], pa.int64()),
                "cell_type": pa.array(columns["cell_type"]).dictionary_encode(),
                "barcode": columns["barcode"],
            }
        )
        with ipc.new_stream(folder / name, table.schema) as writer:
            writer.write_table(table, max_chunksize=2)
    state = {"_data_files": [{"filename": name} for name in names], "_indices_data_files": None}
    (folder / "state.json").write_text(json.dumps(state, indent=1) + "\n")
    feature = {"feature": {"dtype": "int16", "_type": "Value"}, "_type": "List"}
    (folder / "dataset_info.json").write_text(json.dumps({"features": {"input_ids": feature}}, indent=1) + "\n")


def write_count_lists(folder):
    cells = pa.table(
        {
            "genes": pa.array([[1, 7, 4], [1, 5], [1]], pa.list_(pa.int64())),
            "expressions": pa.array([[-2, 3, 1], [-2, 2], [-2]], pa.list_(pa.float32())),
            "drug": ["a", "b", "a"],
            "BARCODE_SUB_LIB_ID": ["x_1", "x_2", "x_3"],
        }
    )
    pq.write_table(cells, folder / "cells.parquet")
    genes = pa.table(
        {
            "gene_symbol": ["CD3D", "LYZ", "ACTB"],
            "ensembl_id": ["ENSG00000167286", "ENSG00000090382", "ENSG00000075624"],
            "token_id": pa.array([7, 4, 5], pa.int64()),
        }
    )
    pq.write_table(genes, folder / "gene_metadata.parquet")


def write_layouts(folder):
    cells = [tokens for shard in SHARDS for tokens in shard["input_ids"]]
    files = {
        "int8.arrow": (pa.list_(pa.int8()), {}),
        "uint8_large_list.arrow": (pa.large_list(pa.uint8()), {}),
        "uint16_zstd.arrow": (pa.list_(pa.uint16()), {"compression": "zstd"}),
        "uint32_lz4.arrow": (pa.list_(pa.uint32()), {"compression": "lz4"}),
        "int64_zstd_file.arrow": (pa.large_list(pa.int64()), {"compression": "zstd"}),
        "uint64_file.arrow": (pa.list_(pa.uint64()), {}),
        "int32_legacy.arrow": (pa.list_(pa.int32()), {"use_legacy_format": True}),
    }
    for name, (kind, options) in files.items():
        table = pa.table({"a_text": ["x"] * len(cells), "input_ids": pa.array(cells, kind)})
        new = ipc.new_file if "file" in name else ipc.new_stream
        with new(folder / name, table.schema, options=ipc.IpcWriteOptions(**options)) as writer:
            writer.write_table(table.slice(0, 3))
            writer.write_table(table.slice(3, 0))
            writer.write_table(table.slice(3), max_chunksize=1)
    # A slice whose lists do not begin at the first value of the buffer.
    sliced = pa.array([[1, 1], *cells, [1]], pa.list_(pa.int32())).slice(1, len(cells))
    batch = pa.record_batch({"input_ids": sliced})
    with ipc.new_stream(folder / "int32_sliced.arrow", batch.schema) as writer:
        writer.write_batch(batch)
    table = pa.table({"input_ids": pa.array(cells, pa.list_(pa.int16()))})
    pq.write_table(table, folder / "int16.parquet", row_group_size=2)
    pq.write_table(
        table, folder / "int16_plain.parquet", compression="none", use_dictionary=False, data_page_version="2.0"
    )


write_token_lists(HERE / "token_lists")
write_layouts(HERE / "token_layouts")
write_count_lists(HERE / "count_lists")
