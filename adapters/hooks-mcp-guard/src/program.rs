//! The program: its arguments, the server that it starts, and the lines between the two.

use std::error::Error;
use std::ffi::OsString;
use std::future::pending;
use std::io;
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus, Stdio};
use std::time::Duration;

use hook_sdk::{CancellationToken, HookContext};
use hooks_mcp::McpGuard;
use tokio::io::BufReader;
use tokio::process::{Child, Command};
use tokio::sync::mpsc::channel;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::rules;
use crate::session::{Lines, Session};
use crate::streams::{Reports, next_line, take_stdout, write_lines};

const USAGE: &str = "\
Judges the calls of an MCP server's tools, for a client that starts this program in its place.

usage: hooks-mcp-guard --name SERVER [OPTIONS] -- COMMAND [ARGUMENTS…]

--name SERVER          hooks see its tools as `mcp__SERVER__TOOL`
--rules FILE           the rules that judge (repeatable); `hooks trust FILE` first
--project-dir FOLDER   `CLAUDE_PROJECT_DIR` of their commands [default: the current folder]
--tool TOOL            offers only these of its tools (repeatable) [default: all]
";

/// How many lines wait for a reader before whoever writes them waits too.
const WAITING_LINES: usize = 64;
/// How long the server, and then what is left, may take when the program is told to end. Clients kill it after a few seconds.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long calls may still be judged, and answers be read, after the server has ended.
const JUDGING: Duration = Duration::from_secs(60);

#[derive(Default)]
struct Options {
    name: String,
    rules: Vec<PathBuf>,
    project: Option<PathBuf>,
    tools: Vec<String>,
    command: Vec<OsString>,
}

impl Options {
    fn read(args: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let mut options = Self::default();
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let name = arg.to_string_lossy().into_owned();
            // `--name=x` is `--name x`.
            let (name, mut written) = match name.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name.to_owned(), Some(OsString::from(value))),
                _ => (name, None),
            };
            let mut value = || written.take().or_else(|| args.next()).ok_or_else(|| format!("`{name}` needs a value"));
            match name.as_str() {
                "--name" => options.name = value()?.to_string_lossy().into_owned(),
                "--rules" => options.rules.push(value()?.into()),
                "--project-dir" => options.project = Some(value()?.into()),
                "--tool" => options.tools.push(value()?.to_string_lossy().into_owned()),
                "--" => {
                    options.command = args.collect();
                    break;
                }
                _ => return Err(format!("`{name}` is no option")),
            }
        }
        match (options.name.is_empty(), options.command.is_empty()) {
            (true, _) => Err("name the server: `--name SERVER`".to_owned()),
            (_, true) => Err("name the server's command behind `--`".to_owned()),
            _ => Ok(options),
        }
    }
}

/// Runs the program with the arguments of this process. Hooks that are linked into it judge beside the rules.
#[allow(clippy::print_stderr, clippy::print_stdout, reason = "a program says why it ends, and what it can do")]
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    if args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--help" || arg == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    if args.first().is_some_and(|arg| arg == "--version") {
        println!("hooks-mcp-guard {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    let options = match Options::read(args) {
        Ok(options) => options,
        Err(problem) => {
            eprintln!("hooks-mcp-guard: {problem}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match start(options) {
        Ok(status) => status,
        Err(problem) => {
            eprintln!("hooks-mcp-guard: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn start(options: Options) -> Result<ExitCode, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let status = runtime.block_on(run(options));
    // Standard input is read on a thread that nothing can wake.
    runtime.shutdown_background();
    status
}

async fn run(options: Options) -> Result<ExitCode, Box<dyn Error>> {
    let reports = Reports::default();
    let (hooks, rules) = rules::load(&options.name, &options.rules, options.project, &reports)?;
    // One client, as long as it is connected: what hooks count in a conversation, they count for it.
    let conversation = format!("{}-{}", options.name, std::process::id());
    let cx = HookContext::builder().agent("hooks-mcp-guard").conversation(conversation);
    let cx = hooks.context(cx.workspace(std::env::current_dir()?))?;
    let mut guard = McpGuard::new(hooks, options.name)?.context(cx);
    if !options.tools.is_empty() {
        guard = guard.offer(move |tool| options.tools.iter().any(|offered| offered == tool));
    }
    let stdout = take_stdout()?;
    let mut server = Command::new(&options.command[0]);
    server.args(&options.command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let named = |error| format!("{} cannot be started: {error}", options.command[0].display());
    let mut server = server.spawn().map_err(named)?;
    let (Some(stdin), Some(said)) = (server.stdin.take(), server.stdout.take()) else {
        return Err("the server has no standard streams".into());
    };

    let (to_client, client_lines) = channel(WAITING_LINES);
    let (to_server, server_lines) = channel(WAITING_LINES);
    let mut written = tokio::spawn(write_lines(stdout, client_lines));
    tokio::spawn(write_lines(stdin, server_lines));
    let calls = CancellationToken::new();
    let session = Session::new(guard, to_client, reports, rules, calls.clone());
    let mut client = tokio::spawn(hear_client(session.clone(), to_server.clone()));
    let mut said = BufReader::new(said);
    let server_session = session.clone();
    let mut hear_server = Box::pin(async move {
        while let Some(line) = next_line(&mut said).await? {
            server_session.server_line(line).await;
        }
        Ok::<_, io::Error>(())
    });
    let is_told: Result<bool, Box<dyn Error>> = tokio::select! {
        heard = &mut hear_server => heard.map(|()| false).map_err(Into::into),
        problem = failure_of(&mut client, to_server) => Err(problem),
        told = told_to_end() => {
            interrupt(&server);
            // Its last words count.
            let heard = timeout(PATIENCE, &mut hear_server).await.unwrap_or(Ok(()));
            told.and(heard).map(|()| true).map_err(Into::into)
        }
    };
    client.abort();
    session.end();
    drop((session, hear_server));
    if !matches!(is_told, Ok(false)) {
        // The processes of rules end with their calls.
        calls.cancel();
        let _ = timeout(PATIENCE, &mut written).await;
    }
    let is_told = is_told?;
    // What is being judged is answered, and what is answered is read.
    if !is_told {
        let too_long = async {
            tokio::select! {
                told = told_to_end() => told?,
                () = tokio::time::sleep(JUDGING) => {}
            }
            calls.cancel();
            tokio::time::sleep(PATIENCE).await;
            Ok::<_, io::Error>(())
        };
        tokio::select! {
            _ = &mut written => {}
            told = too_long => told?,
        }
    }
    let Ok(status) = timeout(PATIENCE, server.wait()).await else {
        return Err(format!("the server did not end within {PATIENCE:?}, and is killed").into());
    };
    Ok(code(status?))
}

async fn hear_client(session: Session, server: Lines) -> io::Result<()> {
    let mut stdin = BufReader::new(tokio::io::stdin());
    while let Some(line) = next_line(&mut stdin).await? {
        session.client_line(line, &server).await;
    }
    Ok(())
}

/// Waits for a failure alone: a client that has closed its side still reads. `server` stays open until the end of the client
/// is known to be none: a server whose input ends may end well, and its status would hide the failure.
async fn failure_of(client: &mut JoinHandle<io::Result<()>>, server: Lines) -> Box<dyn Error> {
    match client.await {
        Ok(Ok(())) => {
            drop(server);
            pending().await
        }
        Ok(Err(error)) => error.into(),
        Err(error) => error.into(),
    }
}

#[cfg(unix)]
async fn told_to_end() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let (mut interrupt, mut hangup) = (signal(SignalKind::interrupt())?, signal(SignalKind::hangup())?);
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        _ = hangup.recv() => {}
    }
    Ok(())
}

#[cfg(not(unix))]
async fn told_to_end() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}

/// Tells the server to end. If it does not, it is killed.
fn interrupt(server: &Child) {
    #[cfg(unix)]
    if let Some(id) = server.id().and_then(|id| rustix::process::Pid::from_raw(id.cast_signed())) {
        // It may have ended by itself.
        let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
    }
    #[cfg(not(unix))]
    let _ = server;
}

/// The status of the server as that of this program; one that a signal has ended failed.
fn code(status: ExitStatus) -> ExitCode {
    status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}
