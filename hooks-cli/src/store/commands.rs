//! The commands for a store.

use std::future::Future;

use hook_sdk::protocol::Approval;
use hooks_agent::store::MessageStore;
use hooks_store::{AnswerError, DispatchFilter, JobFilter, OpenOptions, Store, StoredJob};
use serde_json::json;

use super::text;
use super::upkeep::each;
use crate::args::{AnswerArgs, AnswerWord, ConversationsArgs, DispatchesArgs, RetryArgs, RunsArgs, StoreArgs};
use crate::exit::Exit;
use crate::output::{self, Output};
use crate::paths::file_of;
use crate::style::{BAD, styled};
use crate::wait::block_on;

pub(super) fn error(text: impl std::fmt::Display, exit: Exit) -> Output {
    Output::trouble(format!("{}: {text}", styled(BAD, "error")), exit)
}

/// The error of a file that does not exist.
pub(super) fn missing(url: &str) -> Option<Output> {
    let is_missing = file_of(url).is_some_and(|file| !file.exists());
    let missing = || format!("there is no store `{url}`; give the file that the app opens, or a URL");
    is_missing.then(|| error(missing(), Exit::FAILURE))
}

/// Runs `work` on the store. A file that does not exist is not created, because it would be empty.
pub(super) fn with_store<F: Future<Output = Result<Output, String>> + Send>(
    args: &StoreArgs,
    work: impl FnOnce(Store) -> F + Send,
) -> Output {
    with_opened(args, OpenOptions::new().existing(), work)
}

/// The same without a change of the store, not even of its schema.
pub(super) fn with_unchanged<F: Future<Output = Result<Output, String>> + Send>(
    args: &StoreArgs,
    work: impl FnOnce(Store) -> F + Send,
) -> Output {
    with_opened(args, OpenOptions::new().read_only(), work)
}

fn with_opened<F: Future<Output = Result<Output, String>> + Send>(
    args: &StoreArgs,
    opening: OpenOptions,
    work: impl FnOnce(Store) -> F + Send,
) -> Output {
    let url = args.store.as_str();
    if let Some(missing) = missing(url) {
        return missing;
    }
    block_on("store", || async move {
        let store = match opening.open(url).await {
            Ok(store) => store,
            Err(why) => return error(why, Exit::FAILURE),
        };
        let done = work(store.clone()).await;
        // What was stored is stored, and the process ends now.
        let _ = store.close().await;
        done.unwrap_or_else(|why| error(why, Exit::FAILURE))
    })
}

pub(super) fn runs(args: &RunsArgs, as_json: bool) -> Output {
    with_store(&args.store, |store| async move {
        if let Some(id) = &args.id {
            return one_run(&store, id, as_json).await;
        }
        let mut filter = if args.failed { JobFilter::needing_attention() } else { JobFilter::new() };
        if let Some(hook) = &args.hook {
            filter = filter.hook(hook);
        }
        if let Some(conversation) = &args.conversation {
            filter = filter.conversation(conversation);
        }
        if let Some(before) = &args.before {
            filter = filter.before(job(&store, before).await?.id);
        }
        let jobs = store.jobs(&filter, args.limit).await.map_err(|error| error.to_string())?;
        if as_json {
            return Ok(Output::new(output::json(json!({ "version": 1, "runs": jobs })), Exit::SUCCESS));
        }
        let mut lines: Vec<_> = jobs.iter().map(text::job).collect();
        lines.extend(more(&jobs, args.limit).map(|last| format!("more with `--before {}`", text::printable(&last.id))));
        let is_filtered = args.hook.is_some() || args.conversation.is_some() || args.before.is_some();
        let nothing = match (is_filtered, args.failed) {
            (true, _) => "no background run is selected",
            (false, true) => "no background run needs attention",
            (false, false) => "there are no background runs",
        };
        Ok(Output::new(if lines.is_empty() { nothing.to_owned() } else { lines.join("\n") }, Exit::SUCCESS))
    })
}

pub(super) fn dispatches(args: &DispatchesArgs, as_json: bool) -> Output {
    with_store(&args.store, |store| async move {
        let mut filter = DispatchFilter::new();
        if args.failed {
            filter = filter.failed();
        }
        if let Some(hook) = &args.hook {
            filter = filter.hook(hook);
        }
        if let Some(kind) = &args.kind {
            filter = filter.kind(kind);
        }
        if let Some(conversation) = &args.conversation {
            filter = filter.conversation(conversation);
        }
        if let Some(number) = args.before {
            filter = filter.before(number);
        }
        let dispatches = store.dispatches(&filter, args.limit).await.map_err(|error| error.to_string())?;
        if as_json {
            return Ok(Output::new(output::json(json!({ "version": 1, "dispatches": dispatches })), Exit::SUCCESS));
        }
        let mut lines: Vec<_> = dispatches.iter().map(text::dispatch).collect();
        lines.extend(more(&dispatches, args.limit).map(|last| format!("more with `--before {}`", last.number)));
        let selects_all =
            !args.failed && [&args.hook, &args.kind, &args.conversation].iter().all(|part| part.is_none());
        let nothing = if selects_all && args.before.is_none() {
            "no dispatch is recorded; an app records them with `registry.observe(store.dispatch_log())`"
        } else {
            "no dispatch is selected"
        };
        Ok(Output::new(if lines.is_empty() { nothing.to_owned() } else { lines.join("\n") }, Exit::SUCCESS))
    })
}

/// The last row of a full page, behind which there may be more.
fn more<T>(rows: &[T], limit: u32) -> Option<&T> {
    rows.last().filter(|_| rows.len() >= usize::try_from(limit).unwrap_or(usize::MAX))
}

async fn job(store: &Store, id: &str) -> Result<StoredJob, String> {
    let job = store.job(id).await.map_err(|error| error.to_string())?;
    job.ok_or_else(|| format!("there is no run `{id}`; `hooks store runs` lists them"))
}

async fn one_run(store: &Store, id: &str, as_json: bool) -> Result<Output, String> {
    let job = job(store, id).await?;
    let attempts = store.attempts(id).await.map_err(|error| error.to_string())?;
    if as_json {
        return Ok(Output::new(output::json(json!({ "version": 1, "run": job, "attempts": attempts })), Exit::SUCCESS));
    }
    let lines: Vec<_> = std::iter::once(text::job(&job)).chain(attempts.iter().map(text::attempt)).collect();
    Ok(Output::new(lines.join("\n"), Exit::SUCCESS))
}

pub(super) fn retry(args: &RetryArgs, as_json: bool) -> Output {
    with_store(&args.store, |store| async move {
        if args.all {
            let filter = args.hook.iter().fold(JobFilter::new(), JobFilter::hook);
            let queued = store.retry_all(&filter).await.map_err(|error| error.to_string())?;
            let report = output::json(json!({ "version": 1, "queued": queued }));
            return Ok(Output::new(if as_json { report } else { format!("{queued} queued again") }, Exit::SUCCESS));
        }
        let words = ("is queued again", "is not a run that ended without success");
        let retry = |id: String| {
            let store = store.clone();
            async move { store.retry(&id).await }
        };
        each(&args.ids, as_json, words, retry).await
    })
}

pub(super) fn questions(args: &StoreArgs, as_json: bool) -> Output {
    with_store(args, |store| async move {
        let mut questions = store.questions().await.map_err(|error| error.to_string())?;
        questions.extend(store.answered_questions().await.map_err(|error| error.to_string())?);
        if as_json {
            return Ok(Output::new(output::json(json!({ "version": 1, "questions": questions })), Exit::SUCCESS));
        }
        let lines: Vec<_> = questions.iter().map(text::question).collect();
        let text = if lines.is_empty() { "there are no open questions".to_owned() } else { lines.join("\n") };
        Ok(Output::new(text, Exit::SUCCESS))
    })
}

pub(super) fn answer(args: &AnswerArgs, as_json: bool) -> Output {
    let stray = [
        ("--reason", args.reason.is_some(), AnswerWord::No, "no"),
        ("--input", args.input.is_some(), AnswerWord::Edit, "edit"),
        ("--text", args.text.is_some(), AnswerWord::Result, "result"),
    ];
    if let Some((option, _, _, of)) = stray.iter().find(|(_, given, of, _)| *given && args.answer != *of) {
        return error(format!("`{option}` belongs to the answer `{of}`; nothing was answered"), Exit::USAGE);
    }
    let answer = match args.answer {
        AnswerWord::Yes => Approval::Yes,
        AnswerWord::No => Approval::No(args.reason.clone().unwrap_or_else(|| "a person said no".to_owned())),
        AnswerWord::Edit => {
            match serde_json::from_str::<serde_json::Value>(args.input.as_deref().unwrap_or_default()) {
                Ok(input) => Approval::Edited(input.into()),
                Err(why) => return error(format!("`--input` is not JSON: {why}"), Exit::USAGE),
            }
        }
        AnswerWord::Result => Approval::Answer(hook_sdk::data::ToolResult::new(args.text.clone().unwrap_or_default())),
    };
    with_store(&args.store, |store| async move {
        match store.answer(&args.id, &answer).await {
            Ok(question) if as_json => {
                Ok(Output::new(output::json(json!({ "version": 1, "question": question })), Exit::SUCCESS))
            }
            Ok(_) => Ok(Output::new(
                "answered; a turn that waits acts on it at once, any other when its session is resumed",
                Exit::SUCCESS,
            )),
            Err(AnswerError::Unknown(id)) => {
                Err(format!("there is no question `{id}`; `hooks store questions` lists the open ones"))
            }
            Err(why) => Err(why.to_string()),
        }
    })
}

pub(super) fn conversations(args: &ConversationsArgs, as_json: bool) -> Output {
    with_store(&args.store, |store| async move {
        let page = store.conversations(args.from.as_deref(), args.limit).await.map_err(|error| error.to_string())?;
        if as_json {
            let report = json!({ "version": 1, "conversations": page.ids, "next": page.next });
            return Ok(Output::new(output::json(report), Exit::SUCCESS));
        }
        let mut lines: Vec<_> = page.ids.iter().map(|id| text::printable(id)).collect();
        lines.extend(page.next.map(|next| format!("more with `--from {}`", text::printable(&next))));
        let text = if lines.is_empty() { "there are no conversations".to_owned() } else { lines.join("\n") };
        Ok(Output::new(text, Exit::SUCCESS))
    })
}
