#!/usr/bin/env bash
# Runs the example scenes, says what was found, and draws each record.   demo.sh [SCENE...] (default: all)
set -euo pipefail
cd "$(dirname "$0")/.."
out=build/demo
mkdir -p "$out"
python=$(scripts/setup_python.sh)

# scene  simulated seconds  keyframe (- for none)  a frame of the record every n steps
runs="examples/slope.xml 2 - 2
examples/glancing_ball.xml 0.15 spin40 1
examples/tumble.xml 20 start 2
examples/heavy_top.xml 5 - 3
examples/tower1e6.xml 5 - 3
examples/arch.xml 5 - 3
examples/cards.xml 5 - 3
examples/pyramid.xml 5 - 3
examples/cannonballs.xml 5 - 3
examples/terrain.xml 5 - 10
examples/heap.xml 0.4 - 1
examples/settled_heap.xml 5 - 30"

worst=0
"$python" scripts/summary.py --header
while read -r scene seconds keyframe every; do
  name=$(basename "$scene" .xml)
  [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
  options=(--duration "$seconds" --json "$out/$name.json" --record "$out/$name.h5" --every "$every" --quiet --keep-going)
  [ "$keyframe" = - ] || options+=(--keyframe "$keyframe")
  code=0
  build/stiction run "$scene" "${options[@]}" || code=$?
  if [ $code -ne 0 ] && [ $code -ne 3 ]; then
    printf 'demo: %s ended with code %d; the message is above\n' "$scene" $code >&2
    exit $code
  fi
  [ $code -eq 0 ] || worst=3
  "$python" scripts/summary.py "$out/$name.json"
  "$python" scripts/plot_run.py "$out/$name.h5" --scene "$scene" -o "$out/$name.png" >/dev/null
done <<<"$runs"
printf '\npictures  %s/*.png\nrecords   %s/*.h5   (stiction info FILE)\nnumbers   %s/*.json\n' "$out" "$out" "$out"
exit $worst
