"""Writes small 10x files of the odder kinds, after the layouts that 10x documents. Needs h5py.

tenx_two_genomes.h5: layout 3 with two genomes, whose names stand before those of the genes.
tenx_probes.h5: raw_probe_bc_matrix.h5 of a probe-based assay (Flex): a feature a probe, several a gene.
tenx_cellbender.h5: layout 3 without genomes, with what CellBender adds.
tenx_citeseq.h5: genes beside antibodies, guides and sample tags.
tenx_molecule_info.h5: one row a molecule, no matrix.
"""

import pathlib

import h5py
import numpy as np

HERE = pathlib.Path(__file__).parent


def texts(values):
    return np.array([value.encode() for value in values])


def write_matrix(name, cells, features, **more):
    """`cells`: for each cell {feature: count}. `features`, `more`: data sets of features/ and of matrix/."""
    n_features = len(features["id"])
    with h5py.File(HERE / name, "w", track_order=False) as file:
        matrix = file.create_group("matrix")
        matrix["barcodes"] = texts(f"AAAC{cell:04}-1" for cell in range(len(cells)))
        matrix["data"] = np.array([count for cell in cells for count in cell.values()], dtype="int32")
        matrix["indices"] = np.array([feature for cell in cells for feature in cell], dtype="int64")
        matrix["indptr"] = np.cumsum([0] + [len(cell) for cell in cells]).astype("int64")
        matrix["shape"] = np.array([n_features, len(cells)], dtype="int32")
        for group, members in (("features/", features), ("", more)):
            for member, values in members.items():
                matrix[group + member] = texts(values) if isinstance(values[0], str) else np.array(values)


write_matrix(
    "tenx_two_genomes.h5",
    [{0: 5, 2: 7}, {1: 9, 3: 1}],
    {
        "id": ["GRCh38_ENSG01", "GRCh38_ENSG02", "mm10___ENSMUSG01", "mm10___ENSMUSG02"],
        "name": ["GRCh38_TP53", "GRCh38_CD3E", "mm10___Trp53", "mm10___Cd3e"],
        "feature_type": ["Gene Expression"] * 4,
        "genome": ["GRCh38", "GRCh38", "mm10", "mm10"],
        "_all_tag_keys": ["genome"],
    },
)
write_matrix(
    "tenx_probes.h5",
    [{0: 1, 1: 2, 2: 8, 3: 16}, {0: 32, 4: 64}, {3: 128}],
    {
        "id": ["ENSG01|AAA|1", "ENSG01|AAA|2", "ENSG02|BBB|1", "ENSG02|BBB|2", "ENSG01|AAA|3"],
        "name": ["AAA", "AAA", "BBB", "BBB", "AAA"],
        "gene_id": ["ENSG01", "ENSG01", "ENSG02", "ENSG02", "ENSG01"],
        "gene_name": ["AAA", "AAA", "BBB", "BBB", "AAA"],
        "feature_type": ["Gene Expression"] * 5,
        "genome": ["GRCh38"] * 5,
        "probe_region": ["spliced", "unspliced", "spliced", "spliced", "spliced"],
        "filtered_probes": [True, True, True, False, True],
        "_all_tag_keys": ["genome"],
    },
    filtered_barcodes=[True, False, False],
)
write_matrix(
    "tenx_cellbender.h5",
    [{0: 1, 1: 2}, {1: 3}],
    {"id": ["ENSG01", "ENSG02"], "name": ["AAA", "BBB"], "feature_type": ["Gene Expression"] * 2},
    latent_cell_probability=[0.99, 0.5],
    ambient_expression=[0.1, 0.9],
)
write_matrix(
    "tenx_citeseq.h5",
    [{0: 1, 2: 50, 4: 3}, {1: 2, 3: 7}],
    {
        "id": ["ENSG01", "ENSG02", "CD3_TotalSeqB", "guide_1", "CMO301"],
        "name": ["AAA", "CD3", "CD3", "guide_1", "CMO301"],
        "feature_type": ["Gene Expression"] * 2 + ["Antibody Capture", "CRISPR Guide Capture", "Multiplexing Capture"],
        "genome": ["GRCh38", "GRCh38", "", "", ""],
        "pattern": ["", "", "^NNNNNNNNNN(BC)", "(BC)GTTT", "^NNN(BC)"],
        "read": ["", "", "R2", "R2", "R2"],
        "sequence": ["", "", "AACAAGACCC", "ACGT", "ATGAGG"],
        "_all_tag_keys": ["genome", "read", "pattern", "sequence"],
    },
)
with h5py.File(HERE / "tenx_molecule_info.h5", "w") as file:
    for name, values in {"barcode_idx": [0, 1], "feature_idx": [0, 1], "gem_group": [1, 1], "umi": [5, 6]}.items():
        file[name] = np.array(values, dtype="uint64")
    file["count"] = np.array([3, 1], dtype="uint32")
    file["barcodes"] = texts(["AAAC", "CCCG"])
    file["features/id"] = texts(["ENSG01", "ENSG02"])
