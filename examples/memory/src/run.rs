//! Runs the program.

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::app::{App, AppError};
use crate::args::Args;
use crate::show;

/// A short conversation over three days. On each day, a new conversation begins and the notes are reopened.
const DAYS: [(&str, &[&str]); 3] = [
    (
        "Monday",
        &[
            "Hello, my dog is called Nori and I am allergic to peanuts.",
            "Remember that the spare key is with Mrs Ortiz.",
        ],
    ),
    (
        "Tuesday",
        &[
            "What is my dog called?",
            "What could we cook for dinner?",
            "Don't remember this: my locker code is 4411.",
            "Without your notes: what is my dog called?",
        ],
    ),
    ("Wednesday", &["What is my locker code?", "Please forget my dog.", "What is my dog called?"]),
];

/// The error of a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The app failed.
    #[error(transparent)]
    App(#[from] AppError),
    /// Reading or writing failed.
    #[error("standard input or output: {0}")]
    Io(#[from] io::Error),
}

/// Runs the program and reports errors on standard error.
pub async fn main(args: &Args) -> ExitCode {
    match run(args).await {
        Ok(()) => ExitCode::SUCCESS,
        // The reader closed the pipe.
        Err(RunError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

async fn run(args: &Args) -> Result<(), RunError> {
    let folder = tempfile::tempdir()?;
    let file = args.db.clone().unwrap_or_else(|| folder.path().join("notes.redb"));
    match &args.prompts[..] {
        [] => {
            for (day, prompts) in DAYS {
                writeln!(io::stdout(), "== {day}\n")?;
                talk(&file, prompts.iter().map(|prompt| Ok((*prompt).to_owned()))).await?;
            }
            Ok(())
        }
        [dash] if dash == "-" => talk(&file, io::stdin().lock().lines()).await,
        prompts => talk(&file, prompts.iter().cloned().map(Ok)).await,
    }
}

/// Runs a conversation. The jobs of each turn are completed before the next one, so that they can be shown with it.
async fn talk(file: &Path, prompts: impl Iterator<Item = io::Result<String>>) -> Result<(), RunError> {
    let app = App::open(file)?;
    let session = app.session().await?;
    for prompt in prompts {
        let prompt = prompt?;
        let said = app.say(&session, &prompt).await;
        show::turn(&mut io::stdout(), &prompt, &said)?;
        show::jobs(&mut io::stdout(), said).await?;
    }
    drop(session);
    app.close().await;
    Ok(())
}
