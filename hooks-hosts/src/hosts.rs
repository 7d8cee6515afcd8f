//! The hosts: a file each, with a table and what it does otherwise than others.

mod nested;

/// What a file of a host may need.
mod prelude {
    pub(super) use serde_json::{Value, json};

    pub(super) use crate::answer::{HostAnswer, Stdout};
    pub(super) use crate::event::{HostEvent, McpName, PayloadKeys, SNAKE_CASE};
    pub(super) use crate::host::{Foreign, HOST, Host};
    pub(super) use crate::json::object;
    pub(super) use crate::place::{EntryForm, EntryPlace, TimeUnit};
    pub(super) use crate::table::Carried::{Absent, Degraded, Dropped, IfAllowed, Impossible, Yes};
    pub(super) use crate::table::{
        AFTER, AFTER_UNREAD, BEFORE, CONTEXT, Carries, DENY_ONLY, HookPoint as P, HostEventSpec, HostToolSpec, MCP,
        PROMPT, SESSION, STOP, UNSTOPPED, event, own, tool,
    };
    pub(super) use crate::verdict::{HostDecision, HostVerdict};
}

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
