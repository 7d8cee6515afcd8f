"""One sitting: every program once per round, in another order each time, so that drift hits all alike."""

import json
import os
import platform
import random
import shutil
import time

from .programs import reason, run


def machine():
    """What the figures were taken on."""
    cpu, memory = "unknown", "unknown"
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            cpu = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), cpu)
        with open("/proc/meminfo", encoding="utf-8") as file:
            memory = f"{round(int(file.readline().split()[1]) / 2**20)} GiB"
    except (OSError, ValueError, IndexError):
        pass
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "memory": memory,
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
    }


def pinned(command):
    """On one core, the last one, where that can be had."""
    if shutil.which("taskset") is None:
        return command
    return ["taskset", "-c", str(max(os.sched_getaffinity(0))), *command]


def hold(programs, rounds, milliseconds, file, resumed):
    """Runs the rounds that `file` does not hold yet, and returns all measurements and the failures of programs."""
    measured = [json.loads(line) for line in file.read_text().splitlines()] if resumed and file.exists() else []
    if not measured:
        file.write_text("")
    done = {(line["round"], line["program"]) for line in measured}
    failures = {}
    for number in range(rounds):
        order = list(programs)
        random.Random(number).shuffle(order)
        started = time.monotonic()
        for program in order:
            if (number, program.name) in done or program.name in failures:
                continue
            lines, failure = once(program, milliseconds)
            if failure:
                failures[program.name] = failure
                continue
            lines = [{"round": number, "program": program.name, **line} for line in lines]
            measured += lines
            with file.open("a", encoding="utf-8") as out:
                out.writelines(json.dumps(line) + "\n" for line in lines)
        print(f"round {number + 1} of {rounds}: {time.monotonic() - started:.0f} s", flush=True)
    # A program that failed once is out: a median over fewer rounds would not be of the same sitting.
    return [line for line in measured if line["program"] not in failures], failures


def once(program, milliseconds):
    command, env = program.start()
    ended = run(pinned([*command, "--ms", str(milliseconds)]), env=env, limit=180)
    if ended.returncode != 0:
        return [], f"does not run: {reason(ended)}"
    try:
        return [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")], None
    except json.JSONDecodeError as error:
        return [], f"says what is not JSON: {error}"
