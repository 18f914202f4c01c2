#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages of the groups named: build, test, check, peers (or one of them: bullet, ode, siconos, openblas). What is there already is not touched, and then no network is needed.
set -euo pipefail

declare -A packages=(
  [build]="g++ cmake ninja-build ccache python3-venv libeigen3-dev libsuitesparse-dev libhdf5-dev libcli11-dev nlohmann-json3-dev libgtest-dev"
  [test]="clang"
  [check]="clang clang-format clang-tidy"
  [peers]="libbullet-dev libode-dev libsiconos-numerics-dev libopenblas0-serial"
  [bullet]="libbullet-dev"
  [ode]="libode-dev"
  [siconos]="libsiconos-numerics-dev"
  [openblas]="libopenblas0-serial"
)

fail() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}

[ $# -gt 0 ] || set -- build test check
wanted=()
for group in "$@"; do
  [ -n "${packages[$group]:-}" ] || fail "unknown group '$group'. Groups: ${!packages[*]}"
  read -ra names <<<"${packages[$group]}"
  wanted+=("${names[@]}")
done

missing() {
  local name
  for name in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null || true)" = installed ] || printf '%s\n' "$name"
  done | sort -u
}

install() {
  local as=() names=("$@")
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "these packages are missing and this user is not root: ${names[*]}" "ask an administrator to run:  apt-get install ${names[*]}"
    as=(sudo)
    sudo -n true 2>/dev/null || [ -t 0 ] ||
      fail "these packages are missing and sudo asks for a password: ${names[*]}" "run this once in a terminal:  sudo apt-get install ${names[*]}"
  fi
  printf 'setup: installing %s\n' "${names[*]}"
  if ! "${as[@]}" apt-get -qq update; then
    fail "apt-get cannot reach the package archive." "check the network (proxy, /etc/apt/sources.list), then repeat; or install by hand:  apt-get install ${names[*]}"
  fi
  "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${names[@]}" >/dev/null ||
    fail "apt-get could not install ${names[*]}." "see its message above; the project is made for Debian 12 or Ubuntu 24.04 and later."
}

command -v dpkg-query >/dev/null || fail "this is not a Debian or Ubuntu system." "install the equivalents by hand (docs/third-party.md lists them), then: cmake --preset release && cmake --build --preset release"
mapfile -t absent < <(missing "${wanted[@]}")
[ ${#absent[@]} -eq 0 ] || install "${absent[@]}"

# Clang's sanitizer and fuzzer runtimes are a package of their own where the distribution splits them off; its name carries the version.
if [[ " ${wanted[*]} " == *" clang "* ]]; then
  clang_runtime="libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
  if [ -z "$(find "$(clang -print-resource-dir)/lib" -name '*fuzzer*' -print -quit 2>/dev/null)" ]; then
    install "$clang_runtime"
  fi
fi
