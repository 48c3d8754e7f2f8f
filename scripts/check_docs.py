#!/usr/bin/env python3
"""Follows the links of every committed Markdown page to files and headings; web addresses are not visited."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")


def anchor(heading: str) -> str:
    """The name that a page viewer gives to a heading."""
    text = re.sub(r"[`*]", "", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(page: Path) -> set[str]:
    text = FENCE.sub("", page.read_text())
    return {anchor(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


def faults_of(page: Path, root: Path) -> list[str]:
    faults = []
    text = CODE.sub("", FENCE.sub("", page.read_text()))
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, part = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        if not path.exists() or not path.is_relative_to(root):
            faults.append(f"{page.relative_to(root)}: no file {target}")
        elif part and path.suffix == ".md" and part not in anchors(path):
            faults.append(f"{page.relative_to(root)}: no heading #{part} in {path.relative_to(root)}")
    return faults


def unlinked(pages: list[Path], root: Path) -> list[str]:
    """Pages under docs/ that no other page leads to."""
    reached = set()
    for page in pages:
        for target in LINK.findall(page.read_text()):
            reached.add((page.parent / target.partition("#")[0]).resolve())
    docs = (root / "docs").resolve()
    return [
        f"{page.relative_to(root)}: no page links here"
        for page in pages
        if page.is_relative_to(docs) and page != docs / "index.md" and page not in reached
    ]


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    pages = [(ROOT / name).resolve() for name in listed.stdout.split()]
    faults = [fault for page in pages for fault in faults_of(page, ROOT)] + unlinked(pages, ROOT)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
