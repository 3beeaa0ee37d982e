#!/usr/bin/env python3
"""GET /metrics, read by the parser of Prometheus' own client library."""
import os
import sys

from server import Server, until

try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    print("skipped: python3-prometheus-client is not there")
    sys.exit(77)


def families(server):
    return {family.name: family
            for family in text_string_to_metric_families(server.get("/metrics"))}


def value(server, family, sample=None):
    found = [one.value for one in families(server)[family].samples
             if one.name == (sample or family)]
    assert len(found) == 1, found
    return found[0]


def main():
    with Server(os.path.abspath(sys.argv[1]), "--max-listens", "2") as server:
        streams = [server.listen() for _ in range(3)]
        until(lambda: [server.stats()[name] for name in ("superseded", "open")] == [1, 2])
        server.publish("t", "x")
        assert value(server, "admission_live_streams") == 2
        assert value(server, "admission_admitted", "admission_admitted_total") == 3
        assert value(server, "admission_superseded", "admission_superseded_total") == 1
        assert value(server, "admission_published", "admission_published_total") == 1
        assert value(server, "admission_delivered", "admission_delivered_total") == 2
        everything = families(server)
        for name, family in everything.items():
            assert name.startswith("admission_") and family.documentation, name
            assert family.type in {"gauge", "counter", "histogram"}, (name, family.type)
        wait = everything["admission_wait_seconds"]
        assert wait.type == "histogram"
        buckets = [one for one in wait.samples if one.name.endswith("_bucket")]
        counts = [one.value for one in buckets]
        assert counts == sorted(counts) and counts[-1] == 3, counts
        assert buckets[-1].labels["le"] == "+Inf"
        bounds = [float(one.labels["le"]) for one in buckets]
        assert bounds == sorted(set(bounds)), bounds
        assert bounds[:4] == [0, 1e-6, 3e-6, 7e-6], "each is the largest that its bucket has"
        assert value(server, "admission_wait_seconds", "admission_wait_seconds_count") == 3
        assert "alice" not in server.get("/metrics"), "nobody is named"
        for one in streams:
            one.close()
        until(lambda: value(server, "admission_live_streams") == 0)
        assert value(server, "admission_left", "admission_left_total") == 2
        print(f"{len(everything)} metrics")
    return 0


if __name__ == "__main__":
    sys.exit(main())
