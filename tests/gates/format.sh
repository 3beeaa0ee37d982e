#!/bin/bash
# Gate: every C file is as clang-format 14, Debian 12's, would write it.
#
# Usage: format.sh FOLDER...
set -eu
formatter=$(command -v clang-format-14 || command -v clang-format || true)
if [ -z "$formatter" ] || ! "$formatter" --version | grep -q 'version 14\.'; then
    echo "clang-format 14 is not there: its versions do not agree with each other"
    exit 77
fi
find "$@" -regex '.*\.\(c\|h\|cpp\)' -print0 | xargs -0 -r "$formatter" --dry-run -Werror
n=$(find "$@" -name '*.[ch]' | wc -l)
echo "$n files looked at"
[ "$n" -gt 0 ]
