//! Runs a case, and returns the actual outcome under the names that a case may expect.

use std::sync::{Arc, Mutex};

use hook_sdk::prelude::*;
use hook_sdk::record::Record;
use hook_sdk::scope::HookUse;
use hook_sdk::{JsonError, JsonFired};
use serde_json::{Map, Value, json};

use super::case::Case;
use super::hooks::Finished;
use super::points::{Point, point};

/// The actual outcome of a case.
pub(crate) type Seen = Map<String, Value>;

/// Runs the case in paused time.
///
/// # Errors
/// What is wrong with the case itself.
pub(crate) fn seen(case: &Case) -> Result<Seen, String> {
    let finished = Finished::default();
    let registry = Registry::empty();
    let mut problems = Vec::new();
    for spec in &case.hooks {
        let made = (point(spec.kind.as_ref().unwrap_or(&case.kind))?.hook)(spec, &finished)?;
        problems.extend(registry.register(made).err().map(|error| problem_texts(&error)).unwrap_or_default());
    }
    for id in &case.disabled {
        registry.disable(id).map_err(|error| format!("`disabled`: {error}"))?;
    }
    let set = match scope(case, &registry)? {
        Ok(set) if problems.is_empty() => set,
        other => {
            problems.extend(other.err().map(|error| problem_texts(&error)).unwrap_or_default());
            let finished = finished.lock().unwrap().clone();
            return Ok(Seen::from_iter([
                ("problems".to_owned(), problems.into()),
                ("finished".to_owned(), finished.into()),
            ]));
        }
    };
    let audit = registry.audit([&set]).iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut seen = fired(case, &registry, &point(&case.kind)?)?;
    let finished = finished.lock().unwrap().clone();
    seen.extend([
        ("audit".to_owned(), audit.into()),
        ("finished".to_owned(), finished.into()),
        ("problems".to_owned(), json!([])),
    ]);
    Ok(seen)
}

fn problem_texts(error: &ConfigError) -> Vec<String> {
    error.problems().iter().map(ToString::to_string).collect()
}

/// Makes the set of the lists in the case.
fn scope(case: &Case, registry: &Registry) -> Result<Result<HookSet, ConfigError>, String> {
    let wrong = |error: hook_sdk::scope::DefinitionError| error.to_string();
    let kinds = hook_sdk::kinds::all();
    let outside = kinds.iter().any(|kind| kind.name == case.kind && kind.outside_turn);
    let (mut app, mut agent) = (case.app.clone(), case.agent.clone());
    if app.is_none() && agent.is_none() && case.prompt.is_none() {
        let all: Value = case.hooks.iter().map(|spec| spec.id.clone()).collect();
        *(if outside { &mut app } else { &mut agent }) = Some(all);
    }
    if let Some(list) = &app {
        let list: Vec<HookUse> = serde_json::from_value(list.clone()).map_err(|error| format!("`app`: {error}"))?;
        registry.set_app(AppDef::new("app").hooks(list));
    }
    let agent = AgentDef::from_json("agent.json", &definition("agent", agent.as_ref())).map_err(wrong)?;
    let prompt = |list| PromptDef::from_json("prompt.json", &definition("prompt", Some(list)));
    let prompt = case.prompt.as_ref().map(prompt).transpose().map_err(wrong)?;
    Ok(registry.scope(&agent, prompt.as_ref().map(|prompt| prompt as _)))
}

/// Fires the kind, with a new set and an observer.
fn fired(case: &Case, registry: &Registry, point: &Point) -> Result<Seen, String> {
    let heard: Arc<Mutex<Option<Record>>> = Arc::default();
    let into = Arc::clone(&heard);
    registry.observe(move |record: &Record| *into.lock().unwrap() = Some(record.clone()));
    let set = scope(case, registry)?.map_err(|error| error.to_string())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let (outcome, took) = runtime.block_on(async {
        let start = tokio::time::Instant::now();
        let cx = HookContext::new();
        let outcome = set.fire_json(&case.kind, &cx, case.event.clone(), case.subject.clone()).await;
        (outcome, u64::try_from(start.elapsed().as_millis()).unwrap())
    });
    let mut seen = match outcome {
        Ok(fired) => of_fired(fired),
        Err(JsonError::Dispatch(error)) => Seen::from_iter([
            ("error".to_owned(), error.to_string().into()),
            ("subject".to_owned(), (point.given_back)(error)),
        ]),
        Err(other) => return Err(other.to_string()),
    };
    seen.insert("took".to_owned(), took.into());
    seen.extend(of_record(heard.lock().unwrap().as_ref()));
    Ok(seen)
}

fn of_fired(fired: JsonFired) -> Seen {
    let report = &fired.report;
    let failures: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
    let mut seen = Seen::from_iter([
        ("failures".to_owned(), failures.into()),
        ("removed_by".to_owned(), report.removed_by.as_ref().map_or(Value::Null, |id| id.as_str().into())),
        ("halt".to_owned(), report.halt.as_ref().map_or(Value::Null, |halt| halt.reason.as_str().into())),
    ]);
    if let Ok(all) = serde_json::from_value::<Contributions>(fired.verdict.clone()) {
        seen.extend(of_contributions(&all));
    }
    seen.insert("subject".to_owned(), fired.subject.unwrap_or_default());
    seen.insert("verdict".to_owned(), fired.verdict);
    seen
}

/// The merged views of contributions.
fn of_contributions(all: &Contributions) -> Seen {
    let (policies, context, sections, tools) =
        (all.policies(), all.prompt_context(), all.prompt_sections(), all.tool_bundles());
    let diagnostics = [&policies.diagnostics, &context.diagnostics, &sections.diagnostics, &tools.diagnostics];
    let reported: Vec<_> = diagnostics.into_iter().flatten().collect();
    let policy = |one: &hook_sdk::verdict::PolicyEntry<'_>| (format!("{}.{}", one.domain, one.key), one.value.clone());
    Seen::from_iter([
        ("policies".to_owned(), policies.entries.iter().map(policy).collect()),
        ("contexts".to_owned(), context.entries.iter().map(|one| &*one.text).collect()),
        ("sections".to_owned(), sections.entries.iter().map(|one| format!("{}: {}", one.title, one.text)).collect()),
        ("tools".to_owned(), tools.added.iter().map(|tool| &*tool.name).collect()),
        ("codes".to_owned(), reported.iter().map(|one| one.code.to_string()).collect()),
        ("diagnostics".to_owned(), reported.iter().map(|one| one.text.clone()).collect()),
    ])
}

/// `runs` is empty if there was no record at all.
fn of_record(record: Option<&Record>) -> Seen {
    let runs = || record.iter().flat_map(|record| &record.runs);
    let note = |run: &hook_sdk::record::Run| {
        run.note.map(|note| format!("{}: {}", run.hook, serde_json::to_value(note).unwrap().as_str().unwrap()))
    };
    Seen::from_iter([
        ("runs".to_owned(), runs().map(|run| format!("{}: {}", run.hook, run.status)).collect()),
        ("changed".to_owned(), runs().filter(|run| run.changed).map(|run| run.hook.as_str()).collect()),
        ("notes".to_owned(), runs().filter_map(note).collect()),
    ])
}

/// A definition, as it would be written in a file.
fn definition(name: &str, hooks: Option<&Value>) -> String {
    let hooks = hooks.map(|hooks| format!(r#", "hooks": {hooks}"#)).unwrap_or_default();
    format!(r#"{{"name": "{name}"{hooks}}}"#)
}
