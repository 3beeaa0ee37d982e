#!/bin/sh
# Fetches what the tests with Node need, by the lock file, into a build folder.
#
# Usage: install.sh BUILD
#
# Tests never download: where this has not run, they skip.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
there=$1/tests/serve
mkdir -p "$there"
cp "$here/package.json" "$here/package-lock.json" "$there"
cd "$there"
npm ci --no-audit --no-fund
