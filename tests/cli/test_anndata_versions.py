"""The h5ad files that scvet writes open in the real anndata packages, with the source's content and the new columns."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPAT = ROOT / "build" / "compat"


def versions():
    lines = (ROOT / "tests" / "compat" / "versions.txt").read_text().splitlines()
    return [tuple(line.split()) for line in lines if line and not line.startswith("#")]


def available(version, base):
    return all((COMPAT / part).exists() for part in (f"anndata-{version}", f"base-{base}", f"pip-{base}/bin/python"))


def environment(version, base):
    """The interpreter and PYTHONPATH of an anndata version, as scripts/setup_compat.sh made them."""
    package, packages, python = (
        COMPAT / f"anndata-{version}",
        COMPAT / f"base-{base}",
        COMPAT / f"pip-{base}/bin/python",
    )
    if not available(version, base):
        wanted = "Python 3.12 or newer" if base == "2026" else "Python 3.11"
        pytest.skip(
            f"anndata {version}: build/compat has no environment for it (needs {wanted}; scripts/setup_compat.sh)"
        )
    return python, {**os.environ, "PYTHONPATH": f"{package}:{packages}", "PYTHONNOUSERSITE": "1"}


@pytest.fixture(scope="module")
def annotate():
    """The test-only program that adds one column of every kind."""
    build = pathlib.Path(os.environ.get("SCVET", ROOT / "build" / "release" / "scvet")).parent
    program = build / "tests" / "compat" / "annotate_h5ad"
    if not program.exists():
        pytest.fail(f"{program} is missing: build the target annotate_h5ad")

    def run(mode, source, target, compression="gzip"):
        done = subprocess.run(
            [program, mode, source, target, compression], capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, f"{source}: {done.stderr}"
        return done.stdout.splitlines()

    return run


@pytest.fixture(scope="module")
def copies(annotate, real, tmp_path_factory):
    """Annotated copies and files written anew of every h5ad that others made and of the published vectors."""
    folder = tmp_path_factory.mktemp("copies")
    sources = sorted(real.glob("*.h5ad")) + sorted((real.parent / "reference" / "audit").glob("*.h5ad"))
    jobs = []
    for source in sources:
        for mode in ("copy", "rewrite"):
            target = folder / f"{source.stem}.{mode}.h5ad"
            annotate(mode, source, target)
            jobs.append({"name": f"{mode} {source.name}", "mode": mode, "source": str(source), "copy": str(target)})
    assert len(jobs) >= 40
    return jobs


@pytest.mark.parametrize(("version", "base"), versions())
def test_copies_open_with_equal_content(version, base, copies):
    python, env = environment(version, base)
    done = subprocess.run(
        [python, "-s", ROOT / "tests" / "compat" / "check_copies.py"],
        input=json.dumps(copies),
        capture_output=True,
        text=True,
        env=env,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["version"] == version
    assert len(answer["results"]) == len(copies)
    assert {name: wrong for name, wrong in answer["results"].items() if wrong} == {}


WRITE_NEW = """
import sys, warnings
import anndata, numpy as np, pandas as pd
warnings.simplefilter("ignore")
anndata.settings.allow_write_nullable_strings = True
obs = pd.DataFrame({
    "gaps": pd.array(["a", None, "c"], dtype="string"),
    "whole": pd.array(["x", "y", "z"], dtype="string"),
}, index=["c1", "c2", "c3"])
uns = {"nothing": None, "kept": np.arange(3), "inner": {"nothing": None, "one": 1}}
anndata.AnnData(obs=obs, var=pd.DataFrame(index=["g1", "g2"]), uns=uns).write_h5ad(sys.argv[1])
"""
READ_NEW = """
import sys, warnings
import anndata
warnings.simplefilter("ignore")
a = anndata.read_h5ad(sys.argv[1])
assert a.shape == (3, 2) and list(a.obs_names) == ["c1", "c2", "c3"] and list(a.var_names) == ["g1", "g2"]
assert list(a.obs["whole"]) == ["x", "y", "z"] and list(a.obs["scvet_row"]) == [-5, 999998, 2000001]
assert a.obs["gaps"].isna().tolist() == [False, True, False] and a.obs["gaps"].iloc[2] == "c"
assert a.uns["kept"].tolist() == [0, 1, 2] and a.uns["inner"]["one"] == 1
"""


@pytest.mark.parametrize("writer", [("0.12.19", "2025"), ("0.13.4", "2026")], ids=lambda writer: writer[0])
def test_copies_of_new_files_open_in_every_version(writer, annotate, tmp_path):
    """Nullable strings, nulls in uns and no X: the source opens in new versions only, its copy in all."""
    python, env = environment(*writer)
    subprocess.run([python, "-s", "-c", WRITE_NEW, tmp_path / "new.h5ad"], env=env, check=True)
    notes = annotate("copy", tmp_path / "new.h5ad", tmp_path / "copy.h5ad")
    assert sum("'null'" in note for note in notes) == 2
    for version, base in filter(lambda pair: available(*pair), versions()):
        reader, reader_env = environment(version, base)
        done = subprocess.run(
            [reader, "-s", "-c", READ_NEW, tmp_path / "copy.h5ad"],
            env=reader_env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"anndata {version}: {done.stderr}"


CHANGES = {
    "a value of X": "f['X/data'][3] += 1",
    "a value of a column": "f['obs/batch/codes'][2] = 1 - f['obs/batch/codes'][2]",
    "a name": "f['obs/_index'][5] = 'else'",
    "a new column": "f['obs/scvet_row'][0] = 7",
    "an entry of uns": "del f['uns/scvet_version']",
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_comparison_sees(change, annotate, real, tmp_path):
    """A comparison that passes whatever the files hold would prove nothing."""
    python, env = environment("0.12.19", "2025")
    source, target = real / "kang_pbmc_2000.h5ad", tmp_path / "copy.h5ad"
    annotate("copy", source, target)
    script = f"import h5py\nf = h5py.File({str(target)!r}, 'r+')\n{CHANGES[change]}"
    subprocess.run([python, "-s", "-c", script], env=env, check=True)
    job = {"name": "x", "mode": "copy", "source": str(source), "copy": str(target)}
    done = subprocess.run(
        [python, "-s", ROOT / "tests" / "compat" / "check_copies.py"],
        input=json.dumps([job]),
        capture_output=True,
        text=True,
        env=env,
        timeout=300,
        check=True,
    )
    assert len(json.loads(done.stdout)["results"]["x"]) >= 1
