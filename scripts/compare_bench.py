#!/usr/bin/env python3
"""Prints each benchmark's time now against the stored one: compare_bench.py STORED_FOLDER NEW_FOLDER.

Both folders hold Google Benchmark's JSON, one file a program. Times on another machine mean little: where the stored
context names another processor count or clock, the line says so. Never fails on a slowdown; people judge.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


def times(path: Path) -> tuple[dict[str, float], dict]:
    """Benchmark name -> real time in ns (the median where repetitions were made), and the context."""
    data = json.loads(path.read_text())
    found: dict[str, float] = {}
    for entry in data["benchmarks"]:
        kind = entry.get("run_type", "iteration")
        if kind == "aggregate" and entry.get("aggregate_name") != "median":
            continue
        found[entry.get("run_name", entry["name"])] = entry["real_time"] * NANOSECONDS[entry["time_unit"]]
    return found, data.get("context", {})


def same_machine(old: dict, new: dict) -> bool:
    return all(old.get(key) == new.get(key) for key in ("num_cpus", "mhz_per_cpu"))


def human(nanoseconds: float) -> str:
    for unit in ("s", "ms", "us"):
        if nanoseconds >= NANOSECONDS[unit]:
            return f"{nanoseconds / NANOSECONDS[unit]:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def compare(old_path: Path, new_path: Path) -> list[str]:
    (old, old_context), (new, new_context) = times(old_path), times(new_path)
    note = "" if same_machine(old_context, new_context) else "  (stored on another machine)"
    lines = []
    for name, time in new.items():
        if name in old:
            lines.append(f"{name}: {human(old[name])} -> {human(time)}  {time / old[name]:.2f}x{note}")
        else:
            lines.append(f"{name}: {human(time)}  (nothing stored)")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stored", type=Path)
    parser.add_argument("new", type=Path)
    arguments = parser.parse_args()
    for path in sorted(arguments.new.glob("*.json")):
        stored = arguments.stored / path.name
        if stored.exists():
            print("\n".join(compare(stored, path)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
