//! Manages trusted files. The current content of a file is shown before it is trusted.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use hooks_rules::{Action, FailureMode, Rule, RuleFile, Shell, Trust as Store, TrustError};
use serde_json::{Value, json};

use crate::args::{Color, FilesArgs, TrustArgs};
use crate::confidence::Confidence;
use crate::diagnostics::{self, Diagnostic};
use crate::exit::Exit;
use crate::inputs::{RuleInputs, usage_error};
use crate::output::{Output, json};
use crate::style::{BAD, DOUBTFUL, FAINT, GOOD, PLACE, STRONG, line, safe, styled};

pub(crate) fn trust(args: &TrustArgs, as_json: bool, color: Color) -> Output {
    let Some(path) = args.trust_file.clone().or_else(Store::user_file) else {
        return usage_error("name the trust file: `--trust-file FILE`; there is no home folder for it");
    };
    let store = match Store::open(&path) {
        Ok(store) => store,
        Err(error) => return trouble(&error, Exit::FAILURE),
    };
    match (args.list, args.remove) {
        (true, _) => list(&path, &store, as_json),
        (_, true) => remove(args, &path, store, as_json),
        _ => add(args, &path, store, as_json, color),
    }
}

fn trouble(error: &TrustError, exit: Exit) -> Output {
    Output::trouble(format!("{}: {error}", styled(BAD, "error")), exit)
}

/// Shows everything that the files would run, asks for confirmation, and trusts them. If one cannot be shown, none is
/// trusted.
fn add(args: &TrustArgs, path: &Path, mut store: Store, as_json: bool, color: Color) -> Output {
    if args.files.iter().any(|path| path.as_os_str() == "-") {
        return usage_error("standard input cannot be trusted, because its content is not kept; name a file");
    }
    let inputs = match RuleInputs::read(
        &FilesArgs { files: args.files.clone(), dialect: args.dialect, ..FilesArgs::default() },
        &Confidence::By(None),
    ) {
        Ok(inputs) => inputs,
        Err(output) => return output,
    };
    // Of the discovered files, only those of the project need trust.
    let waiting: Vec<_> = inputs.untrusted(None).into_iter().map(Path::to_path_buf).collect();
    let files: Vec<_> = inputs.files().filter(|(file, ..)| waiting.iter().any(|path| path == file)).collect();
    if files.is_empty() && inputs.troubles.is_empty() {
        return usage_error("there are no untrusted files here; name the files, as in `hooks trust hooks.json`");
    }
    let rules = || files.iter().filter_map(|(.., rules)| rules.as_ref());
    let defects = rules().flat_map(|file| file.defects.iter().cloned().map(Diagnostic::from));
    let diagnostics: Vec<Diagnostic> = inputs.troubles.iter().cloned().chain(defects).collect();
    if inputs.troubles.iter().any(Diagnostic::is_error) || rules().any(|file| !file.readable) {
        let text = format!(
            "{}\n\nnothing was trusted, because the content of these files cannot be shown",
            diagnostics::all(&diagnostics)
        );
        return Output::trouble(text, Exit::FAILURE);
    }
    let warned = |output: Output| {
        if diagnostics.is_empty() { output } else { output.and_err(&format!("{}\n", diagnostics::all(&diagnostics))) }
    };
    let shown =
        files.iter().map(|(file, text, rules)| rules.as_ref().map_or_else(|| shown_settings(file, text), shown));
    let mut shown = shown.collect::<Vec<_>>().join("\n");
    let trusted = if args.yes {
        true
    } else if as_json || !std::io::stdin().is_terminal() {
        false
    } else {
        let exit = warned(Output::new(shown, Exit::SUCCESS)).write(color);
        if exit != Exit::SUCCESS || !says_yes() {
            return Output::trouble("nothing was trusted", Exit::UNTRUSTED);
        }
        shown = String::new();
        true
    };
    let mut reports = Vec::new();
    for (file, text, rules) in &files {
        let was = store.fingerprint(file).map(str::to_owned);
        if trusted {
            if let Err(error) = store.trust_content(file, text.as_bytes()) {
                return trouble(&error, Exit::IO_ERROR);
            }
            let print = store.fingerprint(file).unwrap_or_default();
            let _ =
                write!(shown, "\n{}  {} {}", name(file), styled(GOOD, "trusted as it is now:"), styled(FAINT, print));
        }
        let mut report = report(file, was, store.fingerprint(file));
        match rules {
            Some(rules) => {
                report["disabled"] = rules.disabled.into();
                report["rules"] = rules.rules.iter().map(described).collect();
            }
            None => report["settings"] = (*text).into(),
        }
        reports.push(report);
    }
    let exit = if trusted { Exit::SUCCESS } else { Exit::UNTRUSTED };
    if as_json {
        let report = json!({
            "version": 2, "trust_file": name(path), "trusted": trusted, "files": reports, "defects": diagnostics,
        });
        return Output::new(json(report), exit);
    }
    let output = warned(Output::new(shown.trim(), exit));
    if trusted {
        return output;
    }
    output.and_err("nothing was trusted: there is no terminal for the question; review the files, then use `--yes`\n")
}

/// Asks the user.
fn says_yes() -> bool {
    let mut err = std::io::stderr();
    let _ = write!(err, "\nTrust the current content? [y/N] ").and_then(|()| err.flush());
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer).is_ok();
    read && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

fn report(file: &Path, was: Option<String>, print: Option<&str>) -> Value {
    let before = match was {
        None => "new",
        Some(was) if Some(was.as_str()) == print => "unchanged",
        Some(_) => "changed",
    };
    json!({ "file": name(file), "fingerprint": print, "before": before })
}

/// A rule with all fields that affect its behaviour.
fn described(rule: &Rule) -> Value {
    let details: serde_json::Map<String, Value> =
        details(rule).into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let mut described = json!({
        "event": rule.event, "matcher": rule.written_matcher, "line": rule.line, "runs": runs(rule),
    });
    described["details"] = details.into();
    described
}

/// The manifest or the configuration of a plugin, completely, because every value can affect a rule.
fn shown_settings(file: &Path, text: &str) -> String {
    let mut out = String::new();
    let what = if file.ends_with(".disabled") { "switches its plugin off" } else { "settings of a plugin" };
    let _ = writeln!(out, "{} ({what})", styled(STRONG, line(&name(file))));
    for text in safe(text).lines() {
        let _ = writeln!(out, "  {text}");
    }
    out
}

/// Everything that a file runs, not truncated, so that it can be judged.
fn shown(file: &RuleFile) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{} ({})", styled(STRONG, line(&file.file.to_string_lossy())), file.dialect);
    if file.disabled {
        let _ = writeln!(out, "  `disableAllHooks` switches its rules off");
    }
    if file.rules.is_empty() {
        let _ = writeln!(out, "  it runs nothing");
    }
    for rule in &file.rules {
        let matcher = rule.written_matcher.as_ref().map(|matcher| match matcher {
            Value::String(text) => format!(" {}", line(text)),
            other => format!(" {}", line(&other.to_string())),
        });
        let place = styled(PLACE, format!("line {}", rule.line));
        let _ = writeln!(out, "  {}{}  {place}", rule.event, matcher.unwrap_or_default());
        for text in safe(&runs(rule)).lines() {
            let _ = writeln!(out, "      {text}");
        }
        for (name, value) in details(rule) {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let _ = writeln!(out, "      {}", styled(FAINT, format!("{name}: {}", line(&value))));
        }
    }
    out
}

/// The other fields of a rule, named as in its file.
fn details(rule: &Rule) -> Vec<(&'static str, Value)> {
    let mut details = Vec::new();
    if let Some(filter) = &rule.filter {
        details.push(("if", filter.to_string().into()));
    }
    match &rule.action {
        Action::Command(command) if command.shell == Shell::PowerShell => details.push(("shell", "powershell".into())),
        Action::Http(request) => {
            details.extend((!request.headers.is_empty()).then(|| ("headers", json!(request.headers))));
            details.extend((!request.allowed_env.is_empty()).then(|| ("allowedEnvVars", json!(request.allowed_env))));
        }
        Action::Judge(question) => details.extend(question.model.as_ref().map(|model| ("model", json!(model)))),
        Action::Compiled { with: Some(with), .. } => details.push(("with", with.clone())),
        _ => {}
    }
    let wakes = if rule.wakes { "asyncRewake" } else { "async" };
    details.extend(rule.detached.then(|| (wakes, true.into())));
    details.extend((rule.on_failure == FailureMode::Block).then(|| ("onFailure", "block".into())));
    details.extend(rule.timeout_is_written.then(|| ("timeout", json!(rule.timeout.as_secs_f64()))));
    details.extend(rule.once.then(|| ("once", true.into())));
    details
}

/// The complete action of a rule.
fn runs(rule: &Rule) -> String {
    match &rule.action {
        Action::Command(command) => match &command.args {
            None => command.command.clone(),
            Some(args) => json!([[command.command.clone()].as_slice(), args].concat()).to_string(),
        },
        Action::Http(request) => format!("POST {}", request.url),
        Action::Text(text) => format!("text: {text}"),
        Action::Judge(question) => format!("asks a model: {}", question.prompt),
        Action::Compiled { id, .. } => format!("hook {id}"),
        _ => rule.summary(),
    }
}

/// Lists the trusted files, and whether they have changed since.
fn list(path: &Path, store: &Store, as_json: bool) -> Output {
    let state = |file: &Path| match std::fs::read(file) {
        Ok(content) if store.allows(file, &content) => "trusted",
        Ok(_) => "changed",
        Err(_) => "gone",
    };
    let files: Vec<_> = store.files().map(|(file, print)| (file, print, state(file))).collect();
    if as_json {
        let files = files
            .iter()
            .map(|(file, print, state)| json!({ "file": name(file), "fingerprint": print, "state": state }));
        let files: Vec<Value> = files.collect();
        return Output::new(json(json!({ "version": 1, "trust_file": name(path), "files": files })), Exit::SUCCESS);
    }
    if files.is_empty() {
        return Output::new(format!("{} trusts nothing", line(&name(path))), Exit::SUCCESS);
    }
    let lines = files.iter().map(|(file, print, state)| {
        let words = match *state {
            "trusted" => styled(GOOD, "trusted"),
            "changed" => styled(DOUBTFUL, "changed, and no longer trusted"),
            _ => styled(DOUBTFUL, "cannot be read any more"),
        };
        format!("{}  {words}\n      {}", line(&name(file)), styled(FAINT, print))
    });
    Output::new(lines.collect::<Vec<_>>().join("\n"), Exit::SUCCESS)
}

fn remove(args: &TrustArgs, path: &Path, mut store: Store, as_json: bool) -> Output {
    let (mut removed, mut unknown) = (Vec::new(), Vec::new());
    for named in &args.files {
        // The folder of a plugin represents all its files, even if they no longer exist.
        let within: Vec<PathBuf> = match store.fingerprint(named) {
            Some(_) => Vec::new(),
            None => store.files_within(named).map(Path::to_path_buf).collect(),
        };
        let files = if within.is_empty() { vec![named.clone()] } else { within };
        for file in files {
            match store.revoke(&file) {
                Ok(true) => removed.push(name(&file)),
                Ok(false) => unknown.push(name(&file)),
                Err(error) => return trouble(&error, Exit::IO_ERROR),
            }
        }
    }
    let exit = if unknown.is_empty() { Exit::SUCCESS } else { Exit::FAILURE };
    if as_json {
        let report = json!({ "version": 1, "trust_file": name(path), "removed": removed, "unknown": unknown });
        return Output::new(json(report), exit);
    }
    let out = removed.iter().map(|file| format!("{}  no longer trusted", line(file))).collect::<Vec<_>>().join("\n");
    let err = unknown.iter().map(|file| {
        format!("{}: {} was not trusted; see what is with `hooks trust --list`\n", styled(BAD, "error"), line(file))
    });
    Output::new(out, exit).and_err(&err.collect::<String>())
}

fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
