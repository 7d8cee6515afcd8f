"""The measurements of a sitting as rows: a median over the rounds for each, with its spread."""

import statistics

KEY = ("peer", "role", "version", "isolates", "chosen_at_run_time", "class", "body", "variant", "n")


def rows(measured):
    """One row for each case. `samples` maps a round to nanoseconds, so that ratios can be taken within a round."""
    found = {}
    for line in measured:
        row = found.setdefault(
            tuple(line[key] for key in KEY),
            {key: line[key] for key in KEY} | {"allocs": line["allocs"], "bytes": line["bytes"], "samples": {}},
        )
        row["samples"][str(line["round"])] = round(line["ns"], 3)
    for row in found.values():
        samples = sorted(row["samples"].values())
        row["ns"] = statistics.median(samples)
        row["spread"] = spread(samples)
    return list(found.values())


def spread(samples):
    """Half the distance of the quartiles, as a share of the median."""
    if len(samples) < 2:
        return 0.0
    quartiles = statistics.quantiles(samples, n=4, method="inclusive")
    return (quartiles[2] - quartiles[0]) / 2 / quartiles[1]


def find(all_rows, **wanted):
    """The rows that have all of this."""
    return [row for row in all_rows if all(row[key] == value for key, value in wanted.items())]


def ratio(row, other):
    """The median of the ratios within each round that both were in; None where there is none."""
    shared = row["samples"].keys() & other["samples"].keys()
    return statistics.median(row["samples"][r] / other["samples"][r] for r in shared) if shared else None


def time(nanos):
    """A time with three digits, in its unit."""
    for limit, factor, unit in ((1e3, 1, "ns"), (1e6, 1e3, "µs"), (float("inf"), 1e6, "ms")):
        if nanos < limit:
            value = nanos / factor
            return f"{value:.0f} {unit}" if value >= 100 else f"{value:.1f} {unit}"
    raise AssertionError("every number is below infinity")
