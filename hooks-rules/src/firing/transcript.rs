use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};

use hooks_core::data::{Message, Role};
use serde_json::{Value, json};

use super::files::SessionFiles;
use crate::alias::Aliases;

/// Writes what was said into a file for each conversation, one message per line, as scripts expect it: in the form of
/// Anthropic, with the calls of tools and their results, each as it is stored.
#[derive(Debug, Default)]
pub(crate) struct Transcripts {
    /// What was written of an answer before it is stored, by conversation.
    ahead: Mutex<HashMap<String, u64>>,
}

impl Transcripts {
    /// Adds a message that was stored, unless it is there already.
    pub(crate) fn add(&self, files: &SessionFiles, aliases: &Aliases, conversation: &str, message: &Message) {
        let line = line(aliases, message);
        if self.lock().remove(conversation) != Some(print(&line)) {
            write(files, conversation, &line);
        }
    }

    /// Adds an answer that is about to be stored, before the rules that may read it.
    pub(crate) fn add_ahead(&self, files: &SessionFiles, aliases: &Aliases, conversation: &str, message: &Message) {
        let line = line(aliases, message);
        if write(files, conversation, &line) {
            self.lock().insert(conversation.to_owned(), print(&line));
        }
    }

    /// The session is over.
    pub(crate) fn forget(&self, conversation: &str) {
        self.lock().remove(conversation);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, u64>> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One line of a transcript.
fn line(aliases: &Aliases, message: &Message) -> String {
    // Results of tools are the user's there.
    let role = if message.role == Role::Tool { Role::User } else { message.role };
    let mut content = message.to_anthropic()["content"].take();
    if let Value::String(text) = content {
        content = json!([{ "type": "text", "text": text }]);
    }
    for block in content.as_array_mut().into_iter().flatten().filter(|block| block["type"] == "tool_use") {
        if let Some(name) = block["name"].as_str().map(|name| aliases.on_the_wire(name).to_owned()) {
            block["name"] = name.into();
        }
    }
    let role = role.as_str();
    json!({ "type": role, "message": { "role": role, "content": content } }).to_string() + "\n"
}

fn print(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

/// Writes the line whole or not at all; whether it is there now. A conversation goes on without its transcript.
fn write(files: &SessionFiles, conversation: &str, line: &str) -> bool {
    let written = files.transcript(conversation).and_then(|path| {
        let mut file = SessionFiles::open(&path)?;
        let before = file.metadata()?.len();
        file.write_all(line.as_bytes()).inspect_err(|_| {
            // Half a line would spoil the next one too.
            let _ = file.set_len(before);
        })
    });
    written.inspect_err(|error: &io::Error| warn(conversation, error)).is_ok()
}

fn warn(conversation: &str, error: &io::Error) {
    tracing::warn!(target: "hooks_rules", conversation, %error, "a transcript cannot be written");
}
