#!/usr/bin/env python3
"""A trace of a million lines streams: its replay takes no more memory than a short one's."""
import subprocess
import sys
import threading


def lines(n):
    """Tickets and listeners of ever new handles and ids; each is gone after a while."""
    yield "limits max_concurrent=4 queue_capacity=100 max_listens_per_principal=2"
    for i in range(n // 4):
        at = i * 10
        yield f"{at}us h{i} admit t{i} key=k{i} timeout=1ms"
        yield f"{at}us h{i} admit l{i} principal=p{i % 500}"
        yield f"{at}us h{max(0, i - 3)} leave t{max(0, i - 3)}"
        yield (f"{at}us h{i} leave principal=p{i % 500}" if i % 3 else f"{at}us h{i - 9} down"
               if i > 9 else f"{at}us - end")


def replay(program, n):
    """How many events there are, and the peak of the resident memory in KiB."""
    process = subprocess.Popen([program, "replay", "-"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)

    def feed():
        with process.stdin as stdin:
            stdin.writelines(line + "\n" for line in lines(n))

    feeder = threading.Thread(target=feed)
    feeder.start()
    n_events = 0
    peak = 0
    for _ in process.stdout:
        n_events += 1
        if n_events % 1000 == 0:
            peak = max(peak, peak_of(process.pid))
    feeder.join()
    assert process.wait() == 0, "the trace is readable"
    return n_events, peak


def peak_of(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next((int(line.split()[1]) for line in status if line.startswith("VmHWM:")), 0)


def main(program):
    _, short_peak = replay(program, 20_000)
    n_events, long_peak = replay(program, 1_000_000)
    print(f"{n_events} events; peak {short_peak} KiB for 20,000 lines, {long_peak} KiB for "
          "1,000,000")
    assert n_events == 500_000, "a grant and an admission for every four lines"
    assert 0 < long_peak < short_peak + 1024, "memory grows with the length of the trace"


if __name__ == "__main__":
    main(*sys.argv[1:])
