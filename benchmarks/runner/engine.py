"""The engine that is measured: its commit, and a hash of its sources, by which a test of the book finds out whether it changed."""

import hashlib
import os
import subprocess
import sys

from .programs import HERE, run

ROOT = HERE.parent
SOURCES = ("hooks-core/src", "hooks-macros/src")


def measured():
    """The commit and the hash of what is about to be measured. Ends the program where no commit contains it."""
    git = ["git", "-C", str(ROOT)]
    head = run([*git, "rev-parse", "--short=12", "HEAD"])
    if head.returncode != 0:
        sys.exit("the tables name the commit that was measured, and this is no Git repository: nothing is written without one (--quick)")
    if run([*git, "status", "--porcelain", "--", *SOURCES]).stdout.strip():
        sys.exit(f"the tables name the commit that was measured: commit the changes in {' and '.join(SOURCES)} first")
    return {"commit": head.stdout.strip(), "sources": sources()}


def sources():
    """SHA-256 over path, length and text of each source. `docs-tests/tests/written/measured.rs` computes the same."""
    files = {file.relative_to(ROOT).as_posix(): file for folder in SOURCES for file in (ROOT / folder).rglob("*.rs")}
    digest = hashlib.sha256()
    for name in sorted(files):
        text = files[name].read_bytes()
        digest.update(f"{name}\n{len(text)}\n".encode() + text)
    return digest.hexdigest()


def write_pages():
    """Has the book write the figures that its pages repeat."""
    command = ["cargo", "test", "--quiet", "--package", "docs-tests", "--test", "it", "measured"]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"UPDATE_BOOK": "1"}, check=False)
    if done.returncode != 0:
        sys.exit("the figures are written, and the pages that repeat them are not")
