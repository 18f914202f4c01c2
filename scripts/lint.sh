#!/usr/bin/env bash
# clang-tidy (.clang-tidy) over the sources named, or all of src and cli.   lint.sh [FILE...]
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh release --configure
[ $# -gt 0 ] || mapfile -t files < <(git ls-files 'src/*.cpp' 'cli/*.cpp')
[ $# -eq 0 ] || files=("$@")
database=build/lint
mkdir -p "$database"
# clang cannot read gcc's precompiled headers: the database for it is the build's own without them.
python3 - "$database" <<'PY'
import json, re, sys
commands = json.load(open('build/compile_commands.json'))
for entry in commands:
    entry['command'] = re.sub(r'-Winvalid-pch|-include \S*cmake_pch\S*', '', entry['command'])
json.dump(commands, open(sys.argv[1] + '/compile_commands.json', 'w'))
PY
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 4 clang-tidy -p "$database" --quiet --warnings-as-errors='*' 2>/dev/null ||
  { printf 'lint: clang-tidy found the above\n' >&2 && exit 1; }
printf 'lint: %d files clean\n' ${#files[@]}
