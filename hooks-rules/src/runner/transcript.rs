use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};

use hook_sdk::data::{Message, Role};
use serde_json::{Value, json};

use super::session_files::SessionFiles;
use crate::aliases::Aliases;

/// Writes the messages of each conversation to a file, one per line, in the format that scripts expect: Anthropic's,
/// with tool calls and results, each as it is stored.
#[derive(Debug, Default)]
pub(crate) struct Transcripts {
    /// Fingerprints of answers that were written before they were stored, by conversation.
    ahead: Mutex<HashMap<String, u64>>,
}

impl Transcripts {
    /// Appends a stored message, unless it was already written.
    pub(crate) fn add(&self, files: &SessionFiles, aliases: &Aliases, conversation: &str, message: &Message) {
        let line = line(aliases, message);
        if self.lock().remove(conversation) != Some(fingerprint(&line)) {
            write(files, conversation, &line);
        }
    }

    /// Appends an answer that is about to be stored, so that rules can read it.
    pub(crate) fn add_ahead(&self, files: &SessionFiles, aliases: &Aliases, conversation: &str, message: &Message) {
        let line = line(aliases, message);
        if write(files, conversation, &line) {
            self.lock().insert(conversation.to_owned(), fingerprint(&line));
        }
    }

    /// Removes the state of a session that has ended.
    pub(crate) fn forget(&self, conversation: &str) {
        self.lock().remove(conversation);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, u64>> {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A line of a transcript.
fn line(aliases: &Aliases, message: &Message) -> String {
    // In this format, tool results are messages of the user.
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

fn fingerprint(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

/// Writes the line completely or not at all. Returns whether it was written. A failure does not stop the conversation.
fn write(files: &SessionFiles, conversation: &str, line: &str) -> bool {
    let written = files.transcript(conversation).and_then(|path| {
        let mut file = SessionFiles::open(&path)?;
        let before = file.metadata()?.len();
        file.write_all(line.as_bytes()).inspect_err(|_| {
            // A partial line would corrupt the next one.
            let _ = file.set_len(before);
        })
    });
    written.inspect_err(|error: &io::Error| warn(conversation, error)).is_ok()
}

fn warn(conversation: &str, error: &io::Error) {
    tracing::warn!(target: "hooks_rules", conversation, %error, "a transcript cannot be written");
}
