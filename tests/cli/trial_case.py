"""A trial as the tests of the command line run it: the tiny worked example, at each of its stages."""

import json
import pathlib
import re
import shutil

import anndata
import numpy as np
import pytest


def reason(result):
    """The stable word that a refusal ends with."""
    found = re.search(r"reason=(\w+)\)", result.stderr + result.stdout)
    return found.group(1) if found else result.stderr + result.stdout


@pytest.fixture(scope="session")
def tiny(reference):
    """The worked example: its counts, and the extraction record of its arm."""
    return reference / "trial" / "lock"


@pytest.fixture(scope="session")
def extraction(tiny, tmp_path_factory):
    arm = json.loads((tiny / "locked/arms/demo/arm.json").read_text())
    path = tmp_path_factory.mktemp("record") / "extraction.json"
    path.write_text(json.dumps(arm["extraction"]))
    return path


class Trial:
    """A trial folder with its state folder, and the verbs on it."""

    def __init__(self, scvet, root, counts, extraction):
        self.scvet, self.root, self.counts, self.extraction = scvet, pathlib.Path(root), counts, extraction
        self.folder, self.state = self.root / "trial", self.root / "state"

    def run(self, verb, *flags, code=0, env=None):
        place = ["--trial", self.folder, "--state-dir", self.state]
        return self.scvet("trial", verb, *place, *flags, code=code, env=env)

    def lock(self, *flags, code=0, arm="demo", obsm="X_demo", underpowered=True, env=None):
        more = ["--underpowered"] if underpowered else []
        what = ["--counts", self.counts, "--obsm", obsm, "--arm", arm, "--extraction", self.extraction]
        return self.run("lock", *what, *more, *flags, code=code, env=env)

    def copy(self, root):
        shutil.copytree(self.root, root, dirs_exist_ok=True)
        return Trial(self.scvet, root, self.counts, self.extraction)


@pytest.fixture
def trial(scvet, tmp_path, tiny, extraction):
    return Trial(scvet, tmp_path, tiny / "input/counts.h5ad", extraction)


@pytest.fixture(scope="session")
def stages(scvet, tmp_path_factory, tiny, extraction):
    """The same trial after lock, after sanity, and after its test."""
    made = {}
    trial = Trial(scvet, tmp_path_factory.mktemp("locked"), tiny / "input/counts.h5ad", extraction)
    trial.lock()
    made["locked"] = trial
    for stage, verb in (("sane", "sanity"), ("done", "final-test")):
        trial = trial.copy(tmp_path_factory.mktemp(stage))
        # derived/inputs.json holds absolute paths of the counts only, so a copy goes on.
        trial.run(verb)
        made[stage] = trial
    return made


def changed_embedding(tiny, path, change):
    data = anndata.read_h5ad(tiny / "input/counts.h5ad")
    rng = np.random.default_rng(1)
    z = np.asarray(data.obsm["X_demo"])
    if change == "noise":
        z = z + rng.normal(0, 1e-9, z.shape)
    elif change == "permuted":
        z = z[rng.permutation(len(z))]
    names = list(data.obs_names)
    if change == "reordered":
        order = rng.permutation(len(z))
        z, names = z[order], [names[at] for at in order]
    if change == "short":
        z, names = z[:-1], names[:-1]
    if change == "nan":
        z = z.copy()
        z[3, 2] = np.nan
    if change == "twice":
        names[1] = names[0]
    made = anndata.AnnData(X=z.astype(np.float64), obs={"row": list(range(len(z)))})
    made.obs_names = names
    made.write_h5ad(path)
