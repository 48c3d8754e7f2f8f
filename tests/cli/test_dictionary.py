"""Token dictionaries: pickles as CPython and NumPy write them, and corpora and audits that rank by them."""

import csv
import json
import pickle
import shutil
import struct

import numpy as np
import pytest

GENES = [f"ENSG{number:011d}" for number in range(1, 2501)]  # more than one batch of SETITEMS
V1 = ["<pad>", "<mask>"]
V2 = ["<pad>", "<mask>", "<cls>", "<eos>"]


class OldNumpy(pickle._Pickler):
    """Names NumPy's scalar as NumPy 1 did."""

    def save_global(self, obj, name=None):
        if getattr(obj, "__name__", "") != "scalar":
            super().save_global(obj, name)
            return
        if self.proto >= 4:
            self.save("numpy.core.multiarray")
            self.save("scalar")
            self.write(pickle.STACK_GLOBAL)
        else:
            self.write(pickle.GLOBAL + b"numpy.core.multiarray\nscalar\n")
        self.memoize(obj)


def dump(path, content, protocol, pickler=pickle.Pickler):
    with open(path, "wb") as file:
        pickler(file, protocol).dump(content)
    return path


def tokens(special, kind=int):
    return {name: kind(token) if token >= len(special) else token for token, name in enumerate(special + GENES)}


def inspect(scvet, path, code=0):
    return json.loads(scvet("inspect", path, "--json", code=code).stdout)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("pickler", [pickle.Pickler, OldNumpy, pickle._Pickler])
@pytest.mark.parametrize("kind", [int, np.int16, np.uint32, np.int64, np.int32])
def test_tokens_as_python_writes_them(scvet, tmp_path, protocol, pickler, kind):
    content = tokens(V1, kind)
    facts = inspect(scvet, dump(tmp_path / "t.pkl", content, protocol, pickler))
    assert (facts["kind"], facts["protocol"], facts["model"]) == ("tokens", protocol, "geneformer-v1")
    assert facts["n_entries"] == len(content)
    assert facts["largest_token"] == max(content.values())
    assert facts["first"] == [[key, str(int(value))] for key, value in list(content.items())[:5]]
    assert facts["special_tokens"] == {"<pad>": 0, "<mask>": 1}


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
def test_medians_as_python_writes_them(scvet, tmp_path, protocol, kind):
    random = np.random.default_rng(1)
    content = {gene: kind(value) for gene, value in zip(GENES, random.lognormal(size=len(GENES)), strict=True)}
    facts = inspect(scvet, dump(tmp_path / "m.pkl", content, protocol))
    assert facts["kind"] == "medians"
    assert [float(value) for _, value in facts["first"]] == [float(content[gene]) for gene in GENES[:5]]
    assert (facts["least"], facts["greatest"]) == (float(min(content.values())), float(max(content.values())))


def test_big_endian_scalars(scvet, tmp_path):
    content = {gene: np.array([token + 2], dtype=">i2")[0] for token, gene in enumerate(GENES)}
    big = pickle.dumps(content, 2).replace(b"X\x01\x00\x00\x00<", b"X\x01\x00\x00\x00>")
    swapped = tmp_path / "big.pkl"
    swapped.write_bytes(big)
    expected = [struct.unpack(">h", struct.pack("<h", token + 2))[0] for token in range(5)]
    assert pickle.loads(big)[GENES[0]] == expected[0]
    assert [int(value) for _, value in inspect(scvet, swapped)["first"]] == expected


def test_what_could_run_code_is_refused_by_name(scvet, reference, tmp_path):
    hostile = scvet("inspect", reference / "audit" / "hostile.pkl", code=3)
    assert "posix getcwd" in hostile.stderr and "hostile.pkl" in hostile.stderr and "byte 45" in hostile.stderr

    class Marker:
        def __reduce__(self):
            return (open, (str(tmp_path / "ran"), "w"))

    for protocol in (2, 3, 4, 5):
        path = dump(tmp_path / "t.pkl", tokens(V1) | {"x": Marker()}, protocol)
        assert "open" in scvet("inspect", path, code=3).stderr
        assert not (tmp_path / "ran").exists()
    for content in ({"a": [1]}, {"a": {1, 2}}, {"a": 1 + 2j}, np.arange(3), {"a": 1 << 70}):
        scvet("inspect", dump(tmp_path / "o.pkl", content, 4), code=3)
    assert "protocols 2 to 5" in scvet("inspect", dump(tmp_path / "old.pkl", tokens(V1), 0), code=3).stderr


@pytest.fixture(scope="module")
def v1_folder(reference, tmp_path_factory):
    folder = tmp_path_factory.mktemp("v1")
    for name in ("token_dictionary_v1_style.pkl", "gene_median_v1_style.pkl"):
        shutil.copy(reference / "audit" / name, folder)
    return folder


def test_the_page_of_a_dictionary(scvet, v1_folder, reference):
    page = scvet("inspect", v1_folder / "token_dictionary_v1_style.pkl").stdout
    assert "like Geneformer V1" in page and "<pad> 0, <mask> 1" in page
    page = scvet("inspect", reference / "audit" / "token_dictionary_v2_style_p2.pkl").stdout
    assert "like Geneformer V2" in page


def build(scvet, out, *arguments, code=0):
    return scvet("corpus", "build", "--out", out, *arguments, code=code)


def info(scvet, path):
    return json.loads(scvet("corpus", "info", path, "--json").stdout)


def audited(scvet, benchmark, corpus, out, *flags):
    """The rows of cells.csv."""
    scvet("audit", "--benchmark", benchmark, "--corpus", corpus, "--outdir", out, "--quiet", *flags)
    with open(out / "cells.csv", newline="") as file:
        return list(csv.DictReader(file))


FILES = ["cellxgene_style.h5ad", "csc_counts.h5ad", "legacy_categories.h5ad", "legacy_compound.h5ad"]


def test_dictionary_gives_topk_by_kind(scvet, v1_folder, reference, tmp_path):
    out = tmp_path / "v1.corpus"
    build(scvet, out, reference / "audit" / FILES[0], "--dictionary", v1_folder, "--vocabulary", "geneformer-v1")
    facts = info(scvet, out)
    assert (facts["fingerprint"], facts["top_k"]) == ("topk", 2048)
    folder = tmp_path / "v2"
    folder.mkdir()
    shutil.copy(reference / "audit" / "token_dictionary_v2_style.pkl", folder)
    shutil.copy(v1_folder / "gene_median_v1_style.pkl", folder)
    out = tmp_path / "v2.corpus"
    build(scvet, out, reference / "audit" / FILES[0], "--dictionary", folder)
    assert info(scvet, out)["top_k"] == 4094
    result = build(
        scvet, out, reference / "audit" / FILES[0], "--dictionary", folder, "--vocabulary", "geneformer-v1", code=2
    )
    assert "of kind geneformer-v2" in result.stderr
    audit = ("audit", "--benchmark", reference / "audit" / FILES[1], "--corpus", out, "--outdir", tmp_path / "a")
    assert "geneformer-v2" in scvet(*audit, "--vocabulary", "geneformer-v1", code=2).stderr
    assert "was built with" in scvet(*audit, "--top-k", "128", code=2).stderr
    assert "with the dictionary" in scvet(*audit, "--vocabulary", "universe", code=2).stderr


def test_flags_that_make_no_sense_are_refused(scvet, v1_folder, reference, tmp_path):
    file, out = reference / "audit" / FILES[0], tmp_path / "x.corpus"
    for flags, words in [
        (("--vocabulary", "geneformer-v1"), "with --dictionary"),
        (("--dictionary", v1_folder, "--fingerprint", "positive"), "every gene above 0"),
        (("--dictionary", v1_folder, "--vocabulary", "universe"), "leave one of them out"),
        (("--dictionary", v1_folder, "--vocabulary", v1_folder), "both name a dictionary"),
        (("--top-k", "100"), "--dictionary whose ranks it cuts"),
    ]:
        assert words in build(scvet, out, file, *flags, code=2).stderr
    assert "4 token dictionaries" in build(scvet, out, file, "--dictionary", reference / "audit", code=3).stderr
    hostile = build(scvet, out, file, "--dictionary", reference / "audit" / "hostile.pkl", code=3)
    assert "posix getcwd" in hostile.stderr
    assert not out.exists()


def test_counted_files_of_the_same_cells_are_found_by_their_order(scvet, v1_folder, reference, tmp_path):
    out = tmp_path / "c.corpus"
    build(scvet, out, reference / "audit" / FILES[0], "--dictionary", v1_folder, "--top-k", 128)
    for name in FILES[1:]:
        rows = audited(scvet, reference / "audit" / name, out, tmp_path / name)
        assert len(rows) == 60
        assert all(row["identical_order"] == str(at) for at, row in enumerate(rows))


LISTS = [
    "gc_small.dataset",
    "gc_int16_two_shards.dataset",
    "stream_large_list_int64_3batches.arrow",
    "file_format_lz4.arrow",
]


@pytest.mark.parametrize("name", LISTS)
def test_token_lists_and_counted_files_of_the_same_cells_meet(scvet, v1_folder, reference, tmp_path, name):
    """Either may be the corpus; every cell is exact by the order of its genes, and same_cell runs without counts."""
    counted, lists = reference / "audit" / FILES[0], reference / "audit" / name
    flags = ("--dictionary", v1_folder, "--top-k", 128)
    out = tmp_path / "lists.corpus"
    build(scvet, out, lists, *flags)
    source = info(scvet, out)["sources"][0]
    assert (source["ranked"], source["has_counts"]) == (True, False)
    rows = audited(scvet, counted, out, tmp_path / "counted")
    assert [row["identical_order"] for row in rows] == [str(at) for at in range(60)]
    assert all("exact" in row["flags"] for row in rows)
    out = tmp_path / "counted.corpus"
    build(scvet, out, counted, *flags)
    rows = audited(scvet, lists, out, tmp_path / "lists")
    assert [row["identical_order"] for row in rows] == [str(at) for at in range(60)]
    assert all("exact" in row["flags"] for row in rows)
    tested = [row for row in rows if row["status"] == "ok"]  # cell 7 has one gene
    assert len(tested) == 59 and all(0 <= float(row["p_same"]) <= 1 for row in tested)
    record = json.loads((tmp_path / "lists" / "audit.json").read_text())
    assert record["datasets"][0]["values"] == "ranks"


def test_token_lists_stand_beside_counted_files(scvet, v1_folder, reference, tmp_path):
    out = tmp_path / "both.corpus"
    flags = ("--dictionary", v1_folder, "--top-k", 128)
    build(scvet, out, reference / "audit" / FILES[1], *flags)
    build(scvet, out, reference / "audit" / LISTS[0], "--append")  # named by the dictionary that the store holds
    facts = info(scvet, out)
    assert (facts["n_cells"], len(facts["panels"])) == (120, 2)
    assert "sound" in scvet("corpus", "verify", out).stdout
    rows = audited(scvet, reference / "audit" / LISTS[1], out, tmp_path / "a", "--dictionary", v1_folder)
    assert len(rows) == 60 and all("exact" in row["flags"] for row in rows)


def test_token_lists_need_the_dictionary_of_their_model(scvet, v1_folder, reference, tmp_path):
    lists, out = reference / "audit" / LISTS[0], tmp_path / "x.corpus"
    assert "--dictionary" in build(scvet, out, lists, code=3).stderr
    small = reference / "audit" / "token_dictionary_numpy2_scalars.pkl"
    assert "dictionary" in build(scvet, out, lists, "--dictionary", small, code=3).stderr
    v2 = reference / "audit" / "token_dictionary_v2_style.pkl"  # large enough, but 2 and 3 are <cls> and <eos>
    assert "<eos>" in build(scvet, out, lists, "--dictionary", v2, code=3).stderr
    build(scvet, out, reference / "audit" / FILES[0])
    audit = ("audit", "--benchmark", lists, "--corpus", out, "--outdir", tmp_path / "a")
    assert "--dictionary" in scvet(*audit, code=3).stderr
    scvet(*audit, "--dictionary", v1_folder)  # sets and nearest cells, on a corpus of counts without a dictionary


def test_the_annotated_copy_of_a_token_list_has_no_values(scvet, v1_folder, reference, tmp_path):
    out = tmp_path / "c.corpus"
    build(scvet, out, reference / "audit" / FILES[0], "--dictionary", v1_folder, "--top-k", 128)
    result = scvet(
        "audit",
        "--benchmark",
        reference / "audit" / LISTS[0],
        "--corpus",
        out,
        "--outdir",
        tmp_path / "a",
        "--write-clean",
    )
    assert "no counts to write" in result.stderr
    facts = inspect(scvet, tmp_path / "a" / "gc_small.h5ad")
    assert facts["X"] is None and facts["n_obs"] == 60
    assert "scvet_exposure" in facts["obs"]


def test_a_list_cut_below_k_is_told(scvet, v1_folder, reference, tmp_path):
    result = build(scvet, tmp_path / "k.corpus", reference / "audit" / LISTS[0], "--dictionary", v1_folder)
    assert "--top-k 128" in result.stderr
    out = tmp_path / "counted.corpus"
    build(scvet, out, reference / "audit" / FILES[0], "--dictionary", v1_folder)
    lists = ("--benchmark", reference / "audit" / LISTS[0], "--corpus", out, "--outdir", tmp_path / "a")
    assert "--top-k 128" in scvet("audit", *lists).stderr
    assert "look cut" in (tmp_path / "a" / "report.html").read_text()
