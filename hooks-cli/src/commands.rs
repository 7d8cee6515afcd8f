//! Runs the command of a command line.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::args::{Cli, Color, Command};
use crate::exit::Exit;
use crate::inputs::usage_error;
#[cfg(feature = "inspect")]
use crate::inspect;
use crate::output::Output;
use crate::program::Program;
#[cfg(feature = "store")]
use crate::store;
use crate::{check, dispatch, doctor, explain, export, host, list, overview, reference, replay, report, trust};

impl Program {
    /// Parses the command line of this process, runs the command, and returns the exit status.
    pub fn main(&self) -> ExitCode {
        self.run(std::env::args_os())
    }

    /// Like [`main`](Self::main), with these arguments. The first one is the program's name.
    pub fn run(&self, args: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> ExitCode {
        // Unless the app has installed its own.
        hook_sdk::record::set_redactor(hooks_secrets::redact);
        let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
        // A host hears every mistake of its command line as a refusal, and it waits: nothing else is parsed.
        if let [_, command, words @ ..] = args.as_slice()
            && command == "host"
        {
            return host::host(self, &[], words).write(Color::Auto).into();
        }
        let as_json = args.iter().any(|arg| arg == "--json");
        match Cli::try_parse_from(args) {
            Ok(cli) => self.answer_to(&cli, &mut io::stdout()).write(cli.color).into(),
            Err(error) => {
                let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
                let text = error.render().ansi().to_string() + &left_out(&error);
                let exit = if asked { Exit::SUCCESS } else { Exit::USAGE };
                let output = if asked { Output::new(text, exit) } else { Output::trouble(text, exit) };
                let output = if as_json && !asked { output.with_error_json() } else { output };
                output.write(Color::Auto).into()
            }
        }
    }

    /// The output of a command, for apps whose own command line contains a [`Cli`]. Reads standard input if the command
    /// does, and writes only a progress indicator while a hook takes long.
    pub fn output(&self, cli: &Cli) -> Output {
        let mut written = Vec::new();
        let output = self.answer_to(cli, &mut written);
        Output { out: String::from_utf8_lossy(&written).into_owned() + &output.out, ..output }
    }

    /// The output of a command, except what a command with a long output has written to `out`.
    fn answer_to(&self, cli: &Cli, out: &mut (dyn io::Write + Send)) -> Output {
        let output = self.answer(cli, out);
        let says_nothing = output.out.is_empty() && output.exit != Exit::SUCCESS;
        if cli.json && says_nothing { output.with_error_json() } else { output }
    }

    fn answer(&self, cli: &Cli, out: &mut (dyn io::Write + Send)) -> Output {
        let Some(command) = &cli.command else { return overview::overview(self, cli.json) };
        match command {
            Command::Check(args) => check::check(self, args, cli.json),
            Command::List(args) => list::list(self, args, cli.json),
            Command::Doctor(args) => doctor::doctor(self, args, cli.json),
            Command::Explain(args) => explain::explain(self, args, cli.json),
            Command::Dispatch(args) => dispatch::dispatch(self, args, cli.json),
            Command::Replay(args) => replay::replay(self, args, cli.json),
            Command::Report(args) => report::report(self, args, cli.json),
            #[cfg(feature = "inspect")]
            Command::Inspect(_) if cli.json => usage_error("inspect serves a page; remove --json"),
            #[cfg(feature = "inspect")]
            Command::Inspect(args) => inspect::inspect(self, args),
            Command::Shadow(args) => replay::shadow(args, cli.json),
            Command::Trust(args) => trust::trust(args, cli.json, cli.color),
            #[cfg(feature = "store")]
            Command::Store(command) => store::store(command, cli.json, out),
            Command::Export(args) => export::export(args, cli.json, out),
            Command::Host(args) => {
                let called: Vec<OsString> = std::env::args_os().collect();
                let at = called.iter().position(|word| word == "host").unwrap_or(1);
                host::host(self, called.get(1..at).unwrap_or_default(), &args.words)
            }
            Command::Schema(args) => reference::schema(self, args),
            Command::Kinds => reference::kinds(self, cli.json),
            Command::Audit => reference::audit(self, cli.json),
            Command::Manifest => reference::manifest(self),
            Command::Completions { .. } if cli.json => {
                usage_error("completions are a script for a shell; remove --json")
            }
            Command::Completions { shell } => reference::completions(*shell),
        }
    }
}

/// Says how to get a command that this build does not have.
fn left_out(error: &clap::Error) -> String {
    let commands = [("inspect", cfg!(feature = "inspect")), ("store", cfg!(feature = "store"))];
    let Some(ContextValue::String(named)) = error.get(ContextKind::InvalidSubcommand) else { return String::new() };
    match commands.iter().find(|(command, is_there)| command == named && !is_there) {
        Some((command, _)) => {
            format!("\nThis build has no `{command}`: install it again with `--features {command}`.\n")
        }
        None => String::new(),
    }
}
