# shellcheck shell=bash disable=SC2154  # top, build and venv come from ./dev
# Set-up steps, sourced by ./dev. Each is quick and silent when there is nothing to do; stamps in build/stamps carry a
# digest of what they depend on.

say() { printf 'dev: %s\n' "$*" >&2; }
fail() { say "$@"; exit 1; }

# done_with NAME FILE...: true when step NAME ended well for the FILEs as they are now; finish_with records it.
stamp_path() {
  local name=$1
  shift
  printf '%s/stamps/%s-%s' "$build" "$name" "$(cat "$@" | sha256sum | cut -c1-16)"
}
done_with() { [ -e "$(stamp_path "$@")" ]; }
finish_with() {
  mkdir -p "$build/stamps"
  rm -f "$build/stamps/$1"-*
  : >"$(stamp_path "$@")"
}

# The packages of a list (see its first lines) that are not here.
missing_packages() {
  local package command missing=()
  while read -r package command; do
    case $package in '' | '#'*) continue ;; esac
    if [ -n "$command" ] && command -v "$command" >/dev/null; then continue; fi
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done < <(cat "$@")
  printf '%s ' "${missing[@]}"
}

install_packages() {
  local missing as_root=()
  if ! command -v dpkg-query >/dev/null; then
    done_with foreign "$@" && return
    say "not a Debian system: install what these name yourself: $*"
    finish_with foreign "$@"
    return
  fi
  missing=$(missing_packages "$@")
  [ -n "${missing// /}" ] || return 0
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "these packages are missing: $missing" $'\n'"dev: run as root: apt-get install $missing"
    as_root=(sudo)
  fi
  say "installing packages: $missing"
  local log="$build/apt.log"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update >"$log" 2>&1 || { tail -n 20 "$log" >&2; fail "apt-get update failed (see $log)"; }
  # shellcheck disable=SC2086  # the list is words on purpose
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing >>"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; fail "apt-get install failed (see $log)"; }
}

make_venv() {
  [ -x "$venv/bin/pip" ] && "$venv/bin/python" -c '' 2>/dev/null && return
  rm -rf "$venv"
  python3 -m venv "$venv" || fail "cannot make a Python environment: install python3-venv"
}

install_requirements() {
  make_venv
  done_with requirements "$top/scripts/requirements.txt" && [ -x "$venv/bin/pytest" ] && return
  say "installing Python packages into ${venv#"$top/"}"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$top/scripts/requirements.txt" ||
    fail "pip could not install scripts/requirements.txt"
  finish_with requirements "$top/scripts/requirements.txt"
}

# Without the table the program works still: symbols then meet symbols only. So no network is a warning.
make_gene_table() {
  done_with genes "$top/scripts/make_gene_table.py" && [ -s "$build/share/gene_names.tsv.gz" ] && return
  make_venv
  if "$venv/bin/python" "$top/scripts/make_gene_table.py" --out "$build/share/gene_names.tsv.gz"; then
    finish_with genes "$top/scripts/make_gene_table.py"
  else
    say "no gene name table: symbols will not be mapped to Ensembl ids (run './dev setup' again to retry)"
  fi
}

# The wheel whose Arrow libraries the plugin is built with. Without it all but Hugging Face data sets and parquet can be
# read, so no network is a warning.
install_arrow() {
  done_with arrow "$top/scripts/requirements-run.txt" &&
    compgen -G "$venv/lib/python3*/site-packages/pyarrow/libarrow.so.*" >/dev/null && return
  make_venv
  say "fetching the Arrow libraries"
  if "$venv/bin/pip" install --quiet --disable-pip-version-check --retries 2 --timeout 20 --no-deps \
    -r "$top/scripts/requirements-run.txt"; then
    finish_with arrow "$top/scripts/requirements-run.txt"
  else
    say "no Arrow libraries: Hugging Face data sets and parquet cannot be read (run './dev setup' again to retry)"
  fi
}

# The chart library that report pages carry inside.
install_report_bundle() {
  [ -e "$top/report/package-lock.json" ] || return 0
  done_with report "$top/report/package-lock.json" && [ -d "$top/report/node_modules" ] && return
  say "installing the report's chart library"
  (cd "$top/report" && npm ci --silent --no-audit --no-fund) || fail "npm ci failed in report/"
  finish_with report "$top/report/package-lock.json"
}

# Environments with old and new releases of the packages that must open what we write.
install_compat() {
  [ -e "$top/scripts/setup_compat.sh" ] || return 0
  done_with compat "$top/scripts/setup_compat.sh" "$top"/tests/compat/*.txt && return
  bash "$top/scripts/setup_compat.sh" || fail "scripts/setup_compat.sh failed"
  finish_with compat "$top/scripts/setup_compat.sh" "$top"/tests/compat/*.txt
}

setup_run() {
  mkdir -p "$build"
  install_packages "$top/scripts/packages.txt"
  make_gene_table
  install_arrow
  install_report_bundle
}

setup_test() {
  mkdir -p "$build"
  install_packages "$top/scripts/packages.txt" "$top/scripts/packages-test.txt"
  make_gene_table
  install_arrow
  install_report_bundle
  install_requirements
  install_compat
}
