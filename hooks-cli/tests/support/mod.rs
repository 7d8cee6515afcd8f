//! Runs the program, and compares its output with snapshots.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// A rule that shows whether it ran.
pub(crate) const RULES: &str =
    r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "touch ran"}]}]}}"#;

/// A folder with a `hooks.json`.
pub(crate) fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hooks.json"), RULES).unwrap();
    folder
}

/// The output and the exit status of the program.
pub(crate) struct Said {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: Option<i32>,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code(),
        }
    }
}

impl Said {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}\n{}", self.out, self.err))
    }
}

pub(crate) fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.current_dir(folder).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    // The user who runs the tests may have settings and trust files.
    command.env("HOME", folder).env_remove("XDG_CONFIG_HOME");
    command.env("HOOKS_MANAGED_SETTINGS", folder.join("managed"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn hooks_with(folder: &Path, args: &[impl AsRef<OsStr>], input: &[u8]) -> Said {
    let mut child = program(folder).args(args).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A program that does not read its input closes the pipe.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output.into()
}

pub(crate) fn hooks(folder: &Path, args: &[impl AsRef<OsStr>]) -> Said {
    hooks_with(folder, args, b"")
}

/// `text` without parts that differ from run to run.
pub(crate) fn settled(text: &str) -> String {
    let mut settled = String::new();
    for line in text.lines() {
        let line = match line.split_once(" after ") {
            Some((before, after)) if before.contains("exit status") || before.contains("done") => {
                let rest = after.split_once(" ms").map_or("", |(_, rest)| rest);
                format!("{before} after 3 ms{rest}")
            }
            _ => line.to_owned(),
        };
        let line = match line.split_once("\"duration_ms\": ") {
            Some((before, _)) => format!("{before}\"duration_ms\": 3,"),
            None => line,
        };
        settled.push_str(line.trim_end());
        settled.push('\n');
    }
    settled.trim_end().to_owned() + "\n"
}

/// Compares with `tests/snapshots/<name>`; `UPDATE_SNAPSHOTS=1` writes it.
#[track_caller]
pub(crate) fn assert_snapshot(name: &str, text: &str) {
    let file = data("snapshots").join(name);
    let text = settled(text);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some_and(|value| value == "1") {
        std::fs::write(&file, &text).unwrap();
    }
    let there = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        there,
        text,
        "{}: UPDATE_SNAPSHOTS=1 cargo test -p hooks-cli --all-features --test it outputs rewrites it",
        file.display()
    );
}
