"""The budgets of the design, each a ratio within one sitting."""

from dataclasses import dataclass

from .table import find, ratio


@dataclass
class Budget:
    name: str
    limit: float
    goal: float | None
    ours: dict  # which row
    floor: dict  # which row it is held against
    silent: bool = False  # no allocation is allowed


def same(name, limit, goal, **row):
    """Ours against the loop by hand of the same name."""
    return Budget(name, limit, goal, {"role": "ours", **row}, {"role": "floor", **row})


def grows(name, limit, variant, few, many, body="pass"):
    """Ours on much against ours on little."""
    row = {"role": "ours", "class": "scale", "body": body, "variant": variant}
    return Budget(name, limit, None, row | {"n": many}, row | {"n": few})


def all_budgets():
    for kind in ("sync", "async"):
        nobody = same(f"a kind nobody hooks, {kind}", 2.0, None, variant="if there are any", body="pass", n=0, **{"class": kind})
        nobody.silent = True
        yield nobody
    for body, variant in (("read", "&ToolResult"), ("read", "gate"), ("pass", "&mut ToolResult"), ("pass", "ToolResult by value")):
        yield same(f"8 sync hooks that change nothing, {variant}", 2.0, 1.5, variant=variant, body=body, n=8, **{"class": "sync"})
    yield same("8 sync hooks that each write one field", 1.3, None, variant="&mut ToolResult, clone", body="write", n=8, **{"class": "sync"})
    for body, variant in (("read", "&ToolResult"), ("pass", "ToolResult by value")):
        yield same(f"8 async hooks that change nothing, {variant}", 1.5, 1.1, variant=variant, body=body, n=8, **{"class": "async"})
    yield same("8 async hooks that each write one field", 1.5, 1.1, variant="ToolResult by value, clone", body="write", n=8, **{"class": "async"})
    yield grows("8 hooks on 10,000 messages untouched, against 10", 1.2, "8 hooks, a history of N untouched", 10, 10_000)
    yield grows("20 hooks out of 10,000 registered, against 20", 1.1, "20 hooks in scope, N registered", 20, 10_000)
    yield grows("making the set of 20 out of 10,000, against 20", 2.0, "making the set of 20, N registered", 20, 10_000)
    yield grows("8 readers that wait 10 ms, against one", 1.5, "N readers that wait 10 ms", 1, 8)


# The rows of ours that stand for it beside others. What is written is of the app's kind, so that the struct is the same.
HEADLINES = {
    ("sync", "read"): ["&ToolResult", "app's kind"],
    ("sync", "pass"): ["&mut ToolResult", "app's kind"],
    ("sync", "write"): ["app's kind"],
    ("async", "read"): ["&ToolResult", "app's kind"],
    ("async", "pass"): ["ToolResult by value", "app's kind"],
    ("async", "write"): ["app's kind"],
    ("awaited plain", "pass"): ["app's kind, plain functions"],
    ("awaited plain", "write"): ["app's kind, plain functions"],
}
# Rows of the class `async` whose dispatch is awaited and whose hooks are plain functions: none of them can wait, so they
# stand beside each other, and not beside hooks that can.
PLAIN = {"app's kind, plain functions", "BoxService per layer", "plain callbacks"}
WHAT = {"read": "read", "pass": "may write and change nothing", "write": "write"}


def verdicts(rows):
    """Name, ratio, limit, goal and whether it is met, for each budget. The ratio is None where a row is missing."""
    for budget in all_budgets():
        ours, floor = find(rows, **budget.ours), find(rows, **budget.floor)
        value = ratio(ours[0], floor[0]) if ours and floor else None
        met = value is not None and value <= budget.limit
        if budget.silent and ours and ours[0]["allocs"]:
            met = False
        yield {"name": budget.name, "ratio": value, "limit": budget.limit, "goal": budget.goal, "met": met}
    for (kind, body), variants in HEADLINES.items():
        ours, best = headline(rows, kind, body, variants[0], 8), best_peer(rows, kind, body, 8)
        value = ratio(ours, best) if ours and best else None
        name = f"8 {kind} hooks that {WHAT[body]}, against the best peer chosen at run time"
        name += f" ({best['peer']})" if best else ""
        yield {"name": name, "ratio": value, "limit": 1.0, "goal": None, "met": value is not None and value <= 1.0}


def headline(rows, kind, body, variant, n):
    found = [row for row in find(rows, role="ours", body=body, variant=variant, n=n) if group(row) == kind]
    return found[0] if found else None


def group(row):
    """The rows that a row may be held against: those of its class, and of the same sort of hooks."""
    return "awaited plain" if row["class"] == "async" and row["variant"] in PLAIN else row["class"]


def beside(rows, kind, body, n):
    """The rows that a row of ours is held against. Hooks that may write can read as well."""
    bodies = ("read", "pass") if body == "read" else (body,)
    return [row for row in find(rows, n=n) if group(row) == kind and row["body"] in bodies]


def best_peer(rows, kind, body, n):
    """The fastest of the peers whose hooks are chosen at run time."""
    found = find(beside(rows, kind, body, n), role="peer", chosen_at_run_time=True)
    return min(found, key=lambda row: row["ns"], default=None)


def best_isolating(rows, kind, body, n):
    """The fastest that goes on when a hook fails: a peer, or a loop by hand."""
    found = [row for row in find(beside(rows, kind, body, n), isolates=True) if row["role"] in ("peer", "floor")]
    return min(found, key=lambda row: row["ns"], default=None)
