//! The `main` of a program with hooks.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use crate::call::{BuildError, Call, Local};
use crate::hosts;
use crate::respond::Responder;

/// A program that answers hosts with its hooks, and that installs itself.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     hooks_hosts::main()
/// }
/// ```
#[must_use = "call `run` with the arguments"]
pub struct HookProgram {
    name: String,
    build: Box<dyn FnOnce() -> Result<Responder, BuildError> + Send>,
}

impl fmt::Debug for HookProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookProgram").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Answers hosts with every hook that is linked into the program. The arguments are those of [`HookProgram::run`].
pub fn main() -> ExitCode {
    HookProgram::new(|| Ok(Responder::discover()?)).run(std::env::args_os())
}

const USAGE: &str = "\
usage: PROGRAM host NAME [--event EVENT] [--deadline SECONDS]   answers a host, which calls it";

impl HookProgram {
    /// A program with these hooks. They are built only when a host asks; an error refuses what it asks.
    pub fn new(build: impl FnOnce() -> Result<Responder, BuildError> + Send + 'static) -> Self {
        Self { name: String::new(), build: Box::new(build) }
    }

    /// Does what the arguments say; the first one is the program. `host claude --event PreToolUse` answers Claude Code.
    pub fn run(mut self, args: impl IntoIterator<Item = OsString>) -> ExitCode {
        let args: Vec<String> = args.into_iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        let program = args.first().map(|path| Path::new(path).file_stem().unwrap_or_default().to_string_lossy());
        self.name = program.unwrap_or_default().into_owned();
        match args.get(1).map(String::as_str) {
            Some("host") => self.host(&args[2..]),
            _ => complain(USAGE, 1),
        }
    }

    /// Whatever is wrong with the arguments, a host takes this status as a refusal, and no other so surely.
    fn host(self, args: &[String]) -> ExitCode {
        let Some(host) = args.first().and_then(|name| hosts::find(name)) else {
            let known: Vec<&str> = hosts::all().iter().map(|host| host.table().name).collect();
            return complain(&format!("name one of the hosts: {}", known.join(", ")), 2);
        };
        let mut call = Call { program: self.name, event: None, deadline: None };
        let mut options = args[1..].iter();
        while let Some(option) = options.next() {
            match (option.as_str(), options.next()) {
                ("--event", Some(name)) => call.event = Some(name.clone()),
                ("--deadline", Some(seconds)) => match seconds.parse() {
                    Ok(seconds) => call.deadline = Duration::try_from_secs_f64(seconds).ok(),
                    Err(_) => return complain("`--deadline` is a number of seconds", 2),
                },
                _ => return complain(&format!("`{option}` is no option of `host`\n{USAGE}"), 2),
            }
        }
        call.run(host, Local(self.build))
    }
}

#[allow(clippy::print_stderr, reason = "a program says what is wrong with its arguments")]
fn complain(text: &str, status: u8) -> ExitCode {
    eprintln!("{text}");
    ExitCode::from(status)
}
