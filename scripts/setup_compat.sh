#!/usr/bin/env bash
# Makes the package sets that tests/cli/test_anndata_versions.py opens our files with: build/compat/base-<set> and
# build/compat/anndata-<version>, as listed in tests/compat/versions.txt. Each folder is used through PYTHONPATH, so
# versions share their base set. Done sets are kept until their requirement file changes; a set without a fitting
# interpreter is skipped by name. SCVET_PYTHON311 and SCVET_PYTHON312 name interpreters to use instead of those found.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$PWD/build/compat
lists=$PWD/tests/compat
mkdir -p "$target"

# Prints the first interpreter among the arguments that runs and has the wanted version.
find_python() {
  local wanted=$1 candidate
  shift
  for candidate in "$@"; do
    [ -n "$candidate" ] || continue
    if "$candidate" -c "import sys; v = sys.version_info[:2]; sys.exit(not ($wanted))" >/dev/null 2>&1; then
      "$candidate" -c 'import sys; print(sys.executable)'
      return 0
    fi
  done
  return 1
}

python_for() {
  case $1 in
    2026) find_python 'v >= (3, 12)' "${SCVET_PYTHON312:-}" python3.12 python3.13 \
            "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[23]*/bin/python3 ;;
    *) find_python 'v == (3, 11)' "${SCVET_PYTHON311:-}" python3.11 /usr/bin/python3 python3 ;;
  esac
}

# A virtual environment that only serves to run pip, so that the interpreter's own packages stay as they are.
pip_of() {
  local set=$1 python
  if ! python=$(python_for "$set"); then return 1; fi
  if [ ! -x "$target/pip-$set/bin/pip" ]; then "$python" -m venv --clear "$target/pip-$set"; fi
}

install_into() {  # folder, set, pip arguments...
  local folder=$1 set=$2
  shift 2
  rm -rf "$folder.part"
  "$target/pip-$set/bin/pip" install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --target "$folder.part" "$@"
  rm -rf "$folder"
  mv "$folder.part" "$folder"
}

# One set: its base packages, then every anndata version that stands on it.
make_set() {
  local set=$1 list=$lists/base-$1.txt digest version on
  if ! pip_of "$set"; then
    echo "setup_compat: no fitting Python for base-$set.txt (see the list's first line): its anndata versions are skipped"
    return 0
  fi
  digest=$(sha256sum < "$list" | cut -c1-16)
  if [ "$(cat "$target/base-$set/.digest" 2>/dev/null)" != "$digest" ]; then
    install_into "$target/base-$set" "$set" -r "$list"
    echo "$digest" > "$target/base-$set/.digest"
  fi
  while read -r version on; do
    case $version in '' | '#'*) continue ;; esac
    if [ "$on" = "$set" ] && [ ! -d "$target/anndata-$version" ]; then
      install_into "$target/anndata-$version" "$set" "anndata==$version"
    fi
  done < "$lists/versions.txt"
}

failed=0
pids=()
for set in 2022 2025 2026; do
  make_set "$set" &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
if [ "$failed" -ne 0 ]; then echo "setup_compat: some package sets could not be made" >&2; exit 1; fi
echo "setup_compat: $(find "$target" -maxdepth 1 -name 'anndata-*' | wc -l) anndata versions in build/compat"
