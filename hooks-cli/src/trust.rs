//! Which files are trusted: shown before they are, each as it is now.

use std::fmt::Write as _;
use std::path::Path;

use hooks_rules::{Action, Rule, RuleFile, Trust as Store, TrustError};
use serde_json::{Value, json};

use crate::args::{FilesArgs, TrustArgs};
use crate::diagnostics::{self, Diagnostic};
use crate::exit::Exit;
use crate::files::{Given, not_understood};
use crate::output::{Output, json};
use crate::paint::{BAD, DOUBTFUL, FAINT, GOOD, PLACE, STRONG, line, safe, styled};

pub(crate) fn trust(args: &TrustArgs, as_json: bool) -> Output {
    let store = match Store::open(&args.trust_file) {
        Ok(store) => store,
        Err(error) => return trouble(&error, Exit::FAULTY),
    };
    match (args.list, args.remove) {
        (true, _) => list(args, &store, as_json),
        (_, true) => remove(args, store, as_json),
        _ => add(args, store, as_json),
    }
}

fn trouble(error: &TrustError, exit: Exit) -> Output {
    Output::trouble(format!("{}: {error}", styled(BAD, "error")), exit)
}

/// Shows what the files would run, then trusts them. Where one cannot be shown none is trusted.
fn add(args: &TrustArgs, mut store: Store, as_json: bool) -> Output {
    if args.files.iter().any(|path| path.as_os_str() == "-") {
        return not_understood("what is read from standard input is gone afterwards; name a file");
    }
    let given =
        match Given::read(&FilesArgs { files: args.files.clone(), dialect: args.dialect, ..FilesArgs::default() }) {
            Ok(given) => given,
            Err(output) => return output,
        };
    let files: Vec<_> = given.files().collect();
    let defects = files.iter().flat_map(|(file, _)| file.defects.iter().cloned().map(Diagnostic::from));
    let diagnostics: Vec<Diagnostic> = given.troubles.iter().cloned().chain(defects).collect();
    if given.troubles.iter().any(Diagnostic::is_error) || files.iter().any(|(file, _)| !file.readable) {
        let text =
            format!("{}\n\nnothing was trusted: what these files run cannot be shown", diagnostics::all(&diagnostics));
        return Output::trouble(text, Exit::FAULTY);
    }
    let (mut out, mut reports) = (String::new(), Vec::new());
    for (file, text) in &files {
        let was = store.fingerprint(&file.file).map(str::to_owned);
        if let Err(error) = store.trust_content(&file.file, text.as_bytes()) {
            return trouble(&error, Exit::NOT_WRITTEN);
        }
        let print = store.fingerprint(&file.file).unwrap_or_default();
        let before = match was {
            None => "new",
            Some(was) if was == print => "unchanged",
            Some(_) => "changed",
        };
        shown(&mut out, file);
        let _ = writeln!(out, "  {} {}\n", styled(GOOD, "trusted as it is now:"), styled(FAINT, print));
        let runs = file.rules.iter().map(|rule| {
            json!({ "event": rule.event, "matcher": rule.written_matcher, "line": rule.line, "runs": runs(rule) })
        });
        let path = file.file.to_string_lossy();
        reports.push(json!({
            "file": path, "fingerprint": print, "before": before, "disabled": file.disabled, "rules": runs.collect::<Vec<_>>(),
        }));
    }
    if as_json {
        let report =
            json!({ "version": 1, "trust_file": name(&args.trust_file), "files": reports, "defects": diagnostics });
        return Output::new(json(report), Exit::DONE);
    }
    let output = Output::new(out.trim_end(), Exit::DONE);
    if diagnostics.is_empty() { output } else { output.and_err(&diagnostics::all(&diagnostics)) }
}

/// Everything that a file runs, whole: what is cut cannot be judged.
fn shown(out: &mut String, file: &RuleFile) {
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
    }
}

/// What a rule does, in full.
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

/// What is trusted, and whether it still is what was trusted.
fn list(args: &TrustArgs, store: &Store, as_json: bool) -> Output {
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
        return Output::new(
            json(json!({ "version": 1, "trust_file": name(&args.trust_file), "files": files })),
            Exit::DONE,
        );
    }
    if files.is_empty() {
        return Output::new(format!("{} trusts nothing", line(&name(&args.trust_file))), Exit::DONE);
    }
    let lines = files.iter().map(|(file, print, state)| {
        let words = match *state {
            "trusted" => styled(GOOD, "trusted"),
            "changed" => styled(DOUBTFUL, "changed since, and no longer trusted"),
            _ => styled(DOUBTFUL, "cannot be read any more"),
        };
        format!("{}  {words}\n      {}", line(&name(file)), styled(FAINT, print))
    });
    Output::new(lines.collect::<Vec<_>>().join("\n"), Exit::DONE)
}

fn remove(args: &TrustArgs, mut store: Store, as_json: bool) -> Output {
    let (mut removed, mut unknown) = (Vec::new(), Vec::new());
    for path in &args.files {
        // The folder of a plugin stands for its file, also when it is gone.
        let inner = path.join("hooks").join("hooks.json");
        let file = if store.fingerprint(path).is_none() && store.fingerprint(&inner).is_some() { &inner } else { path };
        match store.revoke(file) {
            Ok(true) => removed.push(name(file)),
            Ok(false) => unknown.push(name(file)),
            Err(error) => return trouble(&error, Exit::NOT_WRITTEN),
        }
    }
    let exit = if unknown.is_empty() { Exit::DONE } else { Exit::FAULTY };
    if as_json {
        let report =
            json!({ "version": 1, "trust_file": name(&args.trust_file), "removed": removed, "unknown": unknown });
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
