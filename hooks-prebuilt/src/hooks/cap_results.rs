//! `cap_results`: a long result becomes its beginning, its end, and a pointer to the whole.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use hook_sdk::data::Block;
use hook_sdk::hook;
use hook_sdk::kinds::{AfterToolCallFailure, AfterToolCallSuccess};
use hook_sdk::prelude::*;
use wildmatch::WildMatch;

use crate::parameters::{Fields, by_pattern, from_fields};

/// The parameters of `cap_results`.
#[derive(Clone, Debug)]
pub struct CapResults {
    /// The most characters of a result.
    most: usize,
    /// The same for some tools. The most specific pattern counts.
    tools: Vec<(WildMatch, usize)>,
    /// The part that is the beginning of the result.
    head: f64,
    /// The folder to which whole results are written.
    spill: Option<PathBuf>,
}

/// Less would leave no room for the marker.
const LEAST: usize = 200;

from_fields!(CapResults, |fields: &mut Fields| {
    let most = fields.or("most", 16_000);
    let tools: BTreeMap<String, usize> = fields.or("tools", BTreeMap::new());
    let head = fields.or("head", 0.5);
    if tools.values().chain([&most]).any(|most| *most < LEAST) {
        fields.problem(format_args!("`most` and `tools` are numbers of characters, at least {LEAST}"));
    }
    if !(0.0..=1.0).contains(&head) {
        fields.problem(format_args!("`head` is {head}: write a part from 0 to 1"));
    }
    let spill: Option<PathBuf> = fields.optional("spill");
    if spill.as_ref().is_some_and(|folder| folder.as_os_str().is_empty() || folder.starts_with("~")) {
        fields.problem("`spill` is a folder such as `/var/tmp/results`, without `~`");
    }
    CapResults { most, tools: by_pattern(tools), head, spill }
});

impl CapResults {
    /// The text in at most the tool's number of characters; `None` if it fits. `name` is that of the file with the whole.
    pub fn cap(&self, tool: &str, name: &str, text: &str) -> Option<String> {
        let most = self.tools.iter().find(|(pattern, _)| pattern.matches(tool)).map_or(self.most, |(_, most)| *most);
        let count = text.chars().count();
        if count <= most {
            return None;
        }
        let kept = match &self.spill {
            None => String::new(),
            // The model can still work with the rest.
            Some(folder) => match spill(folder, name, text) {
                Ok(file) => format!("; the whole is in {}", file.display()),
                Err(error) => format!("; the whole was not kept: {error}"),
            },
        };
        let marker = |left_out: usize| format!("\n[… {left_out} of {count} characters left out{kept} …]\n");
        let room = most.saturating_sub(marker(count).chars().count());
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a part of a count"
        )]
        let head = (room as f64 * self.head) as usize;
        let at = |character: usize| text.char_indices().nth(character).map_or(text.len(), |(at, _)| at);
        let (head, tail) = (&text[..at(head)], &text[at(count - (room - head))..]);
        Some(format!("{head}{}{tail}", marker(count - room)))
    }

    fn cap_result(&self, tool: &str, name: &str, result: &mut ToolResult) {
        let texts: Vec<&str> = result.content.iter().filter_map(Block::as_text).collect();
        let Some(capped) = self.cap(tool, name, &texts.join("\n")) else { return };
        // One text in place of the first; what is no text stays.
        let mut capped = Some(Block::from(capped));
        let content = result.content.iter().filter_map(|block| match block {
            Block::Text(_) => capped.take(),
            other => Some(other.clone()),
        });
        result.content = content.collect();
    }
}

/// Writes a file that nobody else may read. It never replaces one, and follows no link.
fn spill(folder: &Path, name: &str, text: &str) -> std::io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let plain: String =
        name.chars().take(80).map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    for count in 0..100 {
        let file = folder.join(if count == 0 { format!("{plain}.txt") } else { format!("{plain}-{count}.txt") });
        match options.open(&file) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            opened => {
                return opened.and_then(|mut opened| opened.write_all(text.as_bytes())).map(|()| file);
            }
        }
    }
    Err(std::io::Error::other("there are a hundred files of this name"))
}

hook_sdk::group! {
    /// Shortens long results of tools to their beginning and end, and keeps the whole in a folder.
    pub cap_results
}

// Last, so that what is kept was masked.
// A result that could not be capped is long, not dangerous.
#[hook(group = cap_results, kind = after_tool_call_success, priority = 10_000, on_failure = continue)]
fn successes(cx: &HookContext, cap: &With<CapResults>, event: &AfterToolCallSuccess, result: &mut ToolResult) {
    cap.cap_result(&event.call.name, &name_of(cx, &event.call.id), result);
}

#[hook(group = cap_results, kind = after_tool_call_failure, priority = 10_000, on_failure = continue)]
fn failures(cx: &HookContext, cap: &With<CapResults>, event: &AfterToolCallFailure, result: &mut ToolResult) {
    cap.cap_result(&event.call.name, &name_of(cx, &event.call.id), result);
}

fn name_of(cx: &HookContext, call: &str) -> String {
    cx.conversation().map_or_else(|| call.to_owned(), |conversation| format!("{conversation}-{call}"))
}
