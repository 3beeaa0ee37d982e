#!/bin/bash
# Runs a Criterion program and holds it to what Criterion itself lets pass.
#
# Usage: criterion.sh PROGRAM [ARGUMENT...]
#
# Criterion is content with a program that ran no test, with a leak that LeakSanitizer found in
# a worker, and with an error that UBSan or valgrind only printed. Here each of them fails: the
# sanitizers write their reports to a directory, which must be empty at the end, and the closing
# line must say that tests ran and that none failed.
#
# With ADMISSION_VALGRIND=1 in the environment the program runs under memcheck.
set -u

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' TERM INT
mkdir "$scratch/reports"

add_option() { # NAME OPTIONS: ours come last, so they win
    printf -v "$1" '%s' "${!1:+${!1}:}$2"
    export "${1?}"
}
add_option ASAN_OPTIONS "log_path=$scratch/reports/asan"
add_option LSAN_OPTIONS "log_path=$scratch/reports/lsan"
add_option UBSAN_OPTIONS "log_path=$scratch/reports/ubsan:halt_on_error=1:print_stacktrace=1"
export TMPDIR="$scratch" # an aborted run leaves its sockets there

watch=()
if [ "${ADMISSION_VALGRIND:-0}" = 1 ]; then
    # Possible losses are Criterion's own: the sockets between its processes.
    watch=(valgrind --quiet --trace-children=yes --leak-check=full --show-leak-kinds=definite
        --errors-for-leak-kinds=definite "--log-file=$scratch/reports/valgrind.%p")
fi

{
    ${watch[@]+"${watch[@]}"} "$@" 2>&1 >&3 | tee "$scratch/stderr" >&2
    status=${PIPESTATUS[0]}
} 3>&1

wrong() {
    echo "criterion.sh: $*" >&2
    status=1
}

field() { # the number behind NAME in the closing line; empty without one
    sed -n "s/.*Synthesis:.* $1: \([0-9]*\).*/\1/p" "$scratch/stderr" | tail -n 1
}
tested=$(field Tested)
if [ "${tested:-0}" -eq 0 ]; then
    wrong "no test ran"
elif [ "$(field Failing)" != 0 ] || [ "$(field Crashing)" != 0 ]; then
    wrong "a test failed or crashed"
fi

find "$scratch/reports" -type f -empty -delete
for report in "$scratch"/reports/*; do
    if [ -e "$report" ]; then
        wrong "a sanitizer has reported:"
        cat "$report" >&2
    fi
done
exit "$status"
