"""`scvet trial` as a user runs it, on a tiny screen of which every byte is known and on real counts."""

import hashlib
import json
import pathlib
import re

import anndata
import numpy as np
import pytest
from trial_case import Trial, changed_embedding, reason


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


def test_cells_are_joined_by_name_whatever_their_order(stages, tmp_path, tiny):
    sane = stages["sane"].copy(tmp_path)
    changed_embedding(tiny, tmp_path / "z.h5ad", "reordered")
    sane.run("final-test", "--embedding", tmp_path / "z.h5ad")
    assert (sane.folder / "arms/demo/outcome.json").read_bytes() == (
        stages["done"].folder / "arms/demo/outcome.json"
    ).read_bytes()


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
