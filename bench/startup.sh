#!/usr/bin/env bash
# Start-up time: bench/startup.sh [PROGRAM]. Runs `PROGRAM --version` 21 times and prints the median and the worst in
# milliseconds. The goal is a median under 50 ms; timing has no place in the tests, so it stands here.
set -euo pipefail
program=${1:-build/release/scvet}
runs=21
times=()
for ((run = 0; run < runs; run++)); do
  start=$(date +%s%N)
  "$program" --version >/dev/null
  times+=($((($(date +%s%N) - start) / 1000)))
done
mapfile -t sorted < <(printf '%s\n' "${times[@]}" | sort -n)
printf 'start-up of %s --version: median %d.%03d ms, worst %d.%03d ms of %d runs\n' "$(basename "$program")" \
  $((sorted[runs / 2] / 1000)) $((sorted[runs / 2] % 1000)) $((sorted[runs - 1] / 1000)) $((sorted[runs - 1] % 1000)) "$runs"
[ "${sorted[runs / 2]}" -lt 50000 ]
