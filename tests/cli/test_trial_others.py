"""What others take part in a trial: encoders that embed again, a second party, an audit's table of exposed cells."""

import json
import sys

import anndata
import numpy as np
from trial_case import reason

ENCODER = """
import sys, anndata, numpy as np
given, made = sys.argv[1:3]
data = anndata.read_h5ad(given)
counts = data.X.toarray() if hasattr(data.X, "toarray") else np.asarray(data.X)
z = np.log1p(counts)[:, :5] * {scale}
out = anndata.AnnData(X=z.astype(np.float64))
out.obs_names = data.obs_names
out.write_h5ad(made)
"""


def test_reextraction_tells_an_embedding_that_is_not_the_encoders(trial, tiny, tmp_path, scvet):
    data = anndata.read_h5ad(trial.counts)
    counts = data.X.toarray() if hasattr(data.X, "toarray") else np.asarray(data.X)
    made = anndata.AnnData(X=np.log1p(counts)[:, :5].astype(np.float64))
    made.obs_names = data.obs_names
    made.write_h5ad(tmp_path / "z.h5ad")
    trial.run(
        "lock", "--counts", trial.counts, "--embedding", tmp_path / "z.h5ad", "--arm", "demo", "--underpowered",
        "--extraction", trial.extraction,
    )  # fmt: skip
    (tmp_path / "same.py").write_text(ENCODER.format(scale=1))
    (tmp_path / "other.py").write_text(ENCODER.format(scale=1.5))
    for name, flagged in (("other", True), ("same", False)):
        command = f"{sys.executable} {tmp_path}/{name}.py {{input}} {{output}}"
        result = trial.run("sanity", "--reextract", "200", "--encoder", command)
        assert ("flag:" in result.stdout) == flagged
    assert trial.run("sanity", "--reextract", "200", "--encoder", "true", code=2)
    trial.run("sanity", "--reextract", "200", "--encoder", "true {input} {output}", code=5)


def test_two_parties(stages, tmp_path, tiny):
    locked = stages["locked"].copy(tmp_path)
    public = tmp_path / "public"
    locked.run("publish", "--outdir", public)
    open_cells = anndata.read_h5ad(public / "counts.h5ad")
    blind = anndata.read_h5ad(public / "blind.h5ad")
    test_rows = {line.split("\t")[0] for line in (tiny / "locked/labels.test.tsv").read_text().splitlines()[1:]}
    assert not test_rows & set(open_cells.obs["gene_transcript"].astype(str))
    assert blind.n_obs == 569 and len(blind.obs.columns) == 0
    split = (public / "split.tsv").read_text()
    assert not any(f"{row}\t" in split for row in test_rows)
    assert reason(locked.run("publish", "--reveal", "--outdir", public, code=4)) == "before_test_done"
    # A participant's embedding of the cells under their public names is translated by the organiser.
    made = anndata.AnnData(X=np.log1p(blind.X.toarray())[:, :6].astype(np.float64))
    made.obs_names = blind.obs_names
    made.write_h5ad(tmp_path / "theirs.h5ad")
    theirs = ["--arm", "theirs", "--embedding", tmp_path / "theirs.h5ad", "--extraction", locked.extraction]
    assert reason(locked.run("add-arm", *theirs, code=3)) == "cells_unmatched"
    locked.run("add-arm", *theirs, "--cell-names", locked.folder / "private/cells.tsv")
    for verb in ("sanity", "final-test"):
        locked.run(verb, "--arm", "theirs")
    assert reason(locked.run("publish", "--reveal", "--outdir", public, code=4)) == "before_test_done"
    locked.run("sanity", "--arm", "demo")
    locked.run("final-test", "--arm", "demo")
    assert "commitment" in locked.run("publish", "--reveal", "--outdir", public).stdout
    record = json.loads((public / "commitment.json").read_text())
    record["commitment"] = "0" * 64
    (public / "commitment.json").write_text(json.dumps(record))
    assert reason(locked.run("publish", "--reveal", "--outdir", public, code=4)) == "commitment_mismatch"


def test_overlap_strata_come_from_a_table_of_cells(stages, tmp_path):
    done = stages["done"].copy(tmp_path)
    names = list(anndata.read_h5ad(done.counts, backed="r").obs_names)
    lines = ["cell,exposure"] + [f"{name},{'exposed' if at % 4 == 0 else 'clean'}" for at, name in enumerate(names)]
    (tmp_path / "cells.csv").write_text("\n".join(lines) + "\n")
    done.run("posthoc", "--quick", "--overlap", tmp_path / "cells.csv")
    overlap = json.loads((done.folder / "arms/demo/audits.json").read_text())["overlap"]
    assert overlap["nontargeting_touches_all"] is True
    assert {entry["stratum"] for entry in overlap["strata"]} >= {"clean", "low"}
    (tmp_path / "bad.csv").write_text("cell,exposure\n" + f"{names[0]},perhaps\n")
    done.run("posthoc", "--quick", "--overlap", tmp_path / "bad.csv", code=3)
    done.run("posthoc", "--quick", "--overlap", tmp_path / "cells.csv", "--overlap-key", "flag", code=2)
