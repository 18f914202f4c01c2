#!/usr/bin/env bash
# A private Python environment in build/pyenv for pictures and records; nothing outside build/ is touched. Prints its interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build/pyenv
stamp=$folder/$(cksum <scripts/requirements.txt | tr ' ' -).stamp
if [ ! -f "$stamp" ]; then
  python=python3
  [ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
  mkdir -p build
  "$python" -m venv "$folder" >&2 || { printf 'setup: python3 has no venv module. Remedy: make setup\n' >&2 && exit 1; }
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r scripts/requirements.txt >&2 ||
    { printf 'setup: pip could not fetch the packages of scripts/requirements.txt. Remedy: check the network or the package index of pip, then repeat\n' >&2 && exit 1; }
  touch "$stamp"
fi
printf '%s\n' "$folder/bin/python"
