//! The misbehaving commands, and the expected end of each.

use std::path::Path;

use serde_json::{Value, json};

/// The expected end of a dispatch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expected {
    /// With exit code 2: the prompt is rejected.
    Blocks,
    /// With this exit code, without an effect.
    Answered(i32),
    /// With a failure with this text, without an effect.
    Failed(&'static str),
    /// In the background.
    Detached,
}

impl Expected {
    pub(crate) fn fits(&self, observed: &str) -> bool {
        match self {
            Self::Blocks => observed == "answered 2",
            Self::Answered(code) => observed == format!("answered {code}"),
            Self::Failed(words) => observed.contains(words),
            Self::Detached => observed == "Detached",
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) handler: Value,
    pub(crate) expected: Expected,
    /// Whether it is expensive and therefore fired only occasionally.
    pub(crate) rare: bool,
}

impl Case {
    pub(crate) fn text(&self) -> String {
        json!({"hooks": {"UserPromptSubmit": [{"hooks": [self.handler]}]}}).to_string()
    }
}

const LATE: Expected = Expected::Failed("it timed out");

/// All cases. `folder` is the mark by which their processes are found, and contains the necessary files.
pub(crate) fn all(folder: &Path) -> Vec<Case> {
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let mark = folder.display();
    let shell = |name, line: &str, timeout: f64, expected| {
        let line = format!("export MARK='{mark}'\n{line}");
        let handler = json!({"type": "command", "command": line, "timeout": timeout});
        Case { name, handler, expected, rare: false }
    };
    let leaves = |name, line: &str, expected| shell(name, line, 60.0, expected);
    let endless = |name, line: &str| shell(name, line, 0.2, LATE);
    let exec = |name, program: &str, args: &[&str], timeout: f64, expected| {
        let handler = json!({"type": "command", "command": program, "args": args, "timeout": timeout});
        Case { name, handler, expected, rare: false }
    };
    let plain = file("not_executable.sh", "echo ran\n");
    let rare = |case: Case| Case { rare: true, ..case };
    vec![
        leaves("prints nothing", "true", Expected::Answered(0)),
        leaves("missing", "/is/not/there", Expected::Failed("it exited with code 127")),
        exec(
            "missing, exec form",
            "/is/not/there",
            &["x"],
            60.0,
            Expected::Failed("it could not be started: No such file"),
        ),
        leaves("not executable", &plain, Expected::Failed("it exited with code 126")),
        exec(
            "not executable, exec form",
            &plain,
            &[],
            60.0,
            Expected::Failed("it could not be started: Permission denied"),
        ),
        exec("a folder, exec form", "/tmp", &[], 60.0, Expected::Failed("it could not be started: Permission denied")),
        leaves("no shell line", "if then fi (", Expected::Blocks),
        exec("exec form", "true", &["--$HOME"], 60.0, Expected::Answered(0)),
        exec("exec form, never ends", "sleep", &["1000"], 0.2, LATE),
        leaves("exits 1", "echo no >&2; exit 1", Expected::Failed("it exited with code 1: no")),
        leaves("exits 2 late", "sleep 0.1; exit 2", Expected::Blocks),
        leaves("exits 2, huge stderr", "head -c 3000000 /dev/zero >&2; exit 2", Expected::Blocks),
        leaves("exits 2, huge stdout", "head -c 3000000 /dev/zero; exit 2", Expected::Blocks),
        leaves("kills itself", "kill -9 $$", Expected::Failed("it was killed by signal 9")),
        leaves("crashes", "kill -SEGV $$", Expected::Failed("it was killed by signal 11")),
        leaves("closes stdin", "exec <&-; sleep 0.02", Expected::Answered(0)),
        leaves("closes everything", "exec <&- >&- 2>&-; sleep 0.02", Expected::Answered(0)),
        leaves("never reads its input", "sleep 0.02", Expected::Answered(0)),
        leaves("reads a part of its input", "head -c 1000 >/dev/null", Expected::Answered(0)),
        leaves("no JSON", "echo '{broken}'", Expected::Failed("looks like an answer in JSON but is not valid")),
        leaves("no UTF-8", r"printf '\377\376 \360\237'", Expected::Answered(0)),
        // Plain text is truncated. A truncated answer is not valid.
        leaves("prints 3 MB", "head -c 3000000 /dev/zero", Expected::Answered(0)),
        leaves(
            "3 MB of JSON",
            "printf '{'; head -c 3000000 /dev/zero | tr '\\0' ' '",
            Expected::Failed("more than 1 MiB"),
        ),
        leaves("3 MB on stderr", "head -c 3000000 /dev/zero >&2", Expected::Answered(0)),
        leaves("leaves a child", "sleep 1000 & sleep 1000 & exit 0", Expected::Answered(0)),
        leaves("leaves a child, exits 2", "sleep 1000 & exit 2", Expected::Blocks),
        leaves("forks twice", "(sleep 1000 & (sleep 1000 &) &) & exit 0", Expected::Answered(0)),
        leaves("leaves a child in a group of its own", "set -m; sleep 1000 & exit 0", Expected::Answered(0)),
        leaves("leaves a child in a session of its own", "setsid sleep 1000 & sleep 0.02", Expected::Answered(0)),
        leaves("goes on alone", "echo '{\"async\": true}'; sleep 0.02", Expected::Detached),
        endless("never ends", "sleep 1000"),
        endless("never ends, and works", "while :; do :; done"),
        endless("never ends, and prints", "yes"),
        endless("never ends, and prints to stderr", "yes >&2"),
        endless("ignores signals", "trap '' TERM INT HUP; while :; do sleep 1; done"),
        endless("waits for a child", "sleep 1000 & wait"),
        endless("waits for a session of its own", "setsid sleep 1000"),
        endless("waits for a group of its own", "set -m; sleep 1000 & wait"),
        endless("forks twice into a session of its own, and waits", "setsid sh -c 'sleep 1000 & exit 0' & sleep 1000"),
        endless("starts many", "for i in 1 2 3 4 5 6 7 8; do (sleep 1000 & sleep 1000) & done; wait"),
        // With enough time for a busy machine.
        rare(shell("prints 1 GB", "head -c 1000000000 /dev/zero", 600.0, Expected::Answered(0))),
        rare(shell(
            "prints 1 GB to stderr, exits 2",
            "head -c 1000000000 /dev/zero >&2; exit 2",
            600.0,
            Expected::Blocks,
        )),
    ]
}
