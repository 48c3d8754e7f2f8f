"""Opens files that scvet wrote with the anndata of this environment and compares them with their sources.

Reads a JSON list of jobs {name, mode, source, copy} from stdin and writes {name: [what differs]} to stdout. `mode` is
copy (an annotated copy: everything of the source must be there) or rewrite (written anew: obs, var, X, raw, layers).
"""

import json
import sys
import warnings

import anndata
import numpy as np
import pandas as pd
from scipy import sparse

MAPPINGS = ("layers", "obsm", "varm", "obsp", "varp")


def is_missing(values):
    return np.asarray(pd.isna(pd.Series(values)))


def same_values(left, right):
    """Equal text, numbers to the last bit, missing where the other is missing."""
    left, right = pd.Series(left).astype(object), pd.Series(right).astype(object)
    if len(left) != len(right):
        return False
    gone = is_missing(left)
    if not np.array_equal(gone, is_missing(right)):
        return False
    return list(left[~gone]) == list(right[~gone])


def same_array(left, right, exact):
    """Equal kind, type and values; without `exact`, equal values."""
    if exact and type(left) is not type(right):
        return False
    if isinstance(left, pd.DataFrame):
        return list(left.columns) == list(right.columns) and all(
            same_column(left[name], right[name]) for name in left.columns
        )
    if sparse.issparse(left) and exact:
        parts = ("data", "indices", "indptr")
        return left.shape == right.shape and all(
            getattr(left, part).dtype == getattr(right, part).dtype
            and np.array_equal(getattr(left, part), getattr(right, part), equal_nan=part == "data")
            for part in parts
        )
    left = left.toarray() if sparse.issparse(left) else np.asarray(left)
    right = right.toarray() if sparse.issparse(right) else np.asarray(right)
    if exact and left.dtype != right.dtype:
        return False
    return left.shape == right.shape and np.array_equal(left, right, equal_nan=left.dtype.kind == "f")


def same_column(left, right):
    """A column that must come through a copy unchanged, categories and their order included."""
    if isinstance(left.dtype, pd.CategoricalDtype):
        if not isinstance(right.dtype, pd.CategoricalDtype) or left.cat.ordered != right.cat.ordered:
            return False
        return same_values(left.cat.categories, right.cat.categories) and same_values(left, right)
    return left.dtype == right.dtype and same_values(left, right)


def every_third(values):
    return [None if row % 3 == 0 else value for row, value in enumerate(values)]


def expected_columns(rows):
    """What tests/compat/annotate_main.cpp adds: name, kind of dtype, values."""
    reals = [None if row % 7 == 0 else row / 3 for row in range(rows)]
    single = [None if value is None else float(np.float32(value)) for value in reals]
    numbers = [row * 1_000_003 - 5 for row in range(rows)]
    flags = [row % 2 == 1 for row in range(rows)]
    texts = [f"cell é {row}" for row in range(rows)]
    groups = [None if row % 201 == 0 else f"g{row % 201 - 1}" for row in range(rows)]
    return {
        "scvet_jstar": ("float64", reals),
        "scvet_single": ("float32", single),
        "scvet_row": ("int64", numbers),
        "scvet_exact": ("bool", flags),
        "scvet_text": ("text", texts),
        "scvet_copies": ("Int64", every_third(numbers)),
        "scvet_seen": ("boolean", every_third(flags)),
        "scvet_match": ("category", every_third(texts)),
        "scvet_group": ("category", groups),
    }


def check_added(copy, wrong):
    for name, (dtype, values) in expected_columns(copy.n_obs).items():
        if name not in copy.obs:
            wrong.append(f"obs lacks {name}")
            continue
        column = copy.obs[name]
        # Texts become object, str or (where they repeat and are written again) category, as the version likes.
        if dtype != "text" and str(column.dtype) != dtype:
            wrong.append(f"{name} is {column.dtype}, expected {dtype}")
        if not same_values(list(column), values):
            wrong.append(f"{name} has other values")
    if list(copy.obs.columns)[-9:] != list(expected_columns(1)):
        wrong.append("the new columns are not the last, or in another order")
    if copy.n_obs and len(copy.obs["scvet_group"].cat.categories) != 200:
        wrong.append("unused categories were lost")
    if copy.uns.get("scvet_version") != "é":
        wrong.append("uns/scvet_version differs")


def check_frame(name, source, copy, exact, wrong):
    if list(source.index) != list(copy.index):
        wrong.append(f"{name} has other names")
    kept = [column for column in copy.columns if not column.startswith("scvet_")]
    if list(source.columns) != kept:
        wrong.append(f"{name} has columns {kept}, expected {list(source.columns)}")
        return
    for column in source.columns:
        left, right = source[column], copy[column]
        if not (same_column(left, right) if exact else same_values(left.astype(str), right.astype(str))):
            wrong.append(f"{name}/{column} differs: {left.dtype} and {right.dtype}")


def check(job):
    wrong = []
    source, copy = anndata.read_h5ad(job["source"]), anndata.read_h5ad(job["copy"])
    exact = job["mode"] == "copy"
    if source.shape != copy.shape:
        return [f"shape {copy.shape}, expected {source.shape}"]
    check_frame("obs", source.obs, copy.obs, exact, wrong)
    check_frame("var", source.var, copy.var, exact, wrong)
    check_added(copy, wrong)
    if (source.X is None) != (copy.X is None):
        wrong.append("X is there in one of them only")
    elif source.X is not None and not same_array(source.X, copy.X, exact):
        wrong.append("X differs")
    if (source.raw is None) != (copy.raw is None):
        wrong.append("raw is there in one of them only")
    elif source.raw is not None:
        check_frame("raw/var", source.raw.var, copy.raw.var, exact, wrong)
        if not same_array(source.raw.X, copy.raw.X, exact):
            wrong.append("raw/X differs")
    for mapping in MAPPINGS if exact else ("layers",):
        left, right = getattr(source, mapping), getattr(copy, mapping)
        if set(left.keys()) != set(right.keys()):
            wrong.append(f"{mapping} has {sorted(right.keys())}, expected {sorted(left.keys())}")
            continue
        wrong += [f"{mapping}/{key} differs" for key in left if not same_array(left[key], right[key], exact)]
    if exact:
        lost = set(source.uns) - set(copy.uns) - set(job.get("left_out", []))
        if lost:
            wrong.append(f"uns lacks {sorted(lost)}")
    return wrong


def main():
    warnings.simplefilter("ignore")
    results = {}
    for job in json.load(sys.stdin):
        try:
            results[job["name"]] = check(job)
        except Exception as error:  # the test shows it beside the file's name
            results[job["name"]] = [f"{type(error).__name__}: {error} ({error.__cause__})"]
    json.dump({"version": anndata.__version__, "results": results}, sys.stdout)


if __name__ == "__main__":
    main()
