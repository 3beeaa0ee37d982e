#!/bin/sh
# Runs a program whose threads have stacks of 256 KiB: the size comes from the limit that it
# starts with.
#
# Usage: with_small_stacks.sh PROGRAM [ARGUMENT...]
ulimit -s 256
exec "$@"
