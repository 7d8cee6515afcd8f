//! The hosts: a folder each, with a table and the two functions.

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

/// Every host that this crate answers, the most used first.
pub fn all() -> &'static [&'static dyn Host] {
    &[
        &claude::Claude,
        &codex::Codex,
        &copilot::Copilot,
        &vscode::VsCode,
        &gemini::Gemini,
        &antigravity::Antigravity,
        &cursor::Cursor,
        &windsurf::Windsurf,
        &kiro::Kiro,
        &qwen::Qwen,
        &droid::Droid,
        &goose::Goose,
        &cline::Cline,
    ]
}

/// The host of this name, such as `claude`.
pub fn find(name: &str) -> Option<&'static dyn Host> {
    all().iter().copied().find(|host| host.table().name == name)
}
