#!/usr/bin/env python3
"""clang-tidy over the sources that have not passed in their present form.

A file's form is the digest of its text, of every project header it includes, of its compile command and of .clang-tidy.
Passes are remembered as empty files under $XDG_CACHE_HOME/scvet-tidy (default ~/.cache), as ccache remembers objects,
so only changed files cost time; --all looks at every file again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-14"
FOLDERS = ("src", "cli")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "scvet-tidy"


def resolve(include: str, source: Path, root: Path) -> Path | None:
    """The project file that `include` names in `source`; None for one outside or made by the build."""
    module_folders = [folder for folder in source.parents if folder.is_relative_to(root)]
    for folder in [source.parent, root / "include", root / "cli", *module_folders]:
        path = folder / include
        if path.is_file():
            return path.resolve()
    return None


def closure(source: Path, root: Path) -> list[Path]:
    """`source` and the project headers it includes, however deep, sorted."""
    found, waiting = set(), [source.resolve()]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for include in INCLUDE.findall(path.read_text(errors="replace")):
            if header := resolve(include, path, root):
                waiting.append(header)
    return sorted(found)


def form(source: Path, command: str, root: Path) -> str:
    digest = hashlib.sha256()
    digest.update((root / ".clang-tidy").read_bytes())
    digest.update(command.replace(str(root), "").encode())
    for path in closure(source, root):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def commands(build: Path, root: Path) -> dict[Path, str]:
    entries = json.loads((build / "compile_commands.json").read_text())
    chosen = {}
    for entry in entries:
        path = Path(entry["file"])
        if path.exists() and any(path.is_relative_to(root / folder) for folder in FOLDERS):
            chosen[path] = entry["command"]
    return chosen


def run_tidy(source: Path, build: Path, mark: Path) -> str:
    """The findings in `source`; "" and the mark when there are none."""
    result = subprocess.run(
        [TIDY, "-p", str(build), "--quiet", str(source)], capture_output=True, text=True, check=False
    )
    if result.returncode == 0:
        mark.touch()
        return ""
    return result.stdout or result.stderr


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--all", action="store_true", help="also files that passed before")
    arguments = parser.parse_args()
    if not shutil.which(TIDY):
        print(f"{TIDY} not found; './dev setup' installs it", file=sys.stderr)
        return 1
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    build = arguments.build.resolve()
    marks = {source: cache / form(source, command, ROOT) for source, command in commands(build, ROOT).items()}
    waiting = [source for source, mark in marks.items() if arguments.all or not mark.exists()]
    faulty = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for findings in pool.map(lambda source: run_tidy(source, build, marks[source]), waiting):
            if findings:
                faulty += 1
                print(findings, flush=True)
    print(f"clang-tidy: {len(waiting)} of {len(marks)} files looked at, {faulty} with findings")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
