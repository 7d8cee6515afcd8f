//! The commands with which an operator looks after a store.

use hooks_agent::store::StoreError;
use hooks_store::{Cleaning, OpenOptions, Store};
use serde_json::json;

use super::commands::{error, missing, with_store, with_unchanged};
use super::text;
use crate::args::{CleanArgs, IdsArgs, MigrateArgs, PutOffArgs, StoreArgs};
use crate::diagnostics::count;
use crate::exit::Exit;
use crate::output::{self, Output};
use crate::paths::file_of;
use crate::wait::block_on;

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// The text, or the report as JSON.
fn report(as_json: bool, report: serde_json::Value, text: impl Into<String>) -> Output {
    Output::new(if as_json { output::json(report) } else { text.into() }, Exit::SUCCESS)
}

pub(super) fn stats(args: &StoreArgs, as_json: bool) -> Output {
    with_store(args, |store| async move {
        let stats = store.queue_stats().await.map_err(said)?;
        let lines: Vec<_> = stats.iter().map(text::stats).collect();
        let text = if lines.is_empty() { "no background run waits or failed".to_owned() } else { lines.join("\n") };
        Ok(report(as_json, json!({ "version": 1, "hooks": stats }), text))
    })
}

/// Changes each of these, and says which could not be changed.
pub(super) async fn each<F: Future<Output = Result<bool, StoreError>> + Send>(
    ids: &[String],
    as_json: bool,
    (done, not): (&str, &str),
    change: impl Fn(String) -> F + Send,
) -> Result<Output, String> {
    let (mut changed, mut unchanged, mut failed) = (Vec::new(), Vec::new(), Vec::new());
    for id in ids {
        match change(id.clone()).await {
            Ok(true) => changed.push(id),
            Ok(false) => unchanged.push(id),
            // What is done is done, and said.
            Err(error) => failed.push((id, said(error))),
        }
    }
    let exit = if unchanged.is_empty() && failed.is_empty() { Exit::SUCCESS } else { Exit::FAILURE };
    if as_json {
        let failed: Vec<_> = failed.iter().map(|(id, error)| json!({ "id": id, "error": error })).collect();
        let report = json!({ "version": 1, "changed": changed, "unchanged": unchanged, "failed": failed });
        return Ok(Output::new(output::json(report), exit));
    }
    let lines: Vec<_> = changed.iter().map(|id| format!("{} {done}", text::printable(id))).collect();
    let left = |id: &&String| format!("`{}` {not}\n", text::printable(id));
    let failure = |(id, error): &(&String, String)| format!("`{}`: {}\n", text::printable(id), text::printable(error));
    let left: String = unchanged.iter().map(left).chain(failed.iter().map(failure)).collect();
    Ok(Output::new(lines.join("\n"), exit).and_err(&left))
}

const NOT_WAITING: &str = "is not a run that waits";

pub(super) fn cancel(args: &IdsArgs, as_json: bool) -> Output {
    with_store(&args.store, |store| async move {
        let cancel = |id: String| {
            let store = store.clone();
            async move { store.cancel(&id).await }
        };
        each(&args.ids, as_json, ("is cancelled", NOT_WAITING), cancel).await
    })
}

pub(super) fn put_off(args: &PutOffArgs, as_json: bool) -> Output {
    with_store(&args.runs.store, |store| async move {
        let put_off = |id: String| {
            let store = store.clone();
            async move { store.put_off(&id, args.by).await }
        };
        each(&args.runs.ids, as_json, ("is put off", NOT_WAITING), put_off).await
    })
}

pub(super) fn delete(args: &IdsArgs, as_json: bool) -> Output {
    with_store(&args.store, |store| async move {
        let delete = |id: String| {
            let store = store.clone();
            async move { store.delete_conversation(&id).await }
        };
        each(&args.ids, as_json, ("is deleted", "is no conversation"), delete).await
    })
}

pub(super) fn clean(args: &CleanArgs, as_json: bool) -> Output {
    let work = |store: Store| async move {
        let mut cleaning = Cleaning::older_than(args.older_than);
        if args.failed {
            cleaning = cleaning.failed_jobs();
        }
        if args.dry_run {
            cleaning = cleaning.dry_run();
        }
        let cleaned = store.clean(cleaning).await.map_err(said)?;
        let number = |number: u64, noun: &str| count(usize::try_from(number).unwrap_or(usize::MAX), noun);
        let text = format!(
            "{}, {} and {} of dispatches {}removed",
            number(cleaned.jobs, "run"),
            number(cleaned.questions, "question"),
            number(cleaned.dispatches, "record"),
            if args.dry_run { "would be " } else { "" }
        );
        Ok(report(as_json, json!({ "version": 1, "dry_run": args.dry_run, "removed": cleaned }), text))
    };
    if args.dry_run { with_unchanged(&args.store, work) } else { with_store(&args.store, work) }
}

pub(super) fn vacuum(args: &StoreArgs, as_json: bool) -> Output {
    with_store(args, |store| async move {
        let freed = store.vacuum().await.map_err(said)?;
        Ok(report(
            as_json,
            json!({ "version": 1, "freed_bytes": freed }),
            format!("{} kB were given back", freed / 1_000),
        ))
    })
}

pub(super) fn check(args: &StoreArgs, as_json: bool) -> Output {
    with_unchanged(args, |store: Store| async move {
        let damage = store.check().await.map_err(said)?;
        let text = match damage.as_slice() {
            [] if file_of(&args.store).is_some() => "no damage was found".to_owned(),
            [] => "no damage was found; Postgres checks its own files".to_owned(),
            found => found.join("\n"),
        };
        let exit = if damage.is_empty() { Exit::SUCCESS } else { Exit::FAILURE };
        Ok(Output { exit, ..report(as_json, json!({ "version": 1, "damage": damage }), text) })
    })
}

pub(super) fn migrate(args: &MigrateArgs, as_json: bool) -> Output {
    let url = args.store.store.as_str();
    if let Some(missing) = missing(url) {
        return missing;
    }
    block_on("store", || async move {
        let schema = match OpenOptions::new().schema(url).await {
            Ok(schema) => schema,
            Err(why) => return error(why, Exit::FAILURE),
        };
        let Some(found) = schema.found else { return error("the database has no tables of a store", Exit::FAILURE) };
        let known = schema.known;
        // Opening it migrates it, and refuses a newer one.
        if (!args.dry_run || found > known)
            && let Err(why) = OpenOptions::new().existing().open(url).await
        {
            return error(why, Exit::FAILURE);
        }
        let text = match found {
            _ if found == known => format!("the schema is {known}, which is the current one"),
            _ if args.dry_run => format!("the schema is {found}, and would be migrated to {known}"),
            _ => format!("the schema was {found}, and is {known} now"),
        };
        report(as_json, json!({ "version": 1, "dry_run": args.dry_run, "found": found, "known": known }), text)
    })
}
