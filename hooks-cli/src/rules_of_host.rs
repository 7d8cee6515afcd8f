//! Rules as hosts are answered with them, beside the compiled hooks of the app.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[cfg(feature = "prebuilt")]
use hook_sdk::HookContext;
use hook_sdk::scope::{AppDef, HookUse};
use hook_sdk::{Hook, HookContextBuilder, Registry};
use hooks_hosts::{Host, HostEvent, HostNotes, Responder};
use hooks_replay::{RecordLimits, Recorder};
use hooks_rules::{
    Aliases, Dialect, Event, Matcher, PlainHttp, ProjectFolder, RuleInfo, RuleNote, RuleNotes, Rules, SessionInfo,
    Trust,
};
use serde_json::Value;

use crate::args::FilesArgs;
use crate::diagnostics::Diagnostic;
use crate::inputs::RuleInputs;

pub(crate) type BuildError = Box<dyn Error + Send + Sync>;

/// What the rules are loaded from: the files and what the person trusts.
pub(crate) fn sources(files: &FilesArgs) -> Vec<u8> {
    let inputs = RuleInputs::named(files).map_or_else(|output| output.err, |inputs| inputs.shown());
    let trusted = Trust::user_file().and_then(|file| std::fs::read(file).ok()).unwrap_or_default();
    [inputs.into_bytes(), trusted].concat()
}

/// Loads the rules of the files. One that does not load would be a guard that is missing, so it is an error.
/// With `record`, calls are recorded in that folder, a file for each process, by a recorder that is put in the slot. With
/// `inspects`, what is wrong with commands is a warning too.
pub(crate) fn load(
    registry: Registry,
    library: &[Arc<Hook>],
    files: &FilesArgs,
    record: Option<(&Path, &OnceLock<Recorder>)>,
    inspects: bool,
) -> Result<Responder, BuildError> {
    // A probe of `doctor` is no traffic.
    if let Some((folder, slot)) = record.filter(|_| std::env::var_os("HOOKS_PROBE").is_none()) {
        let failed = |error: std::io::Error| format!("--record {}: {error}", folder.display());
        std::fs::create_dir_all(folder).map_err(failed)?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let file = folder.join(format!("{since}-{}.jsonl", std::process::id()));
        let recorder = Recorder::create(file, "hooks host", RecordLimits::default()).map_err(failed)?;
        registry.observe(recorder.clone());
        let _ = slot.set(recorder);
    }
    if files.files.is_empty() {
        let has_hooks = !registry.hooks().is_empty();
        return if has_hooks {
            Ok(Responder::new(registry)?)
        } else {
            Err("no rules are named: `--rules FILE`".into())
        };
    }
    let rules = loaded(library, files)?;
    let mut responder = responder(registry, &rules)?;
    let found = if inspects { rules.inspect() } else { Vec::new() };
    for warning in found.into_iter().map(Diagnostic::from).filter(Diagnostic::is_warning) {
        responder = responder.warn(warning.on_a_line());
    }
    if files.project_dir.is_none() {
        responder = responder.surround(in_project);
    }
    Ok(responder)
}

/// The rules, beside the compiled hooks of the app.
///
/// # Errors
/// What keeps a rule from running.
pub(crate) fn responder(registry: Registry, rules: &Rules) -> Result<Responder, BuildError> {
    let of_event = |event: Event| HookUse::id(&event.hook_id());
    let between = ["rules_conversation", "rules_tool_result"].map(HookUse::id);
    let of_rules: Vec<HookUse> = Event::all().map(of_event).chain(between).collect();
    let compiled: Vec<HookUse> = match registry.app().hooks.clone() {
        Some(named) => named,
        None => registry.hooks().iter().map(|hook| HookUse::id(hook.id().as_str())).collect(),
    };
    let has_compiled = !compiled.is_empty();
    let mut installed = rules.install(&registry)?;
    // Only now it is known whether there are the compiled hooks that rules name.
    without_errors(rules.defects().into_iter().map(Diagnostic::from))?;
    // What a loop needs between its events, a host never fires.
    let fires = |rule: &&RuleInfo| rule.enabled && rule.event != Event::SubagentStop;
    let wanted: Vec<HookUse> = rules.list().iter().filter(fires).map(|rule| of_event(rule.event)).collect();
    installed.retain(|hook| !of_rules.contains(hook) || wanted.contains(hook));
    registry.set_app(AppDef::new("hooks").hooks(compiled.into_iter().chain(installed)));
    let drained = rules.clone();
    let waits = move || {
        let rules = drained.clone();
        Box::pin(async move {
            rules.shutdown(Duration::from_secs(3600)).await;
        }) as _
    };
    let of_results = [Event::PostToolUse, Event::PostToolUseFailure];
    let has_strict = rules.list().iter().any(|rule| rule.fails_closed && of_results.contains(&rule.event));
    let mut responder = Responder::new(registry)?.surround(surround).drain_with(waits);
    // Rules name a hook once; the list of an app may do so twice.
    #[cfg(feature = "prebuilt")]
    if !has_compiled {
        responder = responder.with_context(HookContext::builder().state(hooks_prebuilt::CountsOn).build());
    }
    if rules.list().iter().any(|rule| rule.enabled && rule.event == Event::SubagentStop) {
        responder = responder.warn("rules at `SubagentStop` never run: no host is answered at the end of a sub-agent");
    }
    let list: Vec<RuleInfo> = rules.list().into_iter().filter(|rule| rule.enabled).collect();
    responder = responder.tell_of(move |host| unselected(&list, host));
    // Beside others, nobody would miss a rule that is not what its author thinks.
    for warning in rules.defects().into_iter().map(Diagnostic::from).filter(Diagnostic::is_warning) {
        responder = responder.warn(warning.on_a_line());
    }
    Ok(responder.withhold_late(has_compiled || has_strict))
}

/// Names in the matchers of rules and in parameters of compiled hooks that no tool of a host has: what keeps a rule from ever
/// running although there are such tools, and what is only of other hosts.
fn unselected(rules: &[RuleInfo], host: &Host) -> (Vec<String>, Vec<String>) {
    let aliases = Aliases::default();
    let tools = |host: &Host| host.tools().flat_map(|tool| tool.judged_as()).collect::<Vec<_>>();
    let (here, everywhere) = (tools(host), hooks_hosts::all().iter().flat_map(|host| tools(host)).collect::<Vec<_>>());
    let with_aliases = |tools: &[&str]| -> Vec<String> {
        tools.iter().flat_map(|tool| aliases.names(tool)).map(str::to_owned).collect()
    };
    let (named_here, named_everywhere) = (with_aliases(&here), with_aliases(&everywhere));
    let (mut problems, mut notes) = (Vec::new(), Vec::new());
    let mut tell = |rule: &RuleInfo, place: &str, names: &[&str], why: &dyn Fn(&str) -> Option<(String, bool)>| {
        let gone: Vec<_> = names.iter().filter_map(|name| Some((name, why(name)?))).collect();
        for (name, (why, never)) in &gone {
            let (file, title) = (rule.file.display(), host.title);
            let said = format!("`{name}` in the {place} of {file}:{} selects nothing at {title}: {why}", rule.line);
            if *never && gone.len() == names.len() { &mut problems } else { &mut notes }.push(said);
        }
    };
    let of_server = |name: &str| {
        let is_one = name.trim_start_matches(['^', '(']).starts_with("mcp__") && !host.names_servers();
        let why = "the payload does not tell servers from tools, which keep the host's names: match these";
        is_one.then(|| (why.to_owned(), true))
    };
    let absent = |is_gone: bool| {
        let why = "the host has no such tool, or runs no hooks for it";
        is_gone.then(|| (why.to_owned(), false))
    };
    let of_tool = |event| {
        matches!(event, Event::PreToolUse | Event::PermissionRequest | Event::PostToolUse | Event::PostToolUseFailure)
    };
    for rule in rules {
        let matcher = rule.matcher.as_ref().filter(|_| of_tool(rule.event) && rule.dialect == Dialect::Claude);
        let selects = |name: &str, tools: &[String]| {
            let matcher = Matcher::read(rule.dialect, rule.event, Some(&name.into()));
            // Within an expression, a name selects those that contain it.
            matcher.is_ok_and(|matcher| tools.iter().any(|tool| matcher.selects(tool) || tool.contains(name)))
        };
        let is_gone = |name: &str| !selects(name, &named_here) && selects(name, &named_everywhere);
        let names = matcher.map(String::as_str).map(alternatives).unwrap_or_default();
        tell(rule, "matcher", &names, &|name| of_server(name).or_else(|| absent(is_gone(name))));
        // A compiled hook sees one name of a tool.
        let one_name = |name: &str| {
            let wire = aliases.on_the_wire(name);
            let why = format!("compiled hooks see the tool as `{wire}`: write that");
            (wire != name && !everywhere.contains(&name)).then_some((why, true))
        };
        let is_gone = |name: &str| !here.contains(&name) && everywhere.contains(&name);
        let names: Vec<&str> = rule.tools.iter().map(String::as_str).collect();
        let why = |name: &str| of_server(name).or_else(|| one_name(name)).or_else(|| absent(is_gone(name)));
        tell(rule, "parameters", &names, &why);
    }
    (problems, notes)
}

/// The parts of a matcher between `|`, outside of groups.
fn alternatives(matcher: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let parts = matcher.split(|c: char| {
        depth += i32::from("([".contains(c)) - i32::from(")]".contains(c));
        c == '|' && depth == 0
    });
    parts.map(str::trim).filter(|name| !name.is_empty() && *name != "*").collect()
}

fn without_errors(defects: impl IntoIterator<Item = Diagnostic>) -> Result<(), BuildError> {
    match defects.into_iter().find(Diagnostic::is_error) {
        Some(error) => Err(error.on_a_line().into()),
        None => Ok(()),
    }
}

/// A misspelt `hooks` is a warning, and the file would be a guard that guards nothing.
pub(crate) fn without_empty(rules: &Rules, files: &[PathBuf]) -> Result<(), BuildError> {
    let list = rules.list();
    // Those of a plugin lie within the folder that is named.
    for file in files {
        let mut of_file = list.iter().filter(|rule| rule.file.starts_with(file)).peekable();
        if of_file.peek().is_none() {
            return Err(format!("{}: it has no rules: see `hooks check {0}`", file.display()).into());
        }
        // Such as by `disableAllHooks`.
        if !of_file.any(|rule| rule.enabled) {
            return Err(format!("{}: none of its rules runs: see `hooks check {0}`", file.display()).into());
        }
    }
    Ok(())
}

fn loaded(library: &[Arc<Hook>], files: &FilesArgs) -> Result<Rules, BuildError> {
    let inputs = RuleInputs::named(files).map_err(|output| output.err)?;
    let trust = Trust::user_file().map(Trust::open).transpose()?;
    if let Some(path) = inputs.untrusted(trust.as_ref()).first() {
        return Err(format!("{0} is not trusted as it is now: review it with `hooks trust {0}`", path.display()).into());
    }
    let rules = inputs.builder().library(library.iter().cloned()).post(PlainHttp).build();
    without_errors(inputs.troubles.iter().cloned().chain(rules.defects().into_iter().map(Diagnostic::from)))?;
    without_empty(&rules, &files.files)?;
    if let Some(rule) = rules.list().iter().find(|rule| rule.text.contains("hooks host ")) {
        return Err(format!("{}:{}: the rule calls `hooks host` again", rule.file.display(), rule.line).into());
    }
    Ok(rules)
}

/// With the folder of the project, where the host runs commands elsewhere.
fn in_project(event: &HostEvent, notes: &HostNotes, context: HookContextBuilder) -> HookContextBuilder {
    let context = surround(event, notes, context);
    match &event.project {
        Some(folder) => context.state(ProjectFolder(folder.into())),
        None => context,
    }
}

/// Whether a file has rules that nobody waits for.
pub(crate) fn lingers(files: &FilesArgs) -> bool {
    let names = |text: String| text.contains("\"async");
    // A pipe is refused where rules are read. Here it would keep the host waiting.
    let is_file = |file: &PathBuf| std::fs::metadata(file).is_ok_and(|meta| meta.is_file());
    let of_plugin = ["", "hooks/hooks.json", "plugin.json", ".claude-plugin/plugin.json"];
    let texts = files
        .files
        .iter()
        .flat_map(|file| of_plugin.map(|below| if below.is_empty() { file.clone() } else { file.join(below) }));
    texts.filter(is_file).any(|file| std::fs::read_to_string(file).is_ok_and(names))
}

/// What scripts read besides the fields of the event, and where goes what they say that no verdict has a place for.
fn surround(event: &HostEvent, notes: &HostNotes, context: HookContextBuilder) -> HookContextBuilder {
    let text = |names: [&str; 2]| {
        let values = names.iter().filter_map(|name| event.payload.get(*name)).filter_map(Value::as_str);
        values.into_iter().find(|text| !text.is_empty()).map(str::to_owned)
    };
    let session = SessionInfo {
        transcript: text(["transcript_path", "transcriptPath"]).map(Into::into),
        permission_mode: text(["permission_mode", "permissionMode"]),
    };
    let notes = notes.clone();
    let take = move |note: RuleNote| match note {
        RuleNote::Context(text) => notes.add(text),
        RuleNote::Change(reason) => notes.reason(reason),
        RuleNote::Block(reason) => notes.block(reason),
        RuleNote::Halt(reason) => notes.halt(reason),
        RuleNote::Message(_) => notes.warn("a message of a rule to the person (`systemMessage`) is not shown"),
        _ => {}
    };
    context.state(session).state(RuleNotes(Box::new(take)))
}
