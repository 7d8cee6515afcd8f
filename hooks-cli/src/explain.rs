use std::fmt::Write as _;

use hook_sdk::{HookId, HookSet};
use hooks_rules::{Event, Explanation, Occurrence, SkipReason};
use serde_json::{Value, json};

use crate::args::ExplainArgs;
use crate::confidence::Confidence;
use crate::diagnostics::{self, Diagnostic};
use crate::exit::Exit;
use crate::inputs::{RuleInputs, usage_error};
use crate::output::{Output, json};
use crate::program::Program;
use crate::style::{DOUBTFUL, FAINT, GOOD, PLACE, STRONG, line, styled};

/// Explains which rules would run, in which order, and why the others would not. Runs nothing.
pub(crate) fn explain(program: &Program, args: &ExplainArgs, as_json: bool) -> Output {
    let read = Confidence::of(&args.trusted).and_then(|trust| {
        let inputs = RuleInputs::read(&args.files, &trust)?;
        Ok((occurrence(args, &inputs)?, inputs, trust))
    });
    let (occurrence, inputs, trust) = match read {
        Ok(read) => read,
        Err(output) => return output,
    };
    if inputs.is_empty() && program.sets.is_empty() {
        return usage_error(
            "there are no settings and no plugins here; name the files, as in `hooks explain --event Stop hooks.json`",
        );
    }
    let rules = inputs.rules_under(&trust);
    let tool = occurrence.get("tool_name").and_then(Value::as_str);
    let answer = ExplainReport {
        event: occurrence.event,
        about: about(&occurrence),
        rules: rules.explain(&occurrence),
        diagnostics: inputs.diagnostics(program, &inputs.rules()),
        off: inputs.switched_off(&trust).into_iter().map(|(path, _)| path.display().to_string()).collect(),
        plans: occurrence.event.spec().kind.map(|kind| plans(program, kind, tool)).unwrap_or_default(),
        is_empty: inputs.is_empty(),
        no_input: occurrence.get("tool_input").is_none(),
    };
    Output::new(if as_json { answer.to_json() } else { answer.to_text() }, Exit::SUCCESS)
}

/// The event with this name.
///
/// # Errors
/// The error message for an unknown name.
pub(crate) fn event(name: &str) -> Result<Event, Output> {
    Event::named(name).ok_or_else(|| {
        let fired = Event::all().filter(|event| event.spec().kind.is_some()).map(Event::as_str);
        let hint = match Event::meant_by(name) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("these are fired: {}", fired.collect::<Vec<_>>().join(", ")),
        };
        let short: String = line(name).chars().take(60).collect();
        usage_error(&format!("--event {short}: there is no such event; {hint}"))
    })
}

fn occurrence(args: &ExplainArgs, inputs: &RuleInputs) -> Result<Occurrence, Output> {
    let event = event(&args.event)?;
    let mut occurrence = Occurrence::new(event);
    occurrence.cwd = inputs.project.to_string_lossy().into_owned();
    if event.is_of_a_tool() {
        let Some(tool) = args.tool.as_ref().filter(|tool| !tool.trim().is_empty()) else {
            return Err(usage_error(&format!("{event} concerns a tool; name it, as in `--tool Bash`")));
        };
        occurrence.set("tool_name", tool.as_str());
        if let Some(input) = &args.input {
            let input: Value = serde_json::from_str(input).map_err(|error| {
                usage_error(&format!(
                    "--input is not JSON: {error}; write it as in `--input '{{\"command\": \"ls\"}}'`"
                ))
            })?;
            occurrence.set("tool_input", input);
        }
        return Ok(occurrence);
    }
    if args.tool.is_some() || args.input.is_some() {
        return Err(usage_error(&format!("{event} does not concern a tool; remove --tool and --input")));
    }
    match (event.spec().matched, &args.value) {
        (Some("agent_type"), Some(value)) => occurrence.agent = Some((value.clone(), value.clone())),
        (Some(field), Some(value)) => drop(occurrence.set(field, value.as_str())),
        (None, Some(_)) => {
            return Err(usage_error(&format!("matchers have no effect at {event}; remove --value")));
        }
        (_, None) => {}
    }
    Ok(occurrence)
}

/// Describes the occurrence.
fn about(occurrence: &Occurrence) -> String {
    let event = occurrence.event;
    match (occurrence.get("tool_name").and_then(Value::as_str), occurrence.matched()) {
        (Some(tool), _) => match occurrence.get("tool_input") {
            Some(input) => format!("{event} of the tool {tool} with {}", line(&input.to_string())),
            None => format!("{event} of the tool {tool}"),
        },
        (None, Some(value)) => format!("{event} with `{value}`"),
        (None, None) => event.to_string(),
    }
}

/// The hooks that a set of the program runs at the kind of an event, and the reasons why others do not run.
struct Plan {
    owners: String,
    runs: Vec<(HookId, String)>,
    out: Vec<(HookId, String)>,
}

/// The plans of the hook sets at a kind, for an event that concerns this tool.
fn plans(program: &Program, kind: &str, tool: Option<&str>) -> Vec<Plan> {
    let plan = |set: &HookSet| {
        let mut plan = Plan { owners: set.owners(), runs: Vec::new(), out: Vec::new() };
        for hook in set.plan(kind) {
            match tool.and_then(|tool| hook.kept_out_by("tool", tool)) {
                Some(filter) => {
                    plan.out.push((hook.hook().clone(), format!("its filter does not match: only {filter}")));
                }
                None => plan.runs.push((hook.hook().clone(), hook.to_string())),
            }
        }
        plan.out.extend(set.left_out(kind).map(|(hook, why)| (hook.clone(), why)));
        plan
    };
    program.sets.iter().map(plan).collect()
}

impl Plan {
    fn to_json(&self) -> Value {
        let listed = |hooks: &[(HookId, String)], key: &str| -> Vec<Value> {
            hooks.iter().map(|(hook, text)| json!({ "hook": hook, key: text })).collect()
        };
        json!({ "of": self.owners, "runs": listed(&self.runs, "text"), "out": listed(&self.out, "because") })
    }

    fn to_text(&self, kind: &str) -> String {
        let mut out = format!("compiled hooks of {}", self.owners);
        if self.runs.is_empty() && self.out.is_empty() {
            let _ = write!(out, "\nno compiled hook at {kind}");
        }
        for (number, (_, text)) in self.runs.iter().enumerate() {
            let _ = write!(out, "\n{:>4}. {text}", number + 1);
        }
        for (hook, why) in &self.out {
            let _ = write!(out, "\n   -  {hook}  {}", line(why));
        }
        out
    }
}

struct ExplainReport {
    event: Event,
    about: String,
    rules: Vec<Explanation>,
    diagnostics: Vec<Diagnostic>,
    off: Vec<String>,
    plans: Vec<Plan>,
    is_empty: bool,
    no_input: bool,
}

impl ExplainReport {
    fn to_json(&self) -> String {
        let mut order = 0;
        let rules = self.rules.iter().map(|explained| {
            let mut described = json!(explained.rule);
            described["runs"] = explained.skip.is_none().into();
            if let Some(skip) = &explained.skip {
                described["skip"] = json!(skip);
                described["because"] = skip.to_string().into();
                described["help"] = json!(help(self.event, explained, skip));
            } else {
                order += 1;
                described["order"] = order.into();
            }
            described
        });
        let rules: Vec<Value> = rules.collect();
        let spec = self.event.spec();
        let report = json!({
            "version": 1, "event": self.event, "kind": spec.kind, "rules": rules, "switched_off_by": self.off,
            "defects": self.diagnostics, "plans": self.plans.iter().map(Plan::to_json).collect::<Vec<_>>(),
        });
        json(report)
    }

    fn to_text(&self) -> String {
        let mut out = format!("{}\n", styled(STRONG, &self.about));
        if self.event.spec().kind.is_none() {
            let _ = writeln!(out, "{}: this event is known, but nothing here fires it", styled(DOUBTFUL, "note"));
        }
        for file in &self.off {
            let _ = writeln!(out, "{}: {file} says `disableAllHooks`", styled(DOUBTFUL, "note"));
        }
        let (running, out_of_it): (Vec<_>, Vec<_>) = self.rules.iter().partition(|rule| rule.skip.is_none());
        let (waiting, out_of_it): (Vec<_>, Vec<_>) =
            out_of_it.into_iter().partition(|rule| rule.skip == Some(SkipReason::Untrusted));
        if !running.is_empty() {
            let how = "would run concurrently; their answers are merged in this order:";
            let _ = writeln!(out, "\n{}", styled(GOOD, how));
            for (i, explained) in running.iter().enumerate() {
                let _ = writeln!(out, "{:>4}. {}", i + 1, of_rule(explained));
                if let Some(why) = &explained.rule.denies {
                    let _ = writeln!(out, "      denies: {}", line(why));
                }
                if explained.rule.hook.is_some() {
                    let _ = writeln!(out, "      a compiled hook, which runs in an app that has it");
                }
                if explained.rule.filter.is_some() && self.no_input {
                    let _ = writeln!(out, "      without `--input`, its `if` cannot be tested, so it runs");
                }
            }
        } else if !self.is_empty {
            let _ = writeln!(out, "\n{}", styled(DOUBTFUL, "no rule would run"));
        }
        if !waiting.is_empty() {
            let how = "would run if somebody trusted their files as they are: `hooks trust`, or `--trust`";
            let _ = writeln!(out, "\n{}", styled(DOUBTFUL, how));
        }
        for explained in waiting {
            let _ = writeln!(out, "   -  {}", of_rule(explained));
        }
        if !out_of_it.is_empty() {
            let _ = writeln!(out, "\n{}", styled(STRONG, "would not run:"));
        }
        for explained in out_of_it {
            let Some(skip) = &explained.skip else { continue };
            let mut why = line(&skip.to_string());
            match (skip, &explained.rule.matcher) {
                (SkipReason::OtherEvent, _) => why = format!("it belongs to {}", explained.rule.event),
                (SkipReason::Matcher { .. }, Some(matcher)) => {
                    why = why.replacen("its matcher", &format!("its matcher `{}`", line(matcher)), 1);
                }
                _ => {}
            }
            let _ = writeln!(out, "   -  {}\n      {why}", of_rule(explained));
            if let Some(help) = help(self.event, explained, skip) {
                let _ = writeln!(out, "      {}", styled(GOOD, format!("= help: {}", line(&help))));
            }
        }
        if !self.diagnostics.is_empty() {
            let _ = writeln!(
                out,
                "\n{}\n\n{}",
                styled(STRONG, "problems of the files:"),
                diagnostics::all(&self.diagnostics)
            );
        }
        for plan in &self.plans {
            let _ = writeln!(out, "\n{}", plan.to_text(self.event.spec().kind.unwrap_or_default()));
        }
        out
    }
}

fn of_rule(explained: &Explanation) -> String {
    let rule = &explained.rule;
    let place = styled(PLACE, format!("{}:{}", line(&rule.file.to_string_lossy()), rule.line));
    format!("{}  {place}  {}", styled(FAINT, &rule.id), line(&rule.summary))
}

/// A suggestion, if there is one.
fn help(event: Event, explained: &Explanation, skip: &SkipReason) -> Option<String> {
    let rule = &explained.rule;
    match skip {
        SkipReason::Matcher { against } => matcher_help(event, rule.matcher.as_deref()?, against),
        SkipReason::Untrusted => Some("review it with `hooks trust`, or use `--trust`".to_owned()),
        SkipReason::NeverFired => Some("`hooks kinds` lists the events that are fired".to_owned()),
        SkipReason::Filter { .. } => Some("an `if` has one pattern; use a second handler for another one".to_owned()),
        SkipReason::SameAs { .. } => {
            Some("a command runs once per occurrence, even if several settings files contain it".to_owned())
        }
        _ => None,
    }
}

fn matcher_help(event: Event, matcher: &str, against: &[String]) -> Option<String> {
    let is_object = matcher.starts_with('{');
    if against.is_empty() {
        let field = event.spec().matched.unwrap_or("value");
        // An object cannot be used as an example value.
        let example = if is_object { String::new() } else { format!(", as in `--value {matcher}`") };
        return Some(format!("set the `{field}` with `--value`{example}"));
    }
    // The names in the matcher, which can be an object with patterns.
    let parts = || matcher.split(['|', ',', '"']).map(str::trim).filter(|part| !part.is_empty());
    for part in parts() {
        if let Some(name) = against.iter().find(|name| *name != part && name.eq_ignore_ascii_case(part)) {
            return Some(format!("names are case-sensitive: write `{name}` instead of `{part}`"));
        }
        let prefix = |name: &&String| name.len() > part.len() && part.len() > 3 && name.starts_with(part);
        if let (false, Some(name)) = (is_object, against.iter().find(prefix)) {
            return Some(format!(
                "`{part}` matches only the whole name; write `{part}.*` for all names with this prefix, such as `{name}`"
            ));
        }
    }
    let near = |part: &str| {
        let limit = (part.chars().count() / 3).min(2);
        against.iter().find(|name| strsim::osa_distance(name, part) <= limit)
    };
    parts().find_map(near).map(|name| format!("did you mean `{name}`?"))
}
