"""RESULTS.md, and the table of the chapter of the book."""

from . import budgets
from .table import find, ratio, time

COUNTS = (0, 1, 8, 32)
CLASSES = {"sync": "Plain functions", "async": "Awaited, ready at once"}
BODIES = {
    "read": "Hooks that read",
    "pass": "Hooks that may write and change nothing",
    "write": "Hooks that each put a new string into one field",
    "unmatched": "Hooks that are all at another point",
}
BEGIN, END = "<!-- The tables below are written by benchmarks/run. -->", "<!-- The tables above are written by benchmarks/run. -->"


def results(sitting):
    """The whole file."""
    return f"""# Results

Written by `benchmarks/run`; [the chapter of the book](../docs/benchmarks.md) says how to read it. `benchmarks/check` compares
the budgets with [results.json](results.json), which contains every round.

{about(sitting)}
![Nanoseconds per dispatch of 8 hooks, for each system](../docs/benchmarks.svg)

{tables(sitting)}"""


def chapter(text, sitting):
    """The chapter with today's tables in the place of the old ones."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{summary(sitting)}\n{END}{after}"


def about(sitting):
    machine = sitting["machine"]
    lines = [
        f"One session, {sitting['started']} to {sitting['ended']}, {sitting['rounds']} rounds of {sitting['milliseconds']} ms for each case, "
        "every program once in each round, in another order each time.",
        "",
        f"- Engine: commit `{sitting['engine']['commit']}`",
        f"- Machine: {machine['cpu']}, {machine['cores']} cores, {machine['memory']}, {machine['system']} ({machine['architecture']})",
        f"- Load of the machine when it began: {sitting['load']}",
        "",
        "| Program | Version | Built and run with |",
        "|---|---|---|",
    ]
    for program in sitting["programs"]:
        lines.append(f"| {program['name']} | {program['version']} | {program['toolchain']} |")
    lines += [f"| {skipped['name']} | – | not in this session: {skipped['why']} |" for skipped in sitting["skipped"]]
    return "\n".join(lines) + "\n"


def tables(sitting):
    rows = sitting["rows"]
    head = ["## Budgets\n", budget_table(rows), "\n## This SDK compared with the fastest alternative\n", ratio_tables(rows, (0, 8, 32))]
    return "\n".join(head) + "\n" + class_tables(sitting)


def summary(sitting):
    """The table of the chapter."""
    return ratio_tables(sitting["rows"], (8,), AGAINST[1:2]) + "\n"


def class_tables(sitting):
    rows, parts = sitting["rows"], []
    for kind, title in CLASSES.items():
        if find(rows, **{"class": kind}):
            parts.append(f"\n## {title}")
        for body, what in BODIES.items():
            if find(rows, body=body, **{"class": kind}):
                parts += [f"\n### {what}\n", class_table(rows, kind, body, sitting["skipped"])]
    if find(rows, **{"class": "scale"}):
        parts += ["\n## This SDK alone\n", alone_table(rows)]
    return "\n".join(parts) + "\n"


def budget_table(rows):
    lines = ["| What | Ratio | Budget | Goal | |", "|---|---|---|---|---|"]
    for verdict in budgets.verdicts(rows):
        value = "–" if verdict["ratio"] is None else f"{verdict['ratio']:.2f}x"
        goal = f"{verdict['goal']:.2f}x" if verdict["goal"] else ""
        word = "not measured" if verdict["ratio"] is None else "" if verdict["met"] else "**missed**"
        lines.append(f"| {verdict['name']} | {value} | {verdict['limit']:.2f}x | {goal} | {word} |")
    return "\n".join(lines)


def best_rust_peer(rows, kind, body, n):
    # Only Rust programs count allocations.
    return budgets.best_peer([row for row in rows if row["allocs"] is not None], kind, body, n)


AGAINST = (
    ("the best that isolates", budgets.best_isolating),
    ("the best peer chosen at run time", budgets.best_peer),
    ("the best Rust peer chosen at run time", best_rust_peer),
)


def ratio_tables(rows, counts, against=AGAINST):
    """Compares this SDK with the fastest alternative for each number of hooks."""
    lines = [
        "Each cell is the time of this SDK, divided by the time of the fastest alternative for that number of hooks. Below 1, this SDK is faster. Rows for hooks that read also consider peers whose hooks may write.",
        "",
        "| Class | Hooks | This SDK | Against | " + " | ".join(f"N = {n}" for n in counts) + " |",
        "|---|---|---|---|" + "---|" * len(counts),
    ]
    for (kind, body), variants in budgets.HEADLINES.items():
        for variant in variants:
            for name, best in against:
                cells = [compared(rows, best, kind, body, variant, n) for n in counts]
                lines.append(f"| {kind} | {budgets.WHAT[body]} | {variant} | {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def compared(rows, best, kind, body, variant, n):
    ours, other = budgets.headline(rows, kind, body, variant, n), best(rows, kind, body, n)
    if not ours or not other:
        return "–"
    return f"{ratio(ours, other):.2f}x {other['peer']}"


def class_table(rows, kind, body, skipped):
    found = find(rows, body=body, **{"class": kind})
    groups = {}
    for row in found:
        groups.setdefault((row["peer"], row["variant"], row["isolates"], row["chosen_at_run_time"], row["role"]), {})[row["n"]] = row
    ordered = sorted(groups.items(), key=lambda group: rank(group[0][4], group[1]))
    lines = [
        "| System | How | Isolates | At run time | " + " | ".join(f"N = {n}" for n in COUNTS) + " | ± | Allocations, bytes at 8 |",
        "|---|---|---|---|" + "---|" * (len(COUNTS) + 2),
    ]
    for (peer, variant, isolates, chosen, role), by_count in ordered:
        if set(by_count) == {0} and variant == "if there are any":
            continue  # the floor of a budget, which the table of budgets contains
        name = f"**{peer}**" if role == "ours" else peer
        cells = [time(by_count[n]["ns"]) if n in by_count else "–" for n in COUNTS]
        eight = by_count.get(8)
        spread = f"{eight['spread']:.0%}" if eight else "–"
        allocated = "–" if not eight or eight["allocs"] is None else f"{eight['allocs']}, {eight['bytes']}"
        marks = ["yes" if mark else "no" for mark in (isolates, chosen)]
        lines.append(f"| {name} | {variant} | {marks[0]} | {marks[1]} | " + " | ".join(cells) + f" | {spread} | {allocated} |")
    if body == "pass":
        blank = " | – " * (len(COUNTS) + 2)
        lines += [f"| {gone['name']} | not in this session: {gone['why']} | – | –{blank} |" for gone in skipped if kind in gone["classes"]]
    return "\n".join(lines)


def rank(role, by_count):
    """This SDK first, then the loops by hand, then the peers from fast to slow."""
    order = {"ours": 0, "floor": 1, "reference": 2, "peer": 3}[role]
    some = by_count.get(8) or next(iter(by_count.values()))
    return order, some["ns"] if role == "peer" else 0


def alone_table(rows):
    lines = ["| What | N | Time | ± | Allocations, bytes |", "|---|---|---|---|---|"]
    for row in find(rows, **{"class": "scale"}):
        lines.append(f"| {row['variant']} | {row['n']:,} | {time(row['ns'])} | {row['spread']:.0%} | {row['allocs']}, {row['bytes']} |")
    return "\n".join(lines)
