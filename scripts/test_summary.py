#!/usr/bin/env python3
"""Adds up JUnit files: prints skipped tests by name with the reason, failed ones, and 'N passed, N failed, N skipped'.

Exit status 1 when a test failed, when a file is missing (its run died), or when no test ran at all.
"""

from __future__ import annotations

import argparse
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Totals:
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


def skip_reason(case: ElementTree.Element) -> str:
    """pytest keeps the reason in <skipped message>; ctest keeps GoogleTest's output: the line after 'Skipped'."""
    lines = [line.strip() for line in (case.findtext("system-out") or "").splitlines()]
    for number, line in enumerate(lines):
        if line.endswith(": Skipped"):
            return next((text for text in lines[number + 1 :] if text), "")
    skipped = case.find("skipped")
    return (skipped.get("message") or "") if skipped is not None else ""


def add_file(path: Path, totals: Totals) -> None:
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = ".".join(part for part in (case.get("classname"), case.get("name")) if part)
        if case.get("classname") == case.get("name"):
            name = case.get("name") or ""
        if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
            totals.failed.append(name)
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            totals.skipped.append(f"{name}: {skip_reason(case)}")
        else:
            totals.passed += 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quiet", action="store_true", help="the closing line only")
    parser.add_argument("files", nargs="+", type=Path)
    arguments = parser.parse_args()
    totals, missing = Totals(), []
    for path in arguments.files:
        if path.exists():
            add_file(path, totals)
        else:
            missing.append(str(path))
    if not arguments.quiet:
        for title, names in (("skipped", totals.skipped), ("failed", totals.failed)):
            for name in names:
                print(f"{title}: {name}")
    for path in missing:
        print(f"no results in {path}: that run ended before it wrote them")
    print(f"{totals.passed} passed, {len(totals.failed) + len(missing)} failed, {len(totals.skipped)} skipped")
    return 1 if totals.failed or missing or totals.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
