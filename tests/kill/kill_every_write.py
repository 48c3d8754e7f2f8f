#!/usr/bin/env python3
"""Kills trial_steps at its n-th write, for every n, and once more inside each write; then goes on and compares.

usage: kill_every_write.py TRIAL_STEPS KILL_AT_LIBRARY REFERENCE_DIR

After each kill the folder must be in the state before or after the write, and going on must give the bytes of the
worked example, but for the ledger, which may also hold TORN_LINE and OVERRIDE events, and what follows from them.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

STATES = [
    "UNKNOWN",
    "ARM_REGISTERED",
    "SANITY_PASSED",
    "PREDICTED",
    "TEST_OPENED",
    "TEST_DONE",
]
# arm.json holds the lock id, which holds the time of locking: all compared files do, through the clock of the test.
COMPARED = [
    "fixed.tsv",
    "labels.test.tsv",
    "labels.trainval.tsv",
    "protocol.json",
    "data.json",
    "rows.tsv",
    "split.tsv",
]
COMPARED += [
    f"arms/demo/{name}" for name in ("arm.json", "sanity.json", "predictions.tsv", "metrics.json", "outcome.json")
]


class Suite:
    def __init__(self, steps: str, library: str, reference: str):
        self.steps, self.library = steps, library
        self.locked = pathlib.Path(reference) / "trial/lock/locked"
        self.faults: list[str] = []

    def run(self, root: pathlib.Path, **environment: str) -> subprocess.CompletedProcess:
        command = [self.steps, str(root / "trial"), str(root / "state")]
        env = {**os.environ, **environment}
        return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)

    def killed(self, root: pathlib.Path, at: int, torn: str = "") -> bool:
        """True when the process died at write `at`; False when it ended before."""
        environment = {"LD_PRELOAD": self.library, "KILL_BELOW": str(root), "KILL_AT": str(at)}
        if torn:
            environment["KILL_TORN"] = torn
        result = self.run(root, **environment)
        if result.returncode == 0:
            return False
        if result.returncode != -9:
            self.faults.append(f"write {at}: expected a kill, found exit {result.returncode}: {result.stderr}")
        return True

    def check(self, root: pathlib.Path, name: str) -> None:
        result = self.run(root, BREAK_LOCK="1")
        if result.returncode != 0 or result.stdout.strip() not in STATES:
            self.faults.append(f"{name}: going on gave exit {result.returncode}, '{result.stdout}': {result.stderr}")
            return
        for file in COMPARED:
            if (root / "trial" / file).read_bytes() != (self.locked / file).read_bytes():
                self.faults.append(f"{name}: {file} differs from the worked example")
        left = [str(path) for path in root.rglob("*") if ".part-" in path.name or path.name == "lock.pid"]
        if left:
            self.faults.append(f"{name}: left behind {left}")
        again = self.run(root)
        if again.returncode != 0 or again.stdout.strip() != "TEST_DONE":
            self.faults.append(f"{name}: a second look gave exit {again.returncode}, '{again.stdout}': {again.stderr}")
        self.check_ledger(root, name)

    def check_ledger(self, root: pathlib.Path, name: str) -> None:
        """The events of the worked example in their order, besides those of recovery."""
        expected = [json.loads(line)["event"] for line in (self.locked / "ledger.jsonl").read_text().splitlines()]
        found, opened = [], 0
        for line in (root / "trial/ledger.jsonl").read_text().splitlines():
            try:
                event = json.loads(line)["event"]
            except ValueError:
                continue  # the torn bytes stay
            opened += event == "TEST_OPENED"
            if event not in ("TORN_LINE", "OVERRIDE"):
                found.append(event)
        if found != expected or opened != 1:
            self.faults.append(f"{name}: events {found}, expected {expected}")


def main() -> int:
    suite = Suite(*sys.argv[1:4])
    if not suite.locked.is_dir():
        print(f"skipped: {suite.locked} is not there")
        return 77
    kills = 0
    # In memory where that is possible: every write is followed by an fsync.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory, prefix="scvet-kill-") as top:
        for torn in ("", "1", "60", "100"):
            at = 1
            while True:
                root = pathlib.Path(top) / "root"
                shutil.rmtree(root, ignore_errors=True)
                root.mkdir()
                if not suite.killed(root, at, torn):
                    break
                kills += 1
                suite.check(root, f"killed at write {at}{' inside, ' + torn + ' %' if torn else ''}")
                at += 1
    for fault in suite.faults:
        print(fault)
    print(f"{kills} kills, {len(suite.faults)} faults")
    return 1 if suite.faults or kills < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
