//! The commands that move conversations out of a store and into it.

use std::io::{self, Write};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use hooks_agent::store::StoreError;
use hooks_store::{ExportedRows, Transcript};
use serde_json::json;

use super::commands::{error, with_store};
use super::text;
use crate::args::{ImportArgs, StoreExportArgs};
use crate::diagnostics::count;
use crate::exit::Exit;
use crate::output::{self, Output};
use crate::wait::with_sign_of_life;

fn rows(number: usize) -> String {
    count(number, "row")
}

/// Writes each row to `out` as it is read, because a conversation can be long.
pub(super) fn export(args: &StoreExportArgs, out: &mut (dyn io::Write + Send)) -> Output {
    with_store(&args.store, |store| async move {
        let count = AtomicUsize::new(0);
        let export = export_rows(store.rows(&args.conversation), out, &count);
        let written = with_sign_of_life(export, || format!("{} exported", rows(count.load(Relaxed)))).await;
        let output = match written {
            // As with a reader that has seen enough, such as `head`.
            Err(why) if why.kind() == io::ErrorKind::BrokenPipe => return Ok(Output::new("", Exit::SUCCESS)),
            Err(why) => return Ok(error(format!("the rows cannot be written: {why}"), Exit::IO_ERROR)),
            Ok(output) => output,
        };
        if count.into_inner() == 0 && output.exit == Exit::SUCCESS {
            return Err(format!(
                "there is no conversation `{}`; `hooks store conversations` lists them",
                args.conversation
            ));
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
    let mut output = Output::new("", Exit::SUCCESS);
    let mut out = io::BufWriter::new(out);
    while let Some(row) = rows.next().await {
        match row {
            Ok(row) => {
                serde_json::to_writer(&mut out, &row)?;
                out.write_all(b"\n")?;
                count.fetch_add(1, Relaxed);
            }
            Err(why) => {
                output = output.and_err(&format!("{}\n", error(why, Exit::FAILURE).err));
                output.exit = Exit::FAILURE;
            }
        }
    }
    out.flush()?;
    Ok(output)
}

pub(super) fn import(args: &ImportArgs, as_json: bool) -> Output {
    let name = text::printable(&args.file.to_string_lossy());
    let read = std::fs::File::open(&args.file)
        .and_then(|file| Transcript::claude_code(std::io::BufReader::new(file)))
        .map_err(|why| format!("{name}: {why}"));
    let transcript = match read {
        Ok(transcript) if transcript.messages.is_empty() => {
            return error(
                format!("{name}: this is not a transcript of Claude Code: it contains no message"),
                Exit::FAILURE,
            );
        }
        // Each may have been a message, without which the conversation is another one.
        Ok(transcript) if !transcript.unreadable.is_empty() => {
            let lines: Vec<_> = transcript.unreadable.iter().map(|number| format!("\n  line {number}")).collect();
            return error(
                format!(
                    "{name}: nothing was imported, because these lines cannot be read; repair or delete them{}",
                    lines.concat()
                ),
                Exit::FAILURE,
            );
        }
        Ok(transcript) => transcript,
        Err(why) => return error(why, Exit::FAILURE),
    };
    let Some(conversation) = args.conversation.clone().or_else(|| transcript.session.clone()) else {
        return error(
            format!("{name}: it names no session; give the conversation an id with `--conversation`"),
            Exit::USAGE,
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
            "skipped": transcript.skipped,
        });
        let out = if as_json { output::json(report) } else { text::imported(&id, rows.len(), read, &transcript) };
        Ok(Output::new(out, Exit::SUCCESS))
    })
}
