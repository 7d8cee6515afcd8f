"""One way to measure a dispatch, the same for every Python program here: see ../../measure for the Rust one."""

import argparse
import asyncio
import json
import statistics
import time
from importlib.metadata import version

TEXT = "the weather in Geneva, yesterday"
REPLACEMENT = "the weather in Zurich, as of now"
HALVES = [(TEXT[:16], TEXT[16:]), (REPLACEMENT[:16], REPLACEMENT[16:])]
COUNTS = (0, 1, 8, 32)
PASSES = 5


def other(text):
    """The body of every hook that writes: the other of the two texts, as a string of its own."""
    begin, end = HALVES[text == TEXT]
    return begin + end


class Sitting:
    """The cases of one peer. `call(count)` of a case makes so many calls and returns the seconds they took."""

    def __init__(self, peer, package, measured_class):
        self.line = {
            "peer": peer,
            "role": "peer",
            "version": version(package),
            "isolates": False,
            "chosen_at_run_time": True,
            "class": measured_class,
        }
        self.cases = []

    def call(self, body, variant, n, call):
        def batch(count):
            start = time.perf_counter()
            for _ in range(count):
                call()
            return time.perf_counter() - start

        self.cases.append(({"body": body, "variant": variant, "n": n}, batch))

    def awaited(self, body, variant, n, call):
        async def loop(count):
            start = time.perf_counter()
            for _ in range(count):
                await call()
            return time.perf_counter() - start

        self.cases.append(({"body": body, "variant": variant, "n": n}, lambda count: asyncio.run(loop(count))))

    def run(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--ms", type=float, default=10, help="how long a case takes in all")
        each = parser.parse_args().ms / 1000 / PASSES
        timed = [(label, batch, calls_per_batch(batch, each), []) for label, batch in self.cases]
        for _ in range(PASSES):
            for _, batch, count, seconds in timed:
                seconds.append(batch(count) / count)
        for label, _, _, seconds in timed:
            ns = statistics.median(seconds) * 1e9
            print(json.dumps(self.line | label | {"ns": ns, "allocs": None, "bytes": None}))


def calls_per_batch(batch, each):
    count = 1
    while batch(count) < each:
        count *= 2
    return count
