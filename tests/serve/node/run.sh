#!/bin/sh
# Runs one script of this folder in the build folder, where its modules are.
#
# Usage: run.sh FOLDER SCRIPT ARGUMENT...
set -u
folder=$1
shift
if ! command -v node >/dev/null; then
    echo "skipped: Node is not there"
    exit 77
fi
if [ ! -d "$folder/node_modules/@modelcontextprotocol/client" ]; then
    echo "skipped: no modules; tests/serve/node/install.sh BUILD fetches them"
    exit 77
fi
cd "$folder" || exit 1
exec node "$@"
