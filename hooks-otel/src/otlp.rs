//! Recordings as OTLP/JSON, for those who have no provider: a file that a collector reads, or that is sent to `/v1/traces`.

mod attributes;
mod tree;
mod spans;

use std::io::{self, Write};

use hooks_replay::RecordingLine;
use serde_json::json;

use crate::names::CONVENTIONS;
use attributes::Attributes;
use tree::Tree;

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OtlpExport {
    /// The number of spans.
    pub spans: usize,
    /// The number of turns, calls and dispatches that were left out, because the recording has no times of them.
    pub undated: usize,
}

/// Writes the turns, calls and dispatches of a recording as one line of OTLP/JSON, without payloads. A recording has no ids of
/// spans; they follow from the ids of turns, so a second export has the same.
///
/// # Errors
/// If writing fails.
pub fn write_otlp(lines: impl IntoIterator<Item = RecordingLine>, mut to: impl Write) -> io::Result<OtlpExport> {
    let tree = Tree::of(lines);
    let mut resource = Attributes::default();
    resource.add("service.name", &*tree.program);
    let scope = json!({ "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION"),
        "attributes": Attributes::of(&[("conventions", CONVENTIONS)]) });
    let resource = json!({ "attributes": resource });
    // Span by span, because a recording can be large.
    write!(to, r#"{{"resourceSpans":[{{"resource":{resource},"scopeSpans":[{{"scope":{scope},"spans":["#)?;
    let export = spans::write_all(&tree, &mut to)?;
    to.write_all(b"]}]}]}\n")?;
    to.flush()?;
    Ok(export)
}
