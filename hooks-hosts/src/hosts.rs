//! The hosts: a file each, with a table and what it does otherwise than others.

mod nested;

mod antigravity;
mod claude;
mod cline;
mod codex;
mod copilot;
mod cursor;
mod droid;
mod gemini;
mod goose;
mod kiro;
mod qwen;
mod vscode;
mod windsurf;

use crate::host::Host;

static ALL: [&Host; 13] = [
    &claude::CLAUDE,
    &codex::CODEX,
    &copilot::COPILOT,
    &vscode::VSCODE,
    &gemini::GEMINI,
    &antigravity::ANTIGRAVITY,
    &cursor::CURSOR,
    &windsurf::WINDSURF,
    &kiro::KIRO,
    &qwen::QWEN,
    &droid::DROID,
    &goose::GOOSE,
    &cline::CLINE,
];

/// Every host that this crate answers, the most used first.
pub fn all() -> &'static [&'static Host] {
    &ALL
}

/// The host of this name, such as `claude`.
pub fn find(name: &str) -> Option<&'static Host> {
    all().iter().copied().find(|host| host.name == name)
}
