"""`scvet trial` as a user runs it, on a tiny screen of which every byte is known and on real counts."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import anndata
import numpy as np
import pytest


def reason(result):
    """The stable word that a refusal ends with."""
    found = re.search(r"reason=(\w+)\)", result.stderr + result.stdout)
    return found.group(1) if found else result.stderr + result.stdout


@pytest.fixture(scope="module")
def tiny(reference):
    """The worked example: its counts, and the extraction record of its arm."""
    return reference / "trial" / "lock"


@pytest.fixture(scope="module")
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


@pytest.fixture(scope="module")
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


def test_a_trial_from_counts_to_verdict(stages):
    done = stages["done"]
    outcome = json.loads((done.folder / "arms/demo/outcome.json").read_text())
    assert outcome["category"] == "PARTIAL_EXTERNAL_REPLICATION"
    assert "verified" in done.run("verify", "--full").stdout
    result = done.run("posthoc")
    assert "demo: UNDERPOWERED, FLAGS partial_below_baseline: PARTIAL_EXTERNAL_REPLICATION; arm 1 of 1" in result.stdout
    for name in ("report.html", "report.md", "methods.md", "criteria.tsv"):
        assert (done.folder / name).stat().st_size > 100
    posthoc = json.loads((done.folder / "arms/demo/posthoc.json").read_text())
    assert posthoc["a1"]["replicates"] + posthoc["a1"]["dropped"] == 2000
    audits = json.loads((done.folder / "arms/demo/audits.json").read_text())
    assert audits["embedding"]["constant_within_row"]["flag"] is False


def test_files_of_the_trial_do_not_change_when_it_is_analysed(stages, tiny):
    stages["done"].run("posthoc", "--quick")
    assert "ok" in stages["done"].run("verify").stdout


def test_order_of_the_steps(stages, tmp_path):
    locked = stages["locked"].copy(tmp_path)
    assert reason(locked.run("final-test", code=4)) == "sanity_missing"
    assert reason(locked.run("posthoc", code=4)) == "before_test_done"
    assert reason(locked.run("verify", "--level", "2", code=4)) == "before_test_done"
    assert reason(locked.run("final-test", "--arm", "nobody", code=4)) == "arm_unknown"
    assert reason(stages["done"].run("final-test", code=4)) == "test_already_opened"
    assert reason(stages["sane"].run("final-test", "--resume", code=4)) == "resume_not_allowed"


def test_no_word_on_the_test_before_it_is_opened(stages, tiny):
    """Neither a file but the withheld one nor a line on the console shows a test label."""
    sane = stages["sane"]
    labels = [line.split("\t")[1] for line in (tiny / "locked/labels.test.tsv").read_text().splitlines()[1:]]
    for path in sane.folder.rglob("*"):
        if path.is_file() and path.name != "labels.test.tsv":
            text = path.read_bytes()
            assert not any(label.encode() in text for label in labels), path
    assert (sane.folder / "labels.test.tsv").read_text() == (tiny / "locked/labels.test.tsv").read_text()


TAMPERED = [
    ("protocol.json", "protocol_changed"),
    ("data.json", "data_changed"),
    ("manifest.json", "manifest_changed"),
    ("rows.tsv", "rows_changed"),
    ("split.tsv", "split_changed"),
    ("labels.trainval.tsv", "label_changed"),
    ("labels.test.tsv", "label_changed"),
    ("fixed.tsv", "fixed_predictions_changed"),
    ("arms/demo/arm.json", "arm_record_changed"),
    ("arms/demo/sanity.json", "sanity_changed"),
    ("derived/x_delta.npy", "derived_changed"),
    ("derived/mag.npy", "derived_changed"),
    ("derived/z_demo.npy", "derived_changed"),
]


@pytest.mark.parametrize("name,expected", TAMPERED)
def test_one_changed_byte_is_refused(stages, tmp_path, name, expected):
    sane = stages["sane"].copy(tmp_path)
    path = sane.folder / name
    text = bytearray(path.read_bytes())
    text[-2] ^= 1
    path.write_bytes(text)
    assert reason(sane.run("final-test", code=4)) == expected
    assert not (sane.folder / "arms/demo/test.opened").exists()


@pytest.mark.parametrize(
    "key", ["gb_mean", "invalid_abs_sm", "mb_mean", "mb_seed", "mb_seeds", "mg_mean", "mg_seed", "mg_seeds", "partial"]
)
def test_a_changed_threshold_is_refused(stages, tmp_path, key):
    sane = stages["sane"].copy(tmp_path)
    path = sane.folder / "protocol.json"
    value = json.loads(path.read_text())["cascade"][key]
    other = value + 1 if isinstance(value, int) else value.replace("0", "1", 1)
    old = json.dumps({key: value}, separators=(",", ":"))[1:-1]
    new = json.dumps({key: other}, separators=(",", ":"))[1:-1]
    assert old in path.read_text() and old != new
    path.write_text(path.read_text().replace(old, new))
    assert reason(sane.run("final-test", code=4)) == "protocol_changed"


def test_scores_and_verdict_cannot_be_edited(stages, tmp_path):
    for name, expected in (("predictions.tsv", "predictions_changed"), ("metrics.json", "predictions_changed")):
        done = stages["done"].copy(tmp_path / name)
        path = done.folder / "arms/demo" / name
        path.write_text(path.read_text().replace("1", "2", 1))
        result = done.run("verify", code=4)
        assert "FAIL" in result.stdout
        if name == "predictions.tsv":
            assert f"reason={expected}" in result.stdout


def test_a_restored_older_folder_is_behind_the_mirror(stages, tmp_path):
    done = stages["done"].copy(tmp_path)
    shutil.rmtree(done.folder)
    shutil.copytree(stages["sane"].folder, done.folder)
    assert reason(done.run("final-test", code=4)) == "ledger_rollback"


def test_a_copied_folder_cannot_open_the_test_again(stages, tmp_path):
    """A copy taken before the test, tested elsewhere with the same state folder."""
    sane = stages["sane"].copy(tmp_path)
    shutil.copytree(sane.folder, tmp_path / "copy")
    sane.run("final-test")
    result = sane.scvet(
        "trial", "final-test", "--trial", tmp_path / "copy", "--state-dir", sane.state, code=4
    )  # fmt: skip
    assert reason(result) in ("ledger_rollback", "test_already_opened")


def test_a_ledger_that_was_cut_is_refused(stages, tmp_path):
    sane = stages["sane"].copy(tmp_path)
    path = sane.folder / "ledger.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-2]))
    assert reason(sane.run("final-test", code=4)) in ("ledger_truncated", "ledger_rollback")
    path.write_bytes(b"".join(lines[:1] + lines[2:]))
    assert reason(sane.run("final-test", code=4)) == "ledger_chain"


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


@pytest.mark.parametrize(
    "change,code,expected",
    [
        ("noise", 4, "embedding_changed"),
        ("permuted", 4, "embedding_changed"),
        ("short", 3, "cells_unmatched"),
        ("nan", 3, "nonfinite_embedding"),
        ("twice", 3, "duplicate_names"),
    ],
)
def test_another_embedding_is_refused(stages, tmp_path, tiny, change, code, expected):
    sane = stages["sane"].copy(tmp_path)
    changed_embedding(tiny, tmp_path / "z.h5ad", change)
    assert reason(sane.run("final-test", "--embedding", tmp_path / "z.h5ad", code=code)) == expected


def test_cells_are_joined_by_name_whatever_their_order(stages, tmp_path, tiny):
    sane = stages["sane"].copy(tmp_path)
    changed_embedding(tiny, tmp_path / "z.h5ad", "reordered")
    sane.run("final-test", "--embedding", tmp_path / "z.h5ad")
    assert (sane.folder / "arms/demo/outcome.json").read_bytes() == (
        stages["done"].folder / "arms/demo/outcome.json"
    ).read_bytes()


def test_one_writer_at_a_time(trial):
    trial.lock()
    program = os.environ.get("SCVET") or str(pathlib.Path(__file__).resolve().parents[2] / "build/release/scvet")
    place = ["--trial", trial.folder, "--state-dir", trial.state]
    first = subprocess.Popen(
        [program, "trial", "sanity", *map(str, place)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    found = set()
    while first.poll() is None and "writer_active" not in found:
        second = subprocess.run([program, "trial", "sanity", *map(str, place)], capture_output=True, text=True)
        found.add(reason(second))
        time.sleep(0.05)
    first.wait()
    assert "writer_active" in found or first.returncode == 4
    assert "ok" in trial.run("verify").stdout


def test_a_second_arm_shares_the_baseline(stages, tmp_path, tiny):
    done = stages["done"].copy(tmp_path)
    changed_embedding(tiny, tmp_path / "z.h5ad", "noise")
    arm = ["--arm", "noisy", "--model", "other", "--embedding", tmp_path / "z.h5ad", "--extraction", done.extraction]
    fixed = (done.folder / "fixed.tsv").read_bytes()
    done.run("add-arm", *arm)
    assert reason(done.run("add-arm", *arm, code=4)) == "arm_exists"
    assert reason(done.run("add-arm", *arm, "--role", "sensitivity", code=4)) == "role_change"
    done.run("sanity", "--arm", "noisy")
    done.run("final-test", "--arm", "noisy")
    assert (done.folder / "fixed.tsv").read_bytes() == fixed
    result = done.run("posthoc", "--quick")
    assert re.search("noisy: .*arm 2 of 2", result.stdout)
    record = json.loads((done.folder / "arms/noisy/arm.json").read_text())
    assert record["protocol_preserving_extension"] is True


def test_a_sensitivity_arm_has_no_category_in_its_headline(stages, tmp_path, tiny):
    done = stages["done"].copy(tmp_path)
    changed_embedding(tiny, tmp_path / "z.h5ad", "noise")
    done.run(
        "add-arm", "--arm", "soft", "--model", "demo", "--role", "sensitivity", "--embedding", tmp_path / "z.h5ad",
        "--extraction", done.extraction,
    )  # fmt: skip
    done.run("sanity", "--arm", "soft")
    result = done.run("final-test", "--arm", "soft")
    assert "SENSITIVITY (no category)" in result.stdout and "REPLICATION" not in result.stdout


def test_deposits_are_recorded_and_shown(stages, tmp_path):
    locked = stages["locked"].copy(tmp_path)
    result = locked.run("deposit", "--text", "registry, 2026-11-30")
    assert "self-reported" in result.stdout and "lock id" in result.stdout
    locked.run("sanity")
    assert "deposit self-reported" in locked.run("final-test").stdout
    assert locked.run("deposit", code=2).stderr


def test_a_checked_receipt_is_told_from_a_word(stages, tmp_path):
    locked = stages["locked"].copy(tmp_path)
    (tmp_path / "token.tsr").write_bytes(b"a timestamp token")
    result = locked.run("deposit", "--text", "timestamp authority", "--receipt", tmp_path / "token.tsr")
    assert "receipt checked" in result.stdout
    digest = hashlib.sha256(b"a timestamp token").hexdigest()
    assert digest in (locked.folder / "ledger.jsonl").read_text()


def test_posthoc_refuses_counts_that_changed_since_the_lock(stages, tmp_path):
    done = stages["done"].copy(tmp_path)
    data = anndata.read_h5ad(done.counts)
    data.X[0, 0] += 1
    data.write_h5ad(tmp_path / "counts.h5ad")
    flags = ["--counts", tmp_path / "counts.h5ad"]
    assert reason(done.run("posthoc", *flags, code=4)) == "counts_changed"
    result = done.run("verify", "--level", "2", *flags, code=4)
    assert "FAIL counts digest" in result.stdout


def test_a_superseding_lock_and_what_it_discloses(stages, tmp_path):
    sane = stages["sane"].copy(tmp_path)
    first = json.loads((sane.folder / "ledger.jsonl").read_text().splitlines()[0])["lock"]
    again = Trial(sane.scvet, tmp_path / "again", sane.counts, sane.extraction)
    again.state = sane.state
    again.lock("--supersedes", first, code=2)
    result = again.lock("--supersedes", first, "--reason", "a typing error in the record")
    assert "locks on this data: 2" in result.stdout
    assert reason(sane.run("final-test", code=4)) == "superseded"


def test_compare_needs_one_protocol(stages, tmp_path):
    done = stages["done"]
    other = Trial(done.scvet, tmp_path, done.counts, done.extraction)
    other.lock("--baseline", "ridge_direct")
    other.run("sanity")
    assert "BASELINE=ridge_direct" in other.run("final-test").stdout
    compare = ["trial", "compare", done.folder]
    assert reason(done.scvet(*compare, other.folder, code=4)) == "protocol_differs"
    twin = done.copy(tmp_path / "twin")
    result = done.scvet(*compare, twin.folder, "--state-dir", twin.state)
    assert "pattern: PARTIAL_PARTIAL" in result.stdout


def test_changed_constants_give_the_category_custom(trial, tiny, tmp_path):
    protocol = json.loads((tiny / "locked/protocol.json").read_text())
    protocol["cascade"]["mg_mean"] = ">=0.010"
    (tmp_path / "p.json").write_text(json.dumps(protocol))
    trial.lock("--protocol", tmp_path / "p.json")
    trial.run("sanity")
    result = trial.run("final-test")
    assert "CUSTOM" in result.stdout and "STRONG" not in result.stdout
    assert json.loads((trial.folder / "arms/demo/outcome.json").read_text())["category"] == "CUSTOM"


def test_run_is_marked_as_not_pre_registered(trial):
    result = trial.run(
        "run", "--counts", trial.counts, "--obsm", "X_demo", "--arm", "demo", "--extraction", trial.extraction,
        "--underpowered", "--quick",
    )  # fmt: skip
    assert re.search("UNDERPOWERED, NOT PRE-REGISTERED, .*: PARTIAL", result.stdout)


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


def test_screen_of_log_values_is_refused_in_order(scvet, real, tmp_path, extraction):
    path = real / "perturbench_devel_norman_mcfaline.h5ad"
    place = ["--trial", tmp_path / "t", "--state-dir", tmp_path / "s"]
    lock = ["trial", "lock", *place, "--counts", path, "--obsm", "X_pca"]
    arm = ["--arm", "a", "--extraction", extraction]
    assert reason(scvet(*lock, *arm, code=3)) == "column_missing"
    named = ["--row-key", "condition", "--target-key", "condition", "--batch-key", "none", "--control-label", "control"]
    result = scvet(*lock, *arm, *named, code=3)
    assert reason(result) == "not_counts"


def test_a_row_with_two_target_genes_is_refused(trial, tiny, tmp_path):
    data = anndata.read_h5ad(trial.counts)
    targets = data.obs["target_gene"].astype(str)
    row = data.obs["gene_transcript"].astype(str) == "T05_P1"
    targets.iloc[row.to_numpy().nonzero()[0][0]] = "T06"
    data.obs["target_gene"] = targets
    data.write_h5ad(tmp_path / "two.h5ad")
    trial.counts = tmp_path / "two.h5ad"
    result = trial.lock(code=3)
    assert reason(result) == "target_ambiguous"
    assert "'T05'" in result.stderr and "'T06'" in result.stderr


def test_real_counts_run_to_a_verdict(scvet, reference, tmp_path, extraction):
    counts = reference / "trial/real/thp1_eccite_290genes.h5ad"
    data = anndata.read_h5ad(counts)
    dense = data.X.toarray()
    z = np.log1p(dense / np.maximum(dense.sum(1, keepdims=True), 1) * 1e4)
    z = (z - z.mean(0)) @ np.linalg.svd(z - z.mean(0), full_matrices=False)[2][:10].T
    made = anndata.AnnData(X=z.astype(np.float64))
    made.obs_names = data.obs_names
    made.write_h5ad(tmp_path / "z.h5ad")
    trial = Trial(scvet, tmp_path, counts, extraction)
    flags = ["--batch-key", "bio_rep", "--arm", "pca", "--extraction", extraction, "--embedding", tmp_path / "z.h5ad"]
    trial.run("lock", "--counts", counts, *flags, "--preset", "replogle_k562_gwps", "--underpowered")
    trial.run("sanity")
    result = trial.run("final-test")
    assert "state: TEST_DONE" in result.stdout
    split = dict(line.split("\t")[::2][:2] for line in (trial.folder / "split.tsv").read_text().splitlines()[1:])
    expected = (reference / "trial/real/expected_rows.tsv").read_text().splitlines()
    header = expected[0].split("\t")
    for line in expected[1:]:
        row = dict(zip(header, line.split("\t"), strict=True))
        assert split[row["row_id"]] == row["split"]


@pytest.mark.parametrize("simd", ["scalar", "avx2", "avx512"])
@pytest.mark.parametrize("threads", [1, 2])
def test_same_bytes_on_every_simd_target_and_thread_count(trial, tiny, simd, threads):
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    if (simd == "avx2" and " avx2 " not in flags) or (simd == "avx512" and "avx512bw" not in flags):
        pytest.skip(f"this processor has no {simd}")
    env = {"SCVET_SIMD": simd}
    inject = ["--inject-clock", "2026-01-01T00:00:00Z", "--inject-version", "0", "--threads", threads]
    trial.lock("--attested-by", "demo", *inject, env=env)
    trial.run("sanity", *inject, env=env)
    trial.run("final-test", *inject, env=env)
    for path in (tiny / "locked").rglob("*"):
        if path.is_file():
            assert (trial.folder / path.relative_to(tiny / "locked")).read_bytes() == path.read_bytes(), path
    mirror = json.loads((tiny / "mirror.json").read_text())
    assert json.loads((trial.state / f"{mirror['lock']}.json").read_text()) == mirror
