#!/usr/bin/env python3
"""The figures of real traffic, as two independent scripts have them; skipped without the data.

The hash is over the line numbers of what was superseded, in order, from --events. `replay` of the
trace that is written beside them prints the same events.
"""
import csv
import hashlib
import io
import subprocess
import sys
import tempfile
from pathlib import Path

# cap: superseded, principals hit, live time cut, start of the hash
LISTENS = {
    1: ("3146", "295", "68838031", "7b16133012b94889"),
    2: ("2063", "50", "45010956", "c8ee2f10b00b8237"),
    3: ("1689", "33", "39186629", "c5637aca877accfd"),
    5: ("1153", "17", "33771221", "b15850502f6b43b3"),
}
REQUESTS_COLUMNS = ("wait_sum_ms", "wait_mean_ms", "wait_p50_ms", "wait_p99_ms", "wait_max_ms",
                    "waited", "longest_queue")
REQUESTS = {
    4: ("327698222", "37158.206", "26314", "149521", "162252", "8612", "546"),
    8: ("57461835", "6515.686", "2133", "35267", "38373", "6695", "316"),
    16: ("6117241", "693.643", "0", "11018", "12863", "2874", "213"),
    64: ("189", "0.021", "0", "0", "35", "11", "3"),
}
# queue capacity at 8 running: figures by their columns
QUEUES = {
    16: {"started": "6936", "refused_overflow": "1883", "wait_sum_ms": "4819836",
         "wait_p99_ms": "2971", "longest_queue": "16"},
    256: {"started": "8738", "refused_overflow": "81", "wait_sum_ms": "49854838",
          "wait_p99_ms": "28877"},
}


def simulate(program, *arguments):
    run = subprocess.run([program, "simulate", *arguments, "--format", "csv"],
                         capture_output=True, text=True, check=True, timeout=120)
    assert run.stderr == "", run.stderr
    return list(csv.DictReader(io.StringIO(run.stdout.split("\n\n")[0])))


def same(what, found, right):
    print(f"{what}: {found}")
    assert found == right, f"{what}: {found}, not {right}"


def check_events(program, folder, kind, log, *options):
    """The superseded lines, after a look that replay says the same."""
    events = Path(folder) / "events"
    trace = Path(folder) / "trace"
    simulate(program, kind, log, *options, "--events", events, "--trace", trace)
    replayed = subprocess.run([program, "replay", trace], capture_output=True, check=True,
                              timeout=120).stdout
    assert replayed == events.read_bytes(), "replay and simulate tell different events"
    words = (line.split() for line in replayed.decode().splitlines())
    return "".join(f"{word[3]}\n" for word in words if word[2] == "superseded")


def check_document(program, document, listens):
    """Every line of the tables in docs/simulate.md is a line of the real table."""
    table = subprocess.run([program, "simulate", "listens", listens, "--max-listens", "1,2,3,5"],
                           capture_output=True, text=True, check=True, timeout=120).stdout
    shown = [line.strip() for line in Path(document).read_text(encoding="utf-8").splitlines()
             if line.startswith("      ")]
    assert len(shown) == 7, shown
    for line in shown:
        same("the document", line in table, True)


def main(program, real, document):
    listens = Path(real) / "listens-cowrie.tsv"
    requests = Path(real) / "requests-azure-code.tsv"
    if not listens.exists() or not requests.exists():
        print(f"{real} has no data")
        return 77
    check_document(program, document, listens)
    for row in simulate(program, "listens", listens, "--max-listens", "1,2,3,5"):
        right = LISTENS[int(row["max_listens"])]
        same(f"cap {row['max_listens']}",
             (row["superseded"], row["principals_hit"], row["live_time_cut_ms"]), right[:3])
        assert (row["listens"], row["principals"]) == ("19990", "1948")
    for row in simulate(program, "requests", requests, "--max-concurrent", "4,8,16,64"):
        same(f"limit {row['max_concurrent']}", tuple(row[c] for c in REQUESTS_COLUMNS),
             REQUESTS[int(row["max_concurrent"])])
    for capacity, right in QUEUES.items():
        row = simulate(program, "requests", requests, "--max-concurrent", "8",
                       "--queue-capacity", str(capacity))[0]
        same(f"queue of {capacity}", {name: row[name] for name in right}, right)
    with tempfile.TemporaryDirectory() as folder:
        for cap, right in LISTENS.items():
            lines = check_events(program, folder, "listens", listens, "--max-listens", str(cap))
            same(f"hash at cap {cap}", hashlib.sha256(lines.encode()).hexdigest()[:16], right[3])
        for limit in REQUESTS:
            check_events(program, folder, "requests", requests, "--max-concurrent", str(limit))
        check_events(program, folder, "requests", requests, "--max-concurrent", "8",
                     "--queue-capacity", "16", "--timeout", "2s")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
