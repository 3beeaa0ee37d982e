#!/bin/bash
# Installs the build into a scratch folder and uses it from outside, as a stranger would: with
# what `pkg-config --cflags --libs admission` says, in C and in C++, shared and static.
#
# Usage: run.sh BUILD VERSION
set -eu
build=$1 version=$2
here=$(cd "$(dirname "$0")" && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

fail() {
    echo "run.sh: $*" >&2
    exit 1
}
expect() { # WANTED COMMAND...: the command succeeds and prints exactly this
    local wanted=$1 got
    shift
    got=$("$@") || fail "$* ends in $?"
    got=${got% } # pkg-config ends its lines with a blank
    [ "$got" = "$wanted" ] || fail "$* prints '$got', not '$wanted'"
    echo "ok: $(basename "$1") prints '$got'"
}

meson install -C "$build" --no-rebuild --quiet --destdir "$stage/root"
pc=$(find "$stage/root" -name admission.pc)
[ -n "$pc" ] || fail "no admission.pc is installed"
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
prefix=$stage/root$(pkg-config --variable=prefix admission)
ask() { # what pkg-config would say, had the scratch folder been the prefix
    pkg-config "--define-variable=prefix=$prefix" "$@" admission
}
libdir=$(ask --variable=libdir)
export LD_LIBRARY_PATH=$libdir

expect "$version" ask --modversion
expect "-I$prefix/include" ask --cflags
expect "-L$libdir -ladmission" ask --libs
expect "admission $version" "$prefix/bin/admission" --version
readelf -d "$libdir/libadmission.so.$version" | grep -q 'SONAME.*\[libadmission.so.0\]' ||
    fail "the library has another soname"

cd "$stage"
strict=(-Wall -Wextra -Werror -pedantic)
# What pkg-config prints are words, so they are not quoted.
# shellcheck disable=SC2046
{
    cc -std=c11 "${strict[@]}" "$here/user.c" -o c-user $(ask --cflags --libs)
    c++ -std=c++17 "${strict[@]}" "$here/user.cpp" -o c++-user $(ask --cflags --libs)
    cc -std=c11 "${strict[@]}" "$here/user.c" -o static-user $(ask --cflags) \
        $(ask --static --libs | sed 's/-ladmission/-l:libadmission.a/')
}
expect "admitted 0" ./c-user
expect "admitted 0" ./c++-user
expect "admitted 0" env -u LD_LIBRARY_PATH ./static-user
ldd ./c-user | grep -q "$libdir/libadmission.so.0" || fail "c-user uses another library"
! ldd ./static-user | grep -q libadmission || fail "static-user is not static"
