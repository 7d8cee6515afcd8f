//! The `main` of a program with hooks.

use std::ffi::OsString;
use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use crate::call::{BuildError, Call, Local};
use crate::doctor::{Diagnosis, asked, diagnose, hookless, is_used, never_fired, remarks, uncounted, unselected};
use crate::host::Host;
use crate::hosts;
use crate::install::{FileChange, InstallError, Installation};
use crate::outlet::read_to_end;
use crate::place::words;
use crate::respond::Responder;
#[cfg(unix)]
use crate::serve;

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
    before: Vec<String>,
    options: Vec<String>,
    build: Box<dyn Fn() -> Result<Responder, BuildError> + Send + Sync>,
    sources: Box<dyn Fn() -> Vec<u8> + Send + Sync>,
    lingers: Box<dyn Fn() -> bool + Send + Sync>,
    of_options: Option<Box<Rebuild>>,
}

/// Builds the hooks of the options of a command.
type Rebuild = dyn Fn(&[String]) -> Result<Responder, BuildError> + Send + Sync;

impl fmt::Debug for HookProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookProgram").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Answers hosts with every hook that is linked into the program. The arguments are those of [`HookProgram::run`].
pub fn main() -> ExitCode {
    HookProgram::new(|| Ok(Responder::discover()?)).run(std::env::args_os())
}

/// The commands of a [`HookProgram`].
pub const USAGE: &str = "  install [HOST…] [--user] [--serve]
                               names this program in the files of hosts, of the project or of the person
  uninstall [HOST…] [--user]   removes its entries, and files and folders in which nothing else is
  doctor [HOST…] [--user] [--deadline SECONDS]
                               tells whether hosts really ask
  serve [--socket PATH]        keeps the hooks loaded, for `host NAME --serve`
  host NAME [--event EVENT] [--deadline SECONDS] [--serve | --socket PATH]
                               answers a host, which calls it";

impl HookProgram {
    /// A program with these hooks. They are built only when they are needed; if that fails, a host hears a refusal.
    pub fn new(build: impl Fn() -> Result<Responder, BuildError> + Send + Sync + 'static) -> Self {
        Self {
            name: String::new(),
            before: Vec::new(),
            options: Vec::new(),
            build: Box::new(build),
            sources: Box::new(Vec::new),
            lingers: Box::new(|| false),
            of_options: None,
        }
    }

    /// What the hooks are built from besides the program, such as the content of files. A server builds its hooks anew when
    /// this is another; they go on with what those before have kept for conversations.
    pub fn sources(mut self, sources: impl Fn() -> Vec<u8> + Send + Sync + 'static) -> Self {
        self.sources = Box::new(sources);
        self
    }

    /// Whether some of the hooks go on after the answer, such as asynchronous rules. A process of its own then judges each call,
    /// so that the host waits for the answer alone.
    pub fn lingers(mut self, lingers: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.lingers = Box::new(lingers);
        self
    }

    /// Arguments that stand between the program and `host` in the entries of hosts.
    pub fn arguments(mut self, before: impl IntoIterator<Item = String>) -> Self {
        self.before = before.into_iter().collect();
        self
    }

    /// Arguments that stand behind the event in the entries of hosts. The program reads them itself, before
    /// [`run`](Self::run).
    pub fn options(mut self, behind: impl IntoIterator<Item = String>) -> Self {
        self.options = behind.into_iter().collect();
        self
    }

    /// The hooks of a command that is installed with these [options](Self::options). `doctor` looks at them if it is called with
    /// none.
    pub fn of_options(
        mut self,
        build: impl Fn(&[String]) -> Result<Responder, BuildError> + Send + Sync + 'static,
    ) -> Self {
        self.of_options = Some(Box::new(build));
        self
    }

    /// Does what the arguments say; the first one is the program. `host claude --event PreToolUse` answers Claude Code,
    /// `install claude` or `host install claude` names the program in its settings.
    pub fn run(self, args: impl IntoIterator<Item = OsString>) -> ExitCode {
        self.status(args).into()
    }

    /// Like [`run`](Self::run), with the status as a number.
    pub fn status(mut self, args: impl IntoIterator<Item = OsString>) -> u8 {
        let args: Vec<String> = args.into_iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        let program = args.first().map(|path| Path::new(path).file_stem().unwrap_or_default().to_string_lossy());
        self.name = program.unwrap_or_default().into_owned();
        let commands = args.get(1..).unwrap_or_default();
        let is_host = commands.first().is_some_and(|word| word == "host");
        let (command, rest) = commands[usize::from(is_host)..].split_first().map_or(("", &[][..]), |(c, r)| (c, r));
        let asks_for_help = |word: &str| ["-h", "--help"].contains(&word);
        let is_own = ["install", "uninstall", "doctor", "serve"].contains(&command);
        match command {
            _ if is_own && rest.iter().any(|word| asks_for_help(word)) => told(Ok(self.usage())),
            word if word == "help" || asks_for_help(word) => told(Ok(self.usage())),
            "install" => told(self.install(rest)),
            "uninstall" => told(self.uninstall(rest)),
            "doctor" => told(self.doctor(rest)),
            #[cfg(unix)]
            "serve" => told(self.serve(rest)),
            _ if is_host => self.host(&commands[1..]),
            _ => told(Err(self.usage())),
        }
    }

    fn usage(&self) -> String {
        format!("usage: {} COMMAND\n{USAGE}\n", self.name)
    }

    /// Whatever is wrong with the arguments, the host hears of it. One that is not known takes this status as a refusal, and no
    /// other so surely.
    fn host(self, args: &[String]) -> u8 {
        let host = match args.first().ok_or("name a host".to_owned()).and_then(|name| host_of(name)) {
            Ok(host) => host,
            Err(problem) => {
                read_to_end(std::io::stdin().lock());
                complain(&problem);
                return 2;
            }
        };
        let mut call = Call { event: None, deadline: None };
        let (mut socket, mut problem) = (None, None);
        let mut options = args[1..].iter();
        while let Some(option) = options.next() {
            let mut value = || options.next().ok_or_else(|| format!("`{option}` needs a value"));
            let read = match option.as_str() {
                "--event" => value().map(|name| call.event = Some(name.clone())),
                "--deadline" => value().and_then(|text| seconds(text)).map(|deadline| call.deadline = Some(deadline)),
                "--socket" => value().map(|path| socket = Some(PathBuf::from(path))),
                #[cfg(unix)]
                "--serve" => self.socket().map(|path| socket = Some(path)),
                _ => Err(format!("`{option}` is no option of `host`\n{USAGE}")),
            };
            problem = problem.or(read.err());
        }
        if let Some(problem) = problem {
            return call.run(host, BuildError::from(problem));
        }
        #[cfg(unix)]
        if let Some(socket) = socket {
            return call.run(host, serve::Remote { server: serve::Server::At(socket), options: self.options });
        } else if (self.lingers)() {
            let words = ["host", "serve", "--once"].map(str::to_owned);
            let args = self.before.iter().chain(&words).chain(&self.options).cloned().collect();
            return call.run(host, serve::Remote { server: serve::Server::Once(args), options: self.options });
        }
        #[cfg(not(unix))]
        if socket.is_some() {
            return call.run(host, BuildError::from("there is no server here"));
        }
        call.run(host, Local(self.build))
    }

    /// The socket of this program, unless another is named.
    #[cfg(unix)]
    fn socket(&self) -> Result<PathBuf, String> {
        let folder = serve::folder().ok_or("there is no folder for a socket")?;
        Ok(folder.join(format!("hooks-{}.sock", self.name)))
    }

    #[cfg(unix)]
    fn serve(self, args: &[String]) -> Result<String, String> {
        let default = self.socket();
        let mut hooks = serve::Hooks { build: self.build, sources: self.sources, options: self.options };
        let socket = match args {
            [option] if option == "--once" => {
                hooks.build = Box::new(move || (hooks.build)().map(Responder::of_one_event));
                return serve::serve_once(&hooks).map(|()| String::new()).map_err(|error| error.to_string());
            }
            [] => default?,
            [option, path] if option == "--socket" => path.into(),
            _ => return Err(format!("`serve` takes `--socket PATH` and nothing else\n{USAGE}")),
        };
        #[allow(clippy::print_stdout, reason = "whoever starts a server waits for this")]
        let listens = || println!("listens at {}", socket.display());
        serve::serve(&socket, hooks, listens).map_err(|error| format!("{}: {error}", socket.display()))?;
        Ok(String::new())
    }

    fn install(self, args: &[String]) -> Result<String, String> {
        let (serve, args): (Vec<_>, Vec<_>) = args.iter().cloned().partition(|arg| cfg!(unix) && arg == "--serve");
        let (hosts, mut installation) = self.named(&args)?;
        let is_served = !serve.is_empty();
        installation.options.splice(0..0, serve);
        let responder = (self.build)().map_err(|error| format!("the hooks cannot be loaded: {error}"))?;
        // A host that never asks is none where a guard is installed, nor one whose earlier guard is taken away.
        let silent = hosts
            .iter()
            .filter(|host| asked(host, &responder).next().is_none())
            .flat_map(|host| never_fired(host, &responder));
        let useless = hosts.iter().flat_map(|host| unselected(host, &responder).0).chain(silent);
        let useless: Vec<String> = hookless(&responder).into_iter().chain(useless).collect();
        if !useless.is_empty() {
            return Err(format!("nothing was installed: {}", useless.join("\n")));
        }
        let before: Vec<Vec<String>> =
            hosts.iter().map(|host| installation.installed(host).unwrap_or_default()).collect();
        let done = changed(&hosts, |host| installation.install(host, &|kind| responder.is_concerned(kind)), true);
        let mut text = String::new();
        for (host, before) in hosts.iter().zip(before) {
            let now = installation.installed(host).unwrap_or_default();
            if let Some(replaced) = before.iter().find(|old| !now.contains(old)) {
                let shown: String = replaced.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
                let _ = writeln!(text, "{}: in place of `{shown}`", host.name);
            }
            for why in remarks(host, &installation, &responder) {
                let _ = writeln!(text, "{}: {why}", host.name);
            }
        }
        for why in responder.warnings.iter().cloned().chain(uncounted(&responder).filter(|_| !is_served)) {
            let _ = writeln!(text, "warning: {why}");
        }
        let with_remarks = |done: String| done + &text;
        done.map(with_remarks).map_err(with_remarks)
    }

    fn uninstall(self, args: &[String]) -> Result<String, String> {
        let (hosts, installation) = self.named(args)?;
        let uninstall = |host: &'static Host| {
            let done = installation.uninstall(host)?;
            for change in &done {
                if let FileChange::Deleted(file) = change {
                    remove_empty(file, &installation.root);
                }
            }
            Ok(done)
        };
        changed(&hosts, uninstall, false)
    }

    fn doctor(self, args: &[String]) -> Result<String, String> {
        let (args, patience) = match args {
            [args @ .., option, text] if option == "--deadline" => (args, seconds(text)?),
            _ => (args, Duration::from_secs(20)),
        };
        let everything: Vec<String> = hosts::all().iter().map(|host| host.name.to_owned()).collect();
        let has_host = args.iter().any(|arg| !arg.starts_with('-'));
        let all = if has_host { args.to_vec() } else { [args, &everything].concat() };
        let (hosts, installation) = self.named(&all)?;
        let built = (self.build)();
        let found = hosts.iter().map(|host| {
            let other = self.of_options.as_ref().filter(|_| built.is_err()).and_then(|build| {
                let words = words(installation.installed(host).ok()?.first()?)?;
                let options: Vec<String> = words.into_iter().skip_while(|word| word != "--event").skip(2).collect();
                Some(build(&options))
            });
            let responder = other.as_ref().unwrap_or(&built);
            let mut found = diagnose(host, &installation, responder.as_ref().ok(), patience);
            let unchecked = |error| format!("whether all events are installed was not checked: {error}");
            found.notes.extend(responder.as_ref().err().filter(|_| !found.commands.is_empty()).map(unchecked));
            found
        });
        let found: Vec<Diagnosis> = found.filter(|found| has_host || !found.commands.is_empty()).collect();
        let mut text: String = found.iter().map(Diagnosis::text).collect();
        if let Some(why) = built.as_ref().ok().and_then(hookless) {
            let _ = writeln!(text, "{why}");
            return Err(text);
        }
        if found.iter().any(|found| !found.problems.is_empty()) {
            return Err(text);
        }
        Ok(if text.is_empty() { "not installed at any host\n".to_owned() } else { text })
    }

    /// The hosts and the place that the arguments name; without a host, those that have a folder there.
    fn named(&self, args: &[String]) -> Result<(Vec<&'static Host>, Installation), String> {
        let user = args.iter().any(|arg| arg == "--user");
        let root = if user {
            std::env::var_os("HOME").map(PathBuf::from).ok_or("`HOME` is not set")?
        } else {
            std::env::current_dir().map_err(|error| error.to_string())?
        };
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let (arguments, options) = (self.before.clone(), self.options.clone());
        let installation = Installation { root, user, moved: user, program, arguments, options };
        let names: Vec<&String> = args.iter().filter(|arg| *arg != "--user").collect();
        if names.is_empty() {
            let has_folder = |host: &&&'static Host| is_used(host, &installation);
            let found: Vec<_> = hosts::all().iter().filter(has_folder).copied().collect();
            if found.is_empty() {
                return Err(format!("no host has a folder in {}; name one", installation.root.display()));
            }
            return Ok((found, installation));
        }
        let found: Result<Vec<_>, String> = names.into_iter().map(|name| host_of(name)).collect();
        Ok((found?, installation))
    }
}

/// Removes the folders of a file below `root` in which nothing is left.
fn remove_empty(file: &Path, root: &Path) {
    let mut folders = file.ancestors().skip(1).take_while(|folder| *folder != root);
    // One that is not empty stays, and so do those around it.
    let _ = folders.try_for_each(std::fs::remove_dir);
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "`--deadline` is a number of seconds".to_owned())
}

fn host_of(name: &str) -> Result<&'static Host, String> {
    let known: Vec<&str> = hosts::all().iter().map(|host| host.name).collect();
    hosts::find(name).ok_or_else(|| format!("there is no host `{name}`; there are {}", known.join(", ")))
}

/// What was changed at each host, also if another one cannot be changed.
fn changed(
    hosts: &[&'static Host],
    change: impl Fn(&'static Host) -> Result<Vec<FileChange>, InstallError>,
    installs: bool,
) -> Result<String, String> {
    let (mut text, mut failed) = (String::new(), false);
    for host in hosts {
        let done = change(host);
        failed |= done.is_err();
        let lines: Vec<String> = match &done {
            Err(error) => vec![format!("error: {error}")],
            Ok(changes) if changes.is_empty() => vec!["not installed here".to_owned()],
            Ok(changes) => changes.iter().map(FileChange::to_string).collect(),
        };
        for line in lines {
            let _ = writeln!(text, "{}: {line}", host.name);
        }
        let is_gone = |change: &FileChange| matches!(change, FileChange::Removed(_)) && !host.place.gone.is_empty();
        let gone = done.iter().flatten().any(is_gone).then_some(host.place.gone);
        for then in gone.into_iter().chain((installs && done.is_ok()).then_some(host.place.then)) {
            let _ = writeln!(text, "  then: {then}");
        }
    }
    if failed { Err(text) } else { Ok(text) }
}

fn told(result: Result<String, String>) -> u8 {
    match result {
        Ok(text) => {
            // Whoever reads it may have gone.
            let _ = io::stdout().write_all(text.as_bytes());
            0
        }
        Err(problem) => {
            complain(&problem);
            1
        }
    }
}

fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{}", text.trim_end());
}
