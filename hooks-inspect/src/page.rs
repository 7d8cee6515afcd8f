//! The page: its parts, what it knows of the program, and the lines of recordings.

#[cfg(feature = "store")]
pub(crate) mod stored;

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::sync::LazyLock;

use hook_sdk::manifest::Manifest;
use hook_sdk::{HookSet, Registry};
use hooks_replay::{ReplayReport, SCHEMA};
use serde::Serialize;
use serde::de::IgnoredAny;

use crate::policy::policy;

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
/// Without comments and indentation, which are for who reads the sources.
static SCRIPT: LazyLock<String> = LazyLock::new(|| {
    let sources = concat!(
        include_str!("page/data.js"),
        include_str!("page/views.js"),
        include_str!("page/live.js"),
        include_str!("page/route.js"),
    );
    let lines = sources.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.fold(String::new(), |script, line| script + line + "\n")
});

/// A page about a program and its recordings.
#[derive(Clone, Debug, Default, Serialize)]
pub struct HooksPage {
    program: String,
    schema: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    manifest: Option<Manifest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scopes: Option<Vec<Scope>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    audit: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<serde_json::Value>,
    /// The names of the recordings, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    /// Whether there is a store, and what was read of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<serde_json::Value>,
    /// Whether the store has more dispatches than the page.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    older: bool,
    /// Lines that come after those of recordings, which may have the same dispatches with their payloads.
    #[serde(skip)]
    logged: Vec<String>,
}

/// Which hooks run for an agent and a prompt.
#[derive(Clone, Debug, Serialize)]
struct Scope {
    owners: String,
    plan: Vec<Planned>,
    left_out: Vec<LeftOut>,
}

#[derive(Clone, Debug, Serialize)]
struct Planned {
    kind: &'static str,
    hook: String,
    stage: usize,
    text: String,
}

#[derive(Clone, Debug, Serialize)]
struct LeftOut {
    kind: &'static str,
    hook: String,
    why: String,
}

impl HooksPage {
    /// Creates a page about a program.
    pub fn new(program: impl Into<String>) -> Self {
        Self { program: program.into(), schema: SCHEMA, ..Self::default() }
    }

    /// Adds the hooks of the program: their documentation, their place in the source, their options.
    #[must_use]
    pub fn registry(mut self, registry: &Registry) -> Self {
        self.manifest = Some(registry.manifest());
        self
    }

    /// Adds a scope: which hooks run in which order, and why others do not.
    #[must_use]
    pub fn scope(mut self, set: &HookSet) -> Self {
        let kinds = || self.manifest.iter().flat_map(|manifest| &manifest.kinds).map(|kind| kind.kind.name);
        let plan = kinds().flat_map(|kind| {
            let planned = move |hook: hook_sdk::PlannedHook<'_>| Planned {
                kind,
                hook: hook.hook().to_string(),
                stage: hook.stage(),
                text: hook.to_string(),
            };
            set.plan(kind).map(planned).collect::<Vec<_>>()
        });
        let left_out = kinds().flat_map(|kind| {
            let left_out =
                move |(hook, why): (&hook_sdk::HookId, String)| LeftOut { kind, hook: hook.to_string(), why };
            set.left_out(kind).map(left_out).collect::<Vec<_>>()
        });
        let scope = Scope { owners: set.owners(), plan: plan.collect(), left_out: left_out.collect() };
        self.scopes.get_or_insert_default().push(scope);
        self
    }

    /// Adds the findings of [`Registry::audit`].
    #[must_use]
    pub fn audit(mut self, findings: impl IntoIterator<Item = impl Display>) -> Self {
        self.audit = Some(findings.into_iter().map(|finding| finding.to_string()).collect());
        self
    }

    /// Adds what the current hooks would do with the recordings.
    #[must_use]
    pub fn replay(mut self, report: &ReplayReport) -> Self {
        let mut about = serde_json::json!(report);
        about["headline"] = report.headline().into();
        about["notes"] = report.notes().into();
        self.replay = Some(about);
        self
    }

    /// Names the recordings that [`report`](Self::report) gets, in their order. With the names under which a replay read them,
    /// its differences and the dispatches lead to each other.
    #[must_use]
    pub fn files(mut self, names: impl IntoIterator<Item = impl Display>) -> Self {
        self.files = names.into_iter().map(|name| name.to_string()).collect();
        self
    }

    /// Writes the page with these recordings into one HTML file.
    ///
    /// # Errors
    /// If reading or writing fails.
    pub fn report<R: BufRead>(&self, recordings: impl IntoIterator<Item = R>, to: &mut impl Write) -> io::Result<()> {
        let about = serde_json::to_string(self)?;
        Self::write(&about, to, |to| {
            // The page counts lines: an empty one ends a recording.
            recordings
                .into_iter()
                .try_for_each(|recording| put_lines(recording, to).and_then(|()| to.write_all(b"\n")))?;
            self.logged.iter().try_for_each(|line| put_lines(line.as_bytes(), to))
        })
    }

    /// Writes the page without lines, which it asks its server for. Returns its content security policy.
    #[cfg(feature = "server")]
    pub(crate) fn live(&self, has_store: bool, to: &mut Vec<u8>) -> io::Result<String> {
        let mut about = serde_json::to_value(self)?;
        about["live"] = true.into();
        about["store"] = has_store.into();
        Self::write(&about.to_string(), to, |_| Ok(()))?;
        Ok(policy(&SCRIPT, STYLE))
    }

    /// Writes the template. Its places are filled in one pass, so that no text of a recording is taken for one.
    fn write<W: Write>(about: &str, to: &mut W, lines: impl FnOnce(&mut W) -> io::Result<()>) -> io::Result<()> {
        let mut lines = Some(lines);
        for (i, part) in TEMPLATE.split('$').enumerate() {
            // Each part but the first begins with the name of a place.
            let name = part.find(|letter: char| !letter.is_ascii_uppercase()).unwrap_or(part.len());
            let (place, rest) = if i == 0 { ("", part) } else { part.split_at(name) };
            match place {
                "POLICY" => to.write_all(policy(&SCRIPT, STYLE).as_bytes())?,
                "STYLE" => to.write_all(STYLE.as_bytes())?,
                "SCRIPT" => to.write_all(SCRIPT.as_bytes())?,
                "ABOUT" => put(about.as_bytes(), to)?,
                "LINES" => lines.take().map_or(Ok(()), |lines| lines(to))?,
                _ => {}
            }
            to.write_all(rest.as_bytes())?;
        }
        to.flush()
    }
}

/// Writes the lines of a recording.
fn put_lines(mut recording: impl BufRead, to: &mut impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    while recording.read_until(b'\n', &mut line)? > 0 {
        // The last line of a program that still writes, or that was killed, is told by nobody as one that cannot be read.
        let is_torn = !line.ends_with(b"\n") && serde_json::from_slice::<IgnoredAny>(&line).is_err();
        if !is_torn {
            put(text_of(&line).unwrap_or(Cow::Borrowed(" ")).as_bytes(), to)?;
            to.write_all(b"\n")?;
        }
        line.clear();
    }
    Ok(())
}

/// A line as the page gets it. `None` for an empty one. Bytes that are no text become a JSON string, which is no line: the page
/// counts it among those that cannot be read, as other readers do.
pub(crate) fn text_of(line: &[u8]) -> Option<Cow<'_, str>> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    let text = String::from_utf8_lossy(line);
    match &text {
        _ if line.is_empty() => None,
        Cow::Borrowed(_) => Some(text),
        Cow::Owned(lossy) => Some(serde_json::Value::from(&**lossy).to_string().into()),
    }
}

/// Writes JSON so that it cannot end the element that it is in: in JSON, `<` occurs only in strings.
fn put(json: &[u8], to: &mut impl Write) -> io::Result<()> {
    for (i, part) in json.split(|byte| *byte == b'<').enumerate() {
        if i > 0 {
            to.write_all(b"\\u003c")?;
        }
        to.write_all(part)?;
    }
    Ok(())
}
