#!/usr/bin/env bash
# The project's C++ style (.clang-format): rewrites the sources, or with --check only says which differ.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp')
if [ "${1:-}" != --check ]; then
  clang-format -i "${files[@]}"
  exit 0
fi
bad=0
for file in "${files[@]}"; do
  clang-format "$file" | cmp -s "$file" - || { printf 'format: %s\n' "$file" && bad=1; }
done
[ $bad -eq 0 ] || { printf 'format: the files above differ from .clang-format. Remedy: make format\n' >&2 && exit 1; }
printf 'format: %d files in style\n' ${#files[@]}
