"""The programs: how each is built, and how it is started."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent


class Unavailable(Exception):
    """A program that cannot take part, and why."""


@dataclass
class Rust:
    """A crate in `folder`, member of the workspace here or a workspace of its own (`target` names its build folder).

    Its program is `bench-` and the name of the folder, and what `which` says of those that have several."""

    name: str
    folder: str
    target: str = "rust"
    # Tried one after the other until one builds: toolchain, further arguments of `cargo build`.
    attempts: list = field(default_factory=lambda: [(None, [])])
    which: str = ""
    toolchain: str = ""

    def build(self, place):
        need("cargo")
        target, why = place / "target" / self.target, ""
        for toolchain, arguments in self.attempts:
            rust = [f"+{toolchain}"] if toolchain else []
            command = ["cargo", *rust, "build", "--release", "--locked", *arguments]
            done = run(command, cwd=HERE / self.folder, env={"CARGO_TARGET_DIR": str(target)}, limit=3600)
            if done.returncode == 0:
                self.toolchain = first_line(["rustc", *rust, "--version"])
                self.command = [str(target / "release" / f"bench-{Path(self.folder).name}{self.which}")]
                return
            why = why or reason(done)
        raise Unavailable(f"does not build: {why}")

    def start(self):
        return self.command, {}


@dataclass
class Python:
    """A script with the packages of `requirements`, in a virtual environment of its own."""

    name: str
    script: str
    requirements: str
    toolchain: str = ""

    def build(self, place):
        environment = place / "venvs" / self.name
        python = environment / "bin" / "python"
        pins = HERE / "peers" / "python" / self.requirements
        installed = environment / "installed.txt"
        if not (installed.exists() and installed.read_text() == pins.read_text()):
            if run([sys.executable, "-m", "venv", str(environment)]).returncode != 0:
                raise Unavailable("no virtual environment can be made: is the module `venv` installed?")
            done = run([str(python), "-m", "pip", "install", "--quiet", "--requirement", str(pins)], limit=1200)
            if done.returncode != 0:
                raise Unavailable(f"does not install: {reason(done)}")
            installed.write_text(pins.read_text())
        self.toolchain = first_line([str(python), "--version"])
        self.command = [str(python), str(HERE / "peers" / "python" / self.script)]

    def start(self):
        return self.command, {"PYTHONDONTWRITEBYTECODE": "1"}


@dataclass
class Node:
    """A script with the packages of `package-lock.json`."""

    name: str
    script: str
    toolchain: str = ""

    def build(self, place):
        need("node"), need("npm")
        self.modules = place / "node"
        self.modules.mkdir(parents=True, exist_ok=True)
        lock = HERE / "peers" / "node" / "package-lock.json"
        installed = self.modules / "package-lock.json"
        fresh = installed.exists() and installed.read_bytes() == lock.read_bytes()
        if not (fresh and (self.modules / "node_modules").is_dir()):
            for file in ("package.json", "package-lock.json"):
                shutil.copy(HERE / "peers" / "node" / file, self.modules / file)
            done = run(["npm", "ci", "--no-audit", "--no-fund"], cwd=self.modules, limit=600)
            if done.returncode != 0:
                installed.unlink(missing_ok=True)
                raise Unavailable(f"does not install: {reason(done)}")
        self.toolchain = f"Node {first_line(['node', '--version'])}"

    def start(self):
        return ["node", str(HERE / "peers" / "node" / self.script)], {"NODE_PATH": str(self.modules / "node_modules")}


# Its newest version asks for a newer compiler than the newest stable one here; a nightly one builds it all the same.
NEWER_THAN_STABLE = [(None, []), ("nightly", ["--ignore-rust-version"])]

OURS = [
    Rust("hook-sdk", "ours"),
    *(Rust(f"hook-sdk with {n:,} hooks linked in", "linked", which=f"-{n}") for n in (100, 1_000, 10_000)),
]
PEERS = [
    Rust("bevy_ecs", "peers/bevy"),
    Rust("tower", "peers/tower"),
    Rust("adk-plugin", "peers/adk", "adk"),
    Rust("rig-agent", "peers/rig", "rig", NEWER_THAN_STABLE),
    Rust("meerkat-hooks", "peers/meerkat", "meerkat"),
    Rust("zeroclaw", "peers/zeroclaw", "zeroclaw"),
    Node("tapable", "tapable.js"),
    Python("pluggy", "pluggy_peer.py", "pluggy.txt"),
    Python("strands-agents", "strands_peer.py", "strands.txt"),
    Python("google-adk", "google_adk_peer.py", "google-adk.txt"),
    Python("langchain", "langchain_peer.py", "langchain.txt"),
]
PROGRAMS = [*OURS, *PEERS]


def run(command, cwd=None, env=None, limit=300):
    try:
        return subprocess.run(
            command, cwd=cwd, env=os.environ | (env or {}), capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"error: not done after {limit} s")
    except OSError as error:
        return subprocess.CompletedProcess(command, 1, "", f"error: {error}")


def need(tool):
    if shutil.which(tool) is None:
        raise Unavailable(f"`{tool}` is not installed")


def first_line(command):
    return (run(command).stdout.strip().splitlines() or ["unknown"])[0]


def reason(done):
    """The first line that says what is wrong, without the paths and addresses of this machine."""
    lines = (done.stderr + done.stdout).strip().splitlines()
    told = next((line for line in lines if re.match(r"\s*(npm )?error", line, re.IGNORECASE)), lines[-1] if lines else "")
    return re.sub(r"(https?://|/)[^\s`'\"]+", "…", told.strip())[:200] or f"it ended with code {done.returncode}"
