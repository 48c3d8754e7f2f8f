#!/usr/bin/env bash
# A simulated genome-wide screen (10,439 rows, 8,248 genes, 75,328 control cells) through label and whole trial, with
# time and peak memory. genome_screen.sh [SHARE] [FOLDER]: SHARE of the perturbed cells (default 0.1; 1 is about 2 million
# cells and some 8 GB of file).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
share=${1:-0.1} folder=${2:-build/bench/genome_screen}
mkdir -p "$folder"
build=build/release
ninja -C "$build" make_screen read_screen scvet >/dev/null
screen=$folder/screen_$share.h5ad
[ -e "$screen" ] || "$build/bench/make_screen" "$screen" "$share" 512
"$build/bench/read_screen" "$screen"

timed() { # name, command...
  local name=$1
  shift
  /usr/bin/env python3 - "$name" "$@" <<'PY'
import json, resource, subprocess, sys, time
start = time.time()
done = subprocess.run(sys.argv[2:], capture_output=True, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
if done.returncode:
    sys.exit(done.stderr)
print(json.dumps({"stage": sys.argv[1], "seconds": round(time.time() - start, 1),
                  "cpu": round(used.ru_utime + used.ru_stime, 1), "peak_mb": round(used.ru_maxrss / 1024)}))
PY
}

cat >"$folder/extraction.json" <<'JSON'
{"binning": null, "cells_truncated": null, "checkpoint": "simulated", "checkpoint_sha256": null, "fine_tuned": false,
 "genes_matched": null, "genes_total": null, "layer": null, "max_length": null, "normalisation": null, "pooling": null,
 "precision": "float32", "pretraining_corpus": null, "pretraining_snapshot": null, "tokenisation": null,
 "tool": "make_screen", "tool_version": null, "vocabulary": null, "vocabulary_sha256": null}
JSON
rm -rf "$folder/trial" "$folder/state"
place=(--trial "$folder/trial" --state-dir "$folder/state")
timed lock "$build/scvet" trial lock "${place[@]}" --counts "$screen" --obsm X_sim --arm sim --extraction "$folder/extraction.json"
timed sanity "$build/scvet" trial sanity "${place[@]}"
timed final-test "$build/scvet" trial final-test "${place[@]}"
timed posthoc-quick "$build/scvet" trial posthoc "${place[@]}" --quick
