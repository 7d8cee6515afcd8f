//! The commands for a store.

use std::future::Future;
use std::io::{self, Write};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use hooks_agent::approve::ApprovalAnswer;
use hooks_agent::store::{MessageStore, StoreError};
use hooks_store::{AnswerError, DispatchFilter, ExportedRows, JobFilter, OpenOptions, Store, Transcript};
use serde_json::json;

use super::text;
use crate::args::{
    AnswerArgs, AnswerWord, ConversationsArgs, DispatchesArgs, ExportArgs, ImportArgs, RetryArgs, RunsArgs, StoreArgs,
};
use crate::diagnostics::count;
use crate::exit::Exit;
use crate::output::{self, Output};
use crate::paint::{BAD, styled};
use crate::wait::{block_on, with_sign_of_life};

fn rows(number: usize) -> String {
    count(number, "row")
}

fn error(text: impl std::fmt::Display, exit: Exit) -> Output {
    Output::trouble(format!("{}: {text}", styled(BAD, "error")), exit)
}

/// Runs `work` on the store. A file that does not exist is not created, because it would be empty.
fn with_store<F: Future<Output = Result<Output, String>> + Send>(
    args: &StoreArgs,
    work: impl FnOnce(Store) -> F + Send,
) -> Output {
    let url = args.store.as_str();
    let file = url.strip_prefix("sqlite:").unwrap_or(url);
    if !url.contains("://") && !std::path::Path::new(file).exists() {
        return error(format!("there is no store `{url}`; give the file that the app opens, or a URL"), Exit::FAULTY);
    }
    block_on("store", || async move {
        let store = match OpenOptions::new().existing().open(url).await {
            Ok(store) => store,
            Err(why) => return error(why, Exit::FAULTY),
        };
        let done = work(store.clone()).await;
        store.close().await;
        done.unwrap_or_else(|why| error(why, Exit::FAULTY))
    })
}

pub(crate) fn runs(args: &RunsArgs, as_json: bool) -> Output {
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
        let jobs = store.jobs(&filter, args.limit).await.map_err(|error| error.to_string())?;
        if as_json {
            return Ok(Output::new(output::json(json!({ "version": 1, "runs": jobs })), Exit::DONE));
        }
        let lines: Vec<_> = jobs.iter().map(text::job).collect();
        let nothing = if args.failed { "no background run needs attention" } else { "there are no background runs" };
        Ok(Output::new(if lines.is_empty() { nothing.to_owned() } else { lines.join("\n") }, Exit::DONE))
    })
}

pub(crate) fn dispatches(args: &DispatchesArgs, as_json: bool) -> Output {
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
        let dispatches = store.dispatches(&filter, args.limit).await.map_err(|error| error.to_string())?;
        if as_json {
            return Ok(Output::new(output::json(json!({ "version": 1, "dispatches": dispatches })), Exit::DONE));
        }
        let lines: Vec<_> = dispatches.iter().map(text::dispatch).collect();
        let nothing = "no dispatch is recorded; an app records them with `registry.observe(store.dispatch_log())`";
        Ok(Output::new(if lines.is_empty() { nothing.to_owned() } else { lines.join("\n") }, Exit::DONE))
    })
}

async fn one_run(store: &Store, id: &str, as_json: bool) -> Result<Output, String> {
    let Some(job) = store.job(id).await.map_err(|error| error.to_string())? else {
        return Err(format!("there is no run `{id}`; `hooks runs` lists them"));
    };
    let attempts = store.attempts(id).await.map_err(|error| error.to_string())?;
    if as_json {
        return Ok(Output::new(output::json(json!({ "version": 1, "run": job, "attempts": attempts })), Exit::DONE));
    }
    let lines: Vec<_> = std::iter::once(text::job(&job)).chain(attempts.iter().map(text::attempt)).collect();
    Ok(Output::new(lines.join("\n"), Exit::DONE))
}

pub(crate) fn retry(args: &RetryArgs, as_json: bool) -> Output {
    with_store(&args.store, |store| async move {
        let (mut queued, mut not) = (Vec::new(), Vec::new());
        for id in &args.ids {
            let is_queued = store.retry(id).await.map_err(|error| error.to_string())?;
            if is_queued { queued.push(id) } else { not.push(id) }
        }
        let exit = if not.is_empty() { Exit::DONE } else { Exit::FAULTY };
        if as_json {
            let report = json!({ "version": 1, "queued": queued, "unchanged": not });
            return Ok(Output::new(output::json(report), exit));
        }
        let said: Vec<_> = queued.iter().map(|id| format!("{} is queued again", text::printable(id))).collect();
        let left =
            |id: &&String| format!("`{}` is not a failed, interrupted or quarantined run\n", text::printable(id));
        Ok(Output::new(said.join("\n"), exit).and_err(&not.iter().map(left).collect::<String>()))
    })
}

pub(crate) fn questions(args: &StoreArgs, as_json: bool) -> Output {
    with_store(args, |store| async move {
        let questions = store.questions().await.map_err(|error| error.to_string())?;
        if as_json {
            return Ok(Output::new(output::json(json!({ "version": 1, "questions": questions })), Exit::DONE));
        }
        let lines: Vec<_> = questions.iter().map(text::question).collect();
        let text = if lines.is_empty() { "there are no open questions".to_owned() } else { lines.join("\n") };
        Ok(Output::new(text, Exit::DONE))
    })
}

pub(crate) fn answer(args: &AnswerArgs, as_json: bool) -> Output {
    let answer = match args.answer {
        AnswerWord::Yes => ApprovalAnswer::Yes,
        AnswerWord::No => ApprovalAnswer::No(args.reason.clone().unwrap_or_else(|| "a person said no".to_owned())),
        AnswerWord::Edit => {
            match serde_json::from_str::<serde_json::Value>(args.input.as_deref().unwrap_or_default()) {
                Ok(input) => ApprovalAnswer::Edited(input.into()),
                Err(why) => return error(format!("`--input` is not JSON: {why}"), Exit::NOT_UNDERSTOOD),
            }
        }
        AnswerWord::Result => {
            ApprovalAnswer::Result(hooks_core::data::ToolResult::new(args.text.clone().unwrap_or_default()))
        }
    };
    with_store(&args.store, |store| async move {
        match store.answer(&args.id, &answer).await {
            Ok(question) if as_json => {
                Ok(Output::new(output::json(json!({ "version": 1, "question": question })), Exit::DONE))
            }
            Ok(_) => Ok(Output::new(
                "answered; a turn that waits acts on it at once, any other when its session is resumed",
                Exit::DONE,
            )),
            Err(AnswerError::Unknown(id)) => {
                Err(format!("there is no question `{id}`; `hooks questions` lists the open ones"))
            }
            Err(why) => Err(why.to_string()),
        }
    })
}

pub(crate) fn conversations(args: &ConversationsArgs, as_json: bool) -> Output {
    with_store(&args.store, |store| async move {
        let page = store.conversations(args.from.as_deref(), args.limit).await.map_err(|error| error.to_string())?;
        if as_json {
            let report = json!({ "version": 1, "conversations": page.ids, "next": page.next });
            return Ok(Output::new(output::json(report), Exit::DONE));
        }
        let mut lines: Vec<_> = page.ids.iter().map(|id| text::printable(id)).collect();
        lines.extend(page.next.map(|next| format!("more with `--from {}`", text::printable(&next))));
        let text = if lines.is_empty() { "there are no conversations".to_owned() } else { lines.join("\n") };
        Ok(Output::new(text, Exit::DONE))
    })
}

/// Writes each row to `out` as it is read, because a conversation can be long.
pub(crate) fn export(args: &ExportArgs, out: &mut (dyn io::Write + Send)) -> Output {
    with_store(&args.store, |store| async move {
        let count = AtomicUsize::new(0);
        let export = export_rows(store.rows(&args.conversation), out, &count);
        let written = with_sign_of_life(export, || format!("{} exported", rows(count.load(Relaxed)))).await;
        let output = match written {
            // As with a reader that has seen enough, such as `head`.
            Err(why) if why.kind() == io::ErrorKind::BrokenPipe => return Ok(Output::new("", Exit::DONE)),
            Err(why) => return Ok(error(format!("the rows cannot be written: {why}"), Exit::NOT_WRITTEN)),
            Ok(output) => output,
        };
        if count.into_inner() == 0 && output.exit == Exit::DONE {
            return Err(format!("there is no conversation `{}`; `hooks conversations` lists them", args.conversation));
        }
        Ok(output)
    })
}

/// A row that cannot be read does not hide those after it.
async fn export_rows(
    mut rows: ExportedRows,
    out: &mut (dyn io::Write + Send),
    count: &AtomicUsize,
) -> io::Result<Output> {
    let mut output = Output::new("", Exit::DONE);
    let mut out = io::BufWriter::new(out);
    while let Some(row) = rows.next().await {
        match row {
            Ok(row) => {
                serde_json::to_writer(&mut out, &row)?;
                out.write_all(b"\n")?;
                count.fetch_add(1, Relaxed);
            }
            Err(why) => {
                output = output.and_err(&format!("{}\n", error(why, Exit::FAULTY).err));
                output.exit = Exit::FAULTY;
            }
        }
    }
    out.flush()?;
    Ok(output)
}

pub(crate) fn import(args: &ImportArgs, as_json: bool) -> Output {
    let name = text::printable(&args.file.to_string_lossy());
    let read = std::fs::File::open(&args.file)
        .and_then(|file| Transcript::claude_code(std::io::BufReader::new(file)))
        .map_err(|why| format!("{name}: {why}"));
    let transcript = match read {
        Ok(transcript) if transcript.messages.is_empty() => {
            return error(
                format!("{name}: this is not a transcript of Claude Code: it contains no message"),
                Exit::FAULTY,
            );
        }
        Ok(transcript) => transcript,
        Err(why) => return error(why, Exit::FAULTY),
    };
    let Some(conversation) = args.conversation.clone().or_else(|| transcript.session.clone()) else {
        return error(
            format!("{name}: it names no session; give the conversation an id with `--conversation`"),
            Exit::NOT_UNDERSTOOD,
        );
    };
    with_store(&args.store, |store| async move {
        let id = text::printable(&conversation);
        let import = store.import(&conversation, &transcript);
        let rows = match with_sign_of_life(import, || format!("importing {}", rows(transcript.messages.len()))).await {
            Ok(rows) => rows,
            Err(StoreError::Conflict) => {
                return Err(format!(
                    "the conversation `{id}` exists, and nothing was imported; name another one with `--conversation`"
                ));
            }
            Err(why) => return Err(why.to_string()),
        };
        let read = transcript.messages.iter().filter(|entry| entry.is_read).count();
        let report = json!({
            "version": 1, "conversation": conversation, "rows": rows.len(), "read": read,
            "skipped": transcript.skipped, "unreadable_lines": transcript.unreadable,
        });
        // A line that cannot be read may have been a message.
        let exit = if transcript.unreadable.is_empty() { Exit::DONE } else { Exit::FAULTY };
        if as_json {
            return Ok(Output::new(output::json(report), exit));
        }
        Ok(Output::new(text::imported(&id, rows.len(), read, &transcript), exit))
    })
}
