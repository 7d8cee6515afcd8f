//! Parses rule files and reports each defect with its position. A defect affects only the entry that contains it.

mod locks;
mod other_programs;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

pub(crate) use locks::Locks;

use crate::dialect::Dialect;
use crate::event::Event;
use crate::formats;
use crate::json_type::json_type_name;
use crate::rule::{Rule, RuleId, fingerprint};
use crate::syntax::{
    self, Defect, Draft, Drafts, Entry, Flaw, Flaws, Json, Lines, MOST, Node, OF_FILE, items, warn_of_keys,
};

/// A parsed rule file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RuleFile {
    /// The file.
    pub file: Arc<Path>,
    /// Its dialect.
    pub dialect: Dialect,
    /// Its rules, in the order of the text.
    pub rules: Vec<Rule>,
    /// Its defects, in the order of the text.
    pub defects: Vec<Defect>,
    /// Whether the file sets `disableAllHooks`.
    pub disabled: bool,
    /// Whether the text could be parsed. If not, the rules of an earlier version should stay in use.
    pub readable: bool,
    /// What it forbids to rules. `None` if no version of it could be read.
    #[cfg_attr(not(feature = "runner"), allow(dead_code, reason = "the runner reads it"))]
    pub(crate) locks: Option<Locks>,
    /// Whether the file is not trusted yet.
    #[cfg_attr(not(feature = "runner"), allow(dead_code, reason = "the runner reads it"))]
    pub(crate) waits: bool,
    /// A fingerprint of the text.
    #[cfg_attr(not(feature = "runner"), allow(dead_code, reason = "the runner reads it"))]
    pub(crate) fingerprint: u64,
}

impl RuleFile {
    /// Parses the text of a file. This never fails: errors are in [`defects`](Self::defects).
    ///
    /// ```
    /// use hooks_rules::{Dialect, Event, RuleFile};
    ///
    /// let text = r#"{"hooks": {"PreToolUse": [
    ///     {"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh"}]},
    ///     {"matcher": {"tool": "Bash"}, "hooks": [{"type": "command", "command": "./other.sh"}]}
    /// ]}}"#;
    /// let file = RuleFile::read("hooks.json", text);
    /// assert_eq!((file.dialect, file.rules.len(), file.defects.len()), (Dialect::Claude, 1, 1));
    /// assert_eq!((file.rules[0].event, file.rules[0].line), (Event::PreToolUse, 2));
    /// assert!(file.defects[0].to_string().contains("--> hooks.json:3:17"));
    /// ```
    pub fn read(file: impl AsRef<Path>, text: &str) -> Self {
        Self::read_as(file, text, None)
    }

    /// Like [`read`](Self::read), for a file whose dialect is known.
    pub fn read_as(file: impl AsRef<Path>, text: &str, dialect: Option<Dialect>) -> Self {
        let file: Arc<Path> = file.as_ref().into();
        let lines = Lines::of(text);
        let mut flaws = Flaws::default();
        let parsed = syntax::parse(text, &mut flaws).and_then(|root| {
            if root.entries().is_some() {
                return Ok(root);
            }
            let problem = format!("a file of rules is an object, not {}", json_type_name(&root.value()));
            Err(Flaw::error(root.span.clone(), problem, "write `{\"hooks\": {…}}`"))
        });
        let mut drafts = Drafts::default();
        let (mut form, mut disabled, mut readable) = (dialect.unwrap_or_default(), false, true);
        let mut locks = None;
        match parsed {
            Err(flaw) => {
                readable = false;
                flaws.push(flaw);
            }
            Ok(root) => {
                disabled = root.get("disableAllHooks").is_some_and(|node| node.value() == Value::Bool(true));
                if let (true, Some(entry)) = (disabled, root.entry("disableAllHooks")) {
                    let problem = "`disableAllHooks` switches every rule of this file off";
                    flaws.push(Flaw::warning(entry.key_span.clone(), problem, "remove it, or write `false`"));
                }
                locks = Some(Locks::read(&root, &mut flaws));
                let entries = root.entries().unwrap_or_default();
                warn_of_keys(entries, OF_FILE, &mut flaws, |_| ", so no rule under it runs");
                if dialect.is_none() && other_programs::warn(&file, &root, &mut flaws) {
                    // The file belongs to another program, so none of it is meant for this one.
                } else if let Some(hooks) = map(&root, dialect, &mut flaws) {
                    form = dialect.unwrap_or_else(|| formats::recognised(&file, &root, hooks, &mut flaws));
                    for entry in hooks {
                        of_event(entry, form, &mut drafts, &mut flaws);
                    }
                }
            }
        }
        if let Some(span) = drafts.over.take() {
            let problem = format!("a file has at most {MOST} rules; this one and those after it do not run");
            flaws.push(Flaw::error(span, problem, "put the others into a second file"));
        }
        let rules = finish(drafts.kept, form, &file, text, &lines);
        let defects = Defect::place(&file, text, &lines, flaws);
        Self {
            file,
            dialect: form,
            rules,
            defects,
            disabled,
            readable,
            locks,
            waits: false,
            fingerprint: text_fingerprint(text),
        }
    }

    /// Creates the result for a file that could not be read.
    #[cfg(feature = "runner")]
    pub(crate) fn unreadable(file: &Path, problem: &str, help: &str) -> Self {
        let file: Arc<Path> = file.into();
        let defects = vec![Defect::of_file(&file, problem, help)];
        let (dialect, fingerprint) = (Dialect::default(), text_fingerprint(problem));
        let rules = Vec::new();
        Self { file, dialect, rules, defects, disabled: false, readable: false, locks: None, waits: false, fingerprint }
    }
}

fn text_fingerprint(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The map from events to lists: under `hooks`, or at the top level of a flat file.
fn map<'a>(root: &'a Node, dialect: Option<Dialect>, flaws: &mut Flaws) -> Option<&'a [Entry]> {
    let entries = root.entries()?;
    match root.entry("hooks") {
        Some(entry) => entry.node.entries().or_else(|| {
            let problem = format!("`hooks` maps events to lists; this is {}", json_type_name(&entry.node.value()));
            flaws.push(Flaw::error(entry.node.span.clone(), problem, "write `\"hooks\": {\"PreToolUse\": […]}`"));
            None
        }),
        None if entries.iter().any(|entry| Event::named(&entry.key).is_some()) => {
            let nodes = || entries.iter().flat_map(|entry| items(&entry.node)).filter(|node| node.entries().is_some());
            let is_flat = nodes().next().is_some() && nodes().all(|node| node.get("hooks").is_none());
            if dialect.map_or(is_flat, |dialect| formats::of(dialect).may_leave_out_hooks()) {
                return Some(entries);
            }
            flaws.push(Flaw::error(
                root.span.start..root.span.start + 1,
                "the events are not under `hooks`, so no rule of this file runs",
                "write `{\"hooks\": {…}}` around them",
            ));
            None
        }
        // A settings file without hooks.
        None => None,
    }
}

fn of_event(entry: &Entry, form: Dialect, drafts: &mut Drafts, flaws: &mut Flaws) {
    // Metadata of a file whose events are not under `hooks`.
    if entry.key.starts_with('$') || matches!(entry.key.as_str(), "description" | "version") {
        return;
    }
    let Some(event) = Event::named(&entry.key) else {
        if let Some(program) = other_programs::event_of(&entry.key) {
            let problem = format!("`{}` is an event of {program}; its rules never run here", entry.key);
            flaws.push(Flaw::warning(entry.key_span.clone(), problem, "keep it in the file of that program"));
            return;
        }
        let meant = if flaws.enough_warnings() { None } else { Event::meant_by(&entry.key) };
        let help = match meant {
            Some(meant) => format!("write `{meant}`"),
            None => "write one of the events in the chapter on rules".to_owned(),
        };
        flaws.push(Flaw::warning(entry.key_span.clone(), format!("there is no event `{}`", entry.key), help));
        return;
    };
    let format = formats::of(form);
    if !format.knows(event) {
        let problem = format!("a flat file has no event `{event}`");
        let help = "write the file in nested groups, `[{\"hooks\": [{…}]}]`, to use it";
        flaws.push(Flaw::error(entry.key_span.clone(), problem, help));
        return;
    }
    if event.spec().kind.is_none() {
        let problem = format!("no kind carries `{event}`: its rules run only where an app fires it itself");
        let help = "keep them for programs that do, as with `Rules::fire`";
        flaws.push(Flaw::warning(entry.key_span.clone(), problem, help));
    }
    if matches!(entry.node.json, Json::Plain(_)) {
        let problem = format!("`{event}` has a list of rules; this is {}", json_type_name(&entry.node.value()));
        flaws.push(Flaw::error(entry.node.span.clone(), problem, "write a list, `[…]`"));
        return;
    }
    if let (false, Json::Object(_)) = (format.takes_one(), &entry.node.json) {
        let problem = format!("`{event}` has a list of groups; other programs reject a single one");
        flaws.push(Flaw::warning(entry.node.span.clone(), problem, "put it into a list, `[{…}]`"));
    }
    for node in items(&entry.node) {
        if drafts.are_full(node) {
            return;
        }
        format.entry(event, node, drafts, flaws);
    }
}

/// Assigns ids and positions to the drafts.
fn finish(drafts: Vec<Draft>, dialect: Dialect, file: &Arc<Path>, text: &str, lines: &Lines) -> Vec<Rule> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let rule = |draft: Draft| {
        let id = fingerprint(draft.event, draft.written_matcher.as_ref(), &draft.handler);
        let count = seen.entry(id.clone()).and_modify(|count| *count += 1).or_insert(1);
        let id = if *count > 1 { format!("{id}_{count}") } else { id };
        let (line, column) = lines.place(text, draft.span.start);
        let parts = draft.parts;
        Rule {
            id: RuleId::new(id),
            dialect,
            event: draft.event,
            matcher: draft.matcher,
            written_matcher: draft.written_matcher,
            filter: parts.filter,
            action: parts.action,
            timeout: parts.timeout,
            timeout_is_written: parts.timeout_is_written,
            on_failure: parts.on_failure,
            on_failure_is_written: parts.on_failure_is_written,
            detached: parts.detached,
            wakes: parts.wakes,
            once: parts.once,
            status_message: parts.status_message,
            file: Arc::clone(file),
            line,
            column,
        }
    };
    drafts.into_iter().map(rule).collect()
}
