use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;

use hooks_core::data::Message;
use serde_json::json;

/// Writes what a conversation came to into a file, one message per line, for harnesses that keep none: scripts at `Stop`
/// look for the last answer there.
#[derive(Clone, Debug)]
pub(crate) struct Transcripts {
    folder: PathBuf,
}

impl Transcripts {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The file of a session, which is there afterwards; `None` where it cannot be.
    pub(crate) fn file(&self, session: &str) -> Option<PathBuf> {
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
        let name: String = session.chars().map(plain).take(100).collect();
        let path = self.folder.join(format!("{}.jsonl", if name.is_empty() { "session" } else { &name }));
        std::fs::create_dir_all(&self.folder).and_then(|()| open(&path)).ok()?;
        Some(path)
    }

    /// Adds a message, before the rules that may read it.
    pub(crate) fn add(&self, session: &str, message: &Message) {
        let Some(path) = self.file(session) else { return };
        let role = message.role.as_str();
        let content = json!([{ "type": "text", "text": message.text() }]);
        let line = json!({ "type": role, "message": { "role": role, "content": content } });
        if let Err(error) = open(&path).and_then(|mut file| writeln!(file, "{line}")) {
            tracing::warn!(target: "hooks_rules", %error, "a transcript cannot be written");
        }
    }
}

fn open(path: &std::path::Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}
