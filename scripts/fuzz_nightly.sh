#!/usr/bin/env bash
# Runs every fuzz target for SECONDS each (default 3600), one after the other: scripts/fuzz_nightly.sh [SECONDS] [TARGET...]
# Needs the fuzz preset: cmake --preset fuzz && ninja -C build/fuzz fuzz_all. Inputs that reached new code are kept in
# build/fuzz/corpus/TARGET, findings in build/fuzz/findings/TARGET. Exit 1 when there is a finding. See docs/fuzzing.md.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-3600}
[ $# -eq 0 ] || shift
programs=$PWD/build/fuzz/tests/fuzz
corpus=$PWD/build/fuzz/corpus
findings=$PWD/build/fuzz/findings
if [ ! -x "$programs/make_seeds" ]; then
  echo "fuzz_nightly: $programs has no fuzz targets: cmake --preset fuzz && ninja -C build/fuzz fuzz_all" >&2
  exit 2
fi
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for program in "$programs"/fuzz_*; do
    if [ -f "$program" ] && [ -x "$program" ]; then targets+=("$(basename "$program")"); fi
  done
fi
"$programs/make_seeds" "$corpus"
# libFuzzer cuts longer inputs without a word, and a cut HDF5 file reaches nothing.
longest=131072
if long=$(find "$corpus" -type f -size +"$longest"c | grep .); then
  echo "fuzz_nightly: longer than $longest bytes, so cut before use: $long" >&2
  exit 2
fi
status=0
for target in "${targets[@]}"; do
  mkdir -p "$corpus/$target" "$findings/$target"
  echo "fuzz_nightly: $target for $seconds s"
  # The store warns of every damaged header, a folder of dictionaries of every broken one; their talk is left out, the sanitizer's report is not.
  talk=0
  case $target in fuzz_corpus | fuzz_pickle) talk=2 ;; esac
  # Readers of HDF5 run each input in a child with limits of its own (tests/fuzz/forked.cpp), in processor time; for
  # the others libFuzzer keeps them: 25 s and 2 GiB an input, 1 GiB an allocation.
  limit=25
  case $target in fuzz_h5ad | fuzz_h5ad_copy | fuzz_h5mu | fuzz_loom | fuzz_tenx_h5) limit=300 ;; esac
  if ! "$programs/$target" -max_total_time="$seconds" -timeout="$limit" -rss_limit_mb=2048 -malloc_limit_mb=1024 \
    -max_len="$longest" -close_fd_mask="$talk" -print_final_stats=1 -artifact_prefix="$findings/$target/" "$corpus/$target" \
    >"$findings/$target.log" 2>&1; then
    status=1
    echo "fuzz_nightly: FINDING in $target: see $findings/$target and $findings/$target.log"
  fi
  grep -E 'number_of_executed_units|average_exec_per_sec|peak_rss|child processes' "$findings/$target.log" || true
done
exit $status
