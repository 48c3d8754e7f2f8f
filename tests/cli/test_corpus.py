"""scvet corpus build, info and verify as a user runs them."""

import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def build(scvet, out, *arguments, code=0):
    return scvet("corpus", "build", "--out", out, *arguments, code=code)


def info(scvet, path):
    return json.loads(scvet("corpus", "info", path, "--json").stdout)


@pytest.fixture(scope="module")
def kang(scvet, real, tmp_path_factory):
    out = tmp_path_factory.mktemp("corpus") / "kang.corpus"
    build(scvet, out, real / "kang_pbmc_2000.h5ad", "--name", "Kang", "--cutoff", "2018-01")
    return out


def test_build_writes_a_store_and_its_record(scvet, kang):
    facts = info(scvet, kang)
    assert facts["n_cells"] == 2000
    assert facts["card"]["name"] == "Kang"
    assert facts["card"]["exclusions"] == "not stated"
    assert facts["sources"][0]["matrix"] == "X"
    record = json.loads((kang.parent / "kang.corpus.run" / "run.json").read_text())
    assert record["status"] == "ok"
    assert record["inputs"][0]["sha256"] == facts["sources"][0]["sha256"]
    assert "sound" in scvet("corpus", "verify", kang).stdout


def test_files_of_different_panels_stay_apart(scvet, real, tmp_path):
    out = tmp_path / "l.corpus"
    build(scvet, out, real / "kang_liger_ctrl_300.h5", real / "kang_liger_stim_300.h5")
    facts = info(scvet, out)
    assert [panel["n_cells"] for panel in facts["panels"]] == [300, 300]
    assert facts["counts_everywhere"]


def test_mtx_folder_and_h5_of_the_same_cells_give_the_same_hashes(scvet, real, tmp_path):
    out = tmp_path / "t.corpus"
    build(scvet, out, real / "tenx_v3_filtered_feature_bc_matrix.h5", real / "tenx_v3_mtx")
    facts = info(scvet, out)
    assert len(facts["panels"]) == 1
    assert facts["repeated_counts"] == facts["n_cells"] // 2 - facts["n_empty"] // 2


def test_same_command_again_does_nothing(scvet, real, tmp_path):
    out = tmp_path / "s.corpus"
    build(scvet, out, real / "pbmc_facs_800.h5ad")
    before = out.stat().st_mtime_ns
    assert "unchanged" in build(scvet, out, real / "pbmc_facs_800.h5ad").stdout
    assert out.stat().st_mtime_ns == before


def test_append_passes_over_what_is_there(scvet, real, tmp_path):
    out = tmp_path / "a.corpus"
    build(scvet, out, real / "kang_liger_ctrl_300.h5")
    result = build(scvet, out, "--append", real / "kang_liger_ctrl_300.h5", real / "kang_liger_stim_300.h5")
    assert "passed over" in result.stderr
    assert info(scvet, out)["n_cells"] == 600
    scvet("corpus", "verify", out)


def test_threads_do_not_change_the_bytes(scvet, real, tmp_path):
    for threads in (1, 3):
        build(scvet, tmp_path / f"{threads}.corpus", real / "pbmc_facs_800.h5ad", "--threads", threads)
    assert (tmp_path / "1.corpus").read_bytes() == (tmp_path / "3.corpus").read_bytes()


@pytest.mark.parametrize(
    "name, words",
    [
        ("oligodendroglioma_184_fractional.h5ad", "not whole numbers"),
        ("cellxgene_pbmc3k_nan_100x100.h5ad", "NaN"),
        ("scp_truncated.h5", "truncated"),
        ("scp_duplicate_cell_name.h5ad", "'AA'"),
        ("harmony_cell_lines_2370_pca.h5ad", "X is absent"),
    ],
)
def test_what_cannot_be_used_is_exit_3_and_says_why(scvet, real, tmp_path, name, words):
    result = build(scvet, tmp_path / "x.corpus", real / name, code=3)
    assert words in result.stderr
    assert not (tmp_path / "x.corpus").exists()


def test_as_is_takes_values_that_are_no_counts(scvet, real, tmp_path):
    out = tmp_path / "x.corpus"
    build(scvet, out, real / "pbmc_3tech_1200_lognorm.h5ad", "--values", "as-is")
    assert not info(scvet, out)["counts_everywhere"]
    scvet("corpus", "verify", out)


def test_wrong_flags_are_exit_2(scvet, real, tmp_path):
    file = real / "pbmc_facs_800.h5ad"
    out = tmp_path / "x.corpus"
    build(scvet, out, file, "--donor-key", "nobody", code=2)
    build(scvet, out, file, "--cutoff", "2021", code=2)
    build(scvet, out, file, "--fingerprint", "topk", code=2)
    build(scvet, out, file, "--values", "logged", code=2)
    assert "--genome" in build(scvet, out, real / "tenx_v2_multiple_genomes.h5", code=2).stderr
    build(scvet, out, tmp_path / "missing.h5ad", code=3)


def test_damage_is_exit_3_and_names_the_section(scvet, kang, tmp_path):
    data = bytearray(kang.read_bytes())
    data[len(data) // 2] ^= 1
    bad = tmp_path / "bad.corpus"
    bad.write_bytes(data)
    assert "segment 0" in scvet("corpus", "verify", bad, code=3).stderr
    bad.write_bytes(data[: len(data) // 2])
    assert "truncated" in scvet("corpus", "verify", bad, code=3).stderr
    bad.write_bytes(b"not a corpus" * 1000)
    scvet("corpus", "info", bad, code=3)


def test_killed_append_leaves_a_sound_store(scvet, real, tmp_path):
    out = tmp_path / "k.corpus"
    build(scvet, out, real / "kang_liger_ctrl_300.h5")
    files = [real / "kang_pbmc_2000.h5ad", real / "mixology_3batch.h5ad", real / "pbmc_facs_800.h5ad"]
    program = os.environ.get("SCVET", ROOT / "build" / "release" / "scvet")
    for delay in (0.02, 0.1, 0.3, 0.8):
        process = subprocess.Popen(
            [program, "corpus", "build", "--append", "--out", str(out), *map(str, files)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        scvet("corpus", "verify", out)
    build(scvet, out, "--append", *files)
    assert info(scvet, out)["n_cells"] == 300 + 2000 + 606 + 800
    scvet("corpus", "verify", out)
