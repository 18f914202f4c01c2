#!/usr/bin/env bash
# Times our scenes, beside Bullet where it is or can be installed.   run.sh [options of compare.py]
set -euo pipefail
cd "$(dirname "$0")/../.."
if scripts/setup.sh peers; then
  [ -f build/bench/bullet.stamp ] || cmake --preset release >/dev/null
  mkdir -p build/bench
  touch build/bench/bullet.stamp
  scripts/build.sh release peer_bullet >/dev/null
else
  printf 'bench: Bullet cannot be installed here, so our own numbers come alone\n' >&2
fi
python=$(scripts/setup_python.sh)
"$python" bench/peers/compare.py "$@"
