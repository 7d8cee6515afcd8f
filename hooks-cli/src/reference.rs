//! Commands that need no files: `kinds`, `schema`, `manifest`, `audit`, `completions`.

mod definitions;

use std::fmt::Write as _;

use clap::CommandFactory as _;
use clap_complete::Shell;
use hook_sdk::Semantics;
use hook_sdk::diagnostics::{Finding, HarnessFacts};
use hook_sdk::hook::{OnFailure, RunMode};
use hooks_rules::Event;
use serde_json::{Value, json};

use crate::args::{Cli, SchemaArgs};
use crate::exit::Exit;
use crate::output::{Output, json};
use crate::program::Program;
use crate::style::{FAINT, GOOD, STRONG, styled};

/// Prints a JSON Schema.
pub(crate) fn schema(program: &Program, args: &SchemaArgs) -> Output {
    let schema = if args.definitions {
        definitions::schema(&program.registry.manifest())
    } else {
        hooks_rules::schema(args.dialect.into())
    };
    Output::new(json(schema), Exit::SUCCESS)
}

/// Lists the kinds, and the events of rule files that each carries.
pub(crate) fn kinds(program: &Program, as_json: bool) -> Output {
    let events = |kind: &str| -> Vec<&str> {
        Event::all().filter(|event| event.spec().kind == Some(kind)).map(Event::as_str).collect()
    };
    let kinds = program.registry.manifest().kinds;
    if as_json {
        let described = kinds.iter().map(|entry| {
            let mut described = serde_json::to_value(entry).unwrap_or_default();
            described["events"] = json!(events(entry.kind.name));
            described
        });
        let report = json!({ "version": 1, "kinds": described.collect::<Vec<Value>>() });
        return Output::new(json(report), Exit::SUCCESS);
    }
    let mut out = String::new();
    for kind in kinds.iter().map(|entry| entry.kind) {
        let name = styled(STRONG, format!("{:<30}", kind.name));
        let _ = write!(out, "{name} {:<10}", kind.semantics);
        let mut rest = Vec::new();
        if !kind.fields.is_empty() {
            rest.push(format!("by {}", kind.fields.join(", ")));
        }
        let wire = events(kind.name);
        if !wire.is_empty() {
            rest.push(format!("rules: {}", wire.join(", ")));
        }
        let _ = writeln!(out, " {}", rest.join("; "));
        let first = kind.description.trim().split("\n\n").next().unwrap_or_default();
        let first = first.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(out, "    {}", styled(FAINT, first));
    }
    let lines: Vec<_> = out.lines().map(str::trim_end).collect();
    Output::new(lines.join("\n"), Exit::SUCCESS)
}

/// Reports suspicious hooks.
pub(crate) fn audit(program: &Program, as_json: bool) -> Output {
    let audited = if program.tools.is_empty() {
        program.registry.audit(&program.sets)
    } else {
        program.registry.audit_with(&program.sets, &HarnessFacts::new().tools(&program.tools))
    };
    let findings: Vec<String> = audited.iter().map(ToString::to_string).collect();
    let hints = open_gates(program);
    let exit = if findings.is_empty() { Exit::SUCCESS } else { Exit::FAILURE };
    if as_json {
        let findings: Vec<_> = audited.iter().map(finding).collect();
        let number = program.registry.hooks().len();
        return Output::new(json(json!({ "version": 2, "hooks": number, "findings": findings, "hints": hints })), exit);
    }
    if program.registry.hooks().is_empty() {
        let text =
            "this program has no compiled hooks: run the command of an app that has some, or `hooks check` on files";
        return Output::new(text, exit);
    }
    let findings = match findings.as_slice() {
        [] => styled(GOOD, "no suspicious hooks"),
        findings => format!("- {}", findings.join("\n- ")),
    };
    let hints = hints.into_iter().map(|hint| format!("\n{}: {hint}", styled(STRONG, "hint")));
    Output::new(std::iter::once(findings).chain(hints).collect::<String>(), exit)
}

/// The gates whose failure refuses nothing. That may be intended, so it changes no status.
fn open_gates(program: &Program) -> Vec<String> {
    let manifest = program.registry.manifest();
    let is_gate = |name: &str| {
        manifest.kinds.iter().any(|entry| entry.kind.name == name && entry.kind.semantics == Semantics::Gate)
    };
    // The rules of files say one by one what their failure means.
    let hooks = manifest.hooks.iter().filter(|hook| !hook.id.as_str().starts_with("rules_"));
    let open = hooks.flat_map(|hook| {
        let inline = hook.at.iter().filter(|at| at.options.run == RunMode::Inline);
        let open = inline.filter(|at| at.on_failure == OnFailure::Continue && is_gate(at.kind));
        open.map(move |at| {
            let (id, origin, kind) = (&hook.id, &hook.origin, at.kind);
            format!("if the gate `{id}` ({origin}) fails at `{kind}`, the dispatch goes on without it: it has `on_failure = continue`")
        })
    });
    open.collect()
}

/// A finding, with its code for searching.
fn finding(finding: &Finding) -> Value {
    let shown = format!("{finding:?}");
    let word = shown.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    json!({ "finding": word, "message": finding.to_string() })
}

/// Prints the manifest, which is always JSON.
pub(crate) fn manifest(program: &Program) -> Output {
    let manifest = serde_json::to_value(program.registry.manifest()).unwrap_or_default();
    Output::new(json(manifest), Exit::SUCCESS)
}

/// Prints completions for a shell.
pub(crate) fn completions(shell: Shell) -> Output {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "hooks", &mut script);
    Output::new(String::from_utf8_lossy(&script), Exit::SUCCESS)
}
