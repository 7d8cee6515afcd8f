use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use hooks_core::scope::Definition;
use hooks_core::{ConfigError, HookSet, Registry};

use crate::args::{Cli, Color, Command};
use crate::exit::Exit;
use crate::reply::Reply;
use crate::{about, check, dispatch, explain, list, trust};

/// What the commands are asked about: files of rules, and the compiled hooks of an app.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub(crate) registry: Registry,
    pub(crate) sets: Vec<HookSet>,
}

impl Program {
    /// Files of rules only: no compiled hooks.
    pub fn new() -> Self {
        Self { registry: Registry::empty(), sets: Vec::new() }
    }

    /// Files of rules, and the compiled hooks of `registry`.
    ///
    /// `dispatch` sets the app's list of this registry to the rules of its files, and `check` adds hooks that run them: end
    /// the program with its reply.
    pub fn of(registry: &Registry) -> Self {
        Self { registry: registry.clone(), sets: Vec::new() }
    }

    /// Adds the set of an agent and, where there is one, a prompt: `list`, `explain` and `audit` tell of it.
    ///
    /// # Errors
    /// As [`Registry::scope`]: everything that is wrong at once.
    pub fn scope(mut self, agent: &dyn Definition, prompt: Option<&dyn Definition>) -> Result<Self, ConfigError> {
        self.sets.push(self.registry.scope(agent, prompt)?);
        Ok(self)
    }

    /// Reads the command line of this process, does what it says, and returns how the process is to end.
    pub fn main(&self) -> ExitCode {
        self.run(std::env::args_os())
    }

    /// The same for these arguments, the first of which is the program's name.
    pub fn run(&self, args: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> ExitCode {
        match Cli::try_parse_from(args) {
            Ok(cli) => self.reply(&cli).write(cli.color).into(),
            Err(error) => {
                let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
                let text = error.render().ansi().to_string();
                let exit = if asked { Exit::DONE } else { Exit::NOT_UNDERSTOOD };
                let reply = if asked { Reply::new(text, exit) } else { Reply::trouble(text, exit) };
                reply.write(Color::Auto).into()
            }
        }
    }

    /// What a command says, for an app whose own command line has a [`Cli`]. Reads standard input where the command does;
    /// writes nothing but a sign of life while a hook takes long.
    pub fn reply(&self, cli: &Cli) -> Reply {
        match &cli.command {
            Command::Check(args) => check::check(self, args, cli.json),
            Command::List(args) => list::list(self, args, cli.json),
            Command::Explain(args) => explain::explain(self, args, cli.json),
            Command::Dispatch(args) => dispatch::dispatch(self, args, cli.json),
            Command::Trust(args) => trust::trust(args, cli.json),
            Command::Schema(args) => about::schema(self, args),
            Command::Kinds => about::kinds(self, cli.json),
            Command::Audit => about::audit(self, cli.json),
            Command::Manifest => about::manifest(self),
            Command::Completions { shell } => about::completions(*shell),
        }
    }
}
