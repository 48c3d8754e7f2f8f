#!/usr/bin/env bash
# './dev check': every check runs, and the names of those that failed come last. Needs build/release configured.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
python=build/venv/bin/python
failed=()

step() {
  local name=$1
  shift
  "$@" || failed+=("$name")
}

format() { git ls-files -z '*.cpp' '*.h' | xargs -0 clang-format-14 --dry-run -Werror; }
python_style() { build/venv/bin/ruff check --quiet . && build/venv/bin/ruff format --quiet --check .; }
shell_style() { git ls-files -z '*.sh' dev .ci/run | xargs -0 shellcheck -x; }
# Marks of unfinished work, spelt so that this line is not one of them.
marks() {
  ! git grep -nIiE '\b(TO''DO|FIX''ME|X''XX|not imple''mented|st''ub|place''holder)\b' -- '*.cpp' '*.h' '*.py' '*.sh' '*.cmake' dev .ci
}

step format format
step includes "$python" scripts/check_includes.py
step tidy "$python" scripts/tidy.py --build build/release "$@"
step python python_style
step shell shell_style
step docs "$python" scripts/check_docs.py
step reference "$python" scripts/generate_reference.py --program build/release/scvet --check
step marks marks

if [ ${#failed[@]} -gt 0 ]; then
  echo "check: failed: ${failed[*]}"
  exit 1
fi
echo "check: all clean"
