//! The command line.

#[cfg(feature = "store")]
mod store;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use hooks_rules::Dialect;

use crate::event_name::EventName;
use crate::paths::is_a_pipe;
#[cfg(feature = "store")]
pub use store::{
    AnswerArgs, AnswerWord, CleanArgs, ConversationsArgs, DispatchesArgs, IdsArgs, ImportArgs, MigrateArgs, PutOffArgs,
    RetryArgs, RunsArgs, StoreArgs, StoreCommand, StoreExportArgs,
};

const EXIT_STATUS: &str = "\
Exit status:
   0  success, and nothing was denied; replay: no difference
   1  a file has errors, a hook failed, or audit found a problem (explain reports these and exits with 0);
      trust: a file cannot be shown, or a file to remove was not trusted; replay: differences, but no changed verdict
   2  dispatch: the call, prompt, compaction or end of the turn is denied; replay: a verdict changed
   3  dispatch: a person has to decide, because a rule asks or defers; replay: a line could not be replayed, or
      compared with certainty; report, export, shadow: something was left out
  64  the command line or the payload is invalid; nothing ran
  74  the output or the trust file could not be written
  77  dispatch: the files are not trusted, and nothing ran; trust: not confirmed
 130  interrupted; 143 terminated. Processes that it started were ended";

/// Checks, lists, explains and runs hooks.
#[derive(Clone, Debug, Parser)]
#[command(name = "hooks", version, after_help = EXIT_STATUS)]
#[non_exhaustive]
pub struct Cli {
    /// What to do. Without a command, print the rules in force here and their files.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Print JSON.
    #[arg(long, global = true)]
    pub json: bool,

    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Color,
}

/// What to do.
#[derive(Clone, Debug, Subcommand)]
#[non_exhaustive]
pub enum Command {
    /// Report every defect of rule files.
    Check(CheckArgs),
    /// List the rules of files, and the compiled hooks.
    List(ListArgs),
    /// Explain which rules would run, in which order, and why the others would not.
    Explain(ExplainArgs),
    /// Show all sources of rules here, what each switch does, and what keeps a rule from running or would make it fail.
    Doctor(DoctorArgs),
    /// Run the rules for a payload from standard input, and report each run and the combined answer.
    Dispatch(DispatchArgs),
    /// Run recorded dispatches or transcripts of other programs through the current hooks, and report differences.
    Replay(ReplayArgs),
    /// Show recordings as a page: one HTML file that loads nothing.
    Report(ReportArgs),
    /// Serve that page on 127.0.0.1, with what is recorded meanwhile.
    #[cfg(feature = "inspect")]
    Inspect(InspectArgs),
    /// Report what shadow hooks would have decided, from recordings.
    Shadow(ShadowArgs),
    /// Show everything that files would run, ask for confirmation, and trust their current content.
    Trust(TrustArgs),
    /// Answer an agent program, such as Claude Code, which calls this; install that call: `hooks host --help`.
    #[command(disable_help_flag = true)]
    Host(HostArgs),
    /// Write a recording for OpenTelemetry.
    Export(ExportArgs),
    /// Look after what an agent keeps in a database: background runs, dispatches, questions, conversations.
    #[cfg(feature = "store")]
    #[command(subcommand)]
    Store(StoreCommand),
    /// Print a JSON Schema for editors.
    Schema(SchemaArgs),
    /// List the kinds, the points at which hooks run.
    Kinds,
    /// Report valid but suspicious setups of the compiled hooks.
    Audit,
    /// Print all compiled hooks and all kinds as JSON.
    Manifest,
    /// Print completions for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
}

/// The arguments of `replay`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct ReplayArgs {
    /// Recordings, transcripts of Claude Code, Codex or goose, messages in OpenAI's chat format, or folders of these.
    #[arg(value_name = "FILE", required = true)]
    pub recordings: Vec<PathBuf>,

    /// A rule file for the replay. Its commands run, as they do in `dispatch`.
    #[arg(long, value_name = "FILE")]
    pub rules: Vec<PathBuf>,

    /// The project of the rules: `CLAUDE_PROJECT_DIR`, and where a command runs if the folder of its transcript is gone
    /// [default: the current folder].
    #[arg(long, value_name = "FOLDER")]
    pub project_dir: Option<PathBuf>,

    /// Which files may run.
    #[command(flatten)]
    pub trusted: TrustedArgs,

    /// Compare the current hooks with a candidate instead of the recording: either overrides (`candidate.toml`) on top of the
    /// current ones, or a rule file instead of `--rules`.
    #[arg(long, value_name = "FILE", value_parser = file())]
    pub set: Option<PathBuf>,

    /// Compare the recordings with this one, without running hooks.
    #[arg(long, value_name = "FILE", value_parser = file(), conflicts_with_all = ["rules", "set"])]
    pub against: Option<PathBuf>,

    /// Replay whole turns, with a model and tools that return the recorded answers. If a turn diverges, stop there
    /// (`strict`), or continue with the recorded answers (`loose`).
    #[cfg(feature = "turns")]
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "strict",
          conflicts_with_all = ["against", "set"])]
    pub turns: Option<Turns>,

    /// Write the report as a self-contained HTML page.
    #[arg(long, value_name = "FILE", value_parser = file())]
    pub html: Option<PathBuf>,

    /// Print annotations for a GitHub workflow.
    #[arg(long, conflicts_with = "json")]
    pub github: bool,
}

/// The arguments of `report`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct ReportArgs {
    /// Recordings, or folders of recordings.
    #[arg(value_name = "FILE")]
    #[cfg_attr(feature = "store", arg(required_unless_present = "store"))]
    #[cfg_attr(not(feature = "store"), arg(required = true))]
    pub recordings: Vec<PathBuf>,

    /// The HTML file to write.
    #[arg(long, short, value_name = "FILE", value_parser = file())]
    pub output: PathBuf,

    /// Also show what the current hooks, or those of `--rules`, would do with the recordings.
    #[arg(long, requires = "recordings")]
    pub replay: bool,

    /// A rule file for the replay. Its commands run, as they do in `dispatch`.
    #[arg(long, value_name = "FILE", requires = "replay")]
    pub rules: Vec<PathBuf>,

    /// Which files may run.
    #[command(flatten)]
    pub trusted: TrustedArgs,

    /// Also show the dispatches, questions and background runs of this store.
    #[cfg(feature = "store")]
    #[arg(long, value_name = "FILE_OR_URL", value_parser = store_url)]
    pub store: Option<String>,
}

/// The arguments of `export`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct ExportArgs {
    /// A recording, or a folder of recordings, whose turns, calls and dispatches are written as OTLP/JSON.
    #[arg(long, value_name = "RECORDING")]
    pub otlp: PathBuf,

    /// The file to write [default: standard output].
    #[arg(long, short, value_name = "FILE", value_parser = file())]
    pub output: Option<PathBuf>,
}

/// The arguments of `inspect`.
#[cfg(feature = "inspect")]
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct InspectArgs {
    /// A recording. New lines appear as they are written.
    #[arg(long, value_name = "FILE", required_unless_present = "store")]
    pub recording: Option<PathBuf>,

    /// A store: its questions, which the page can answer, and its background runs, which it can queue again.
    #[cfg_attr(not(feature = "store"), arg(hide = true))]
    #[cfg_attr(feature = "store", arg(value_parser = store_url))]
    #[arg(long, value_name = "FILE_OR_URL")]
    pub store: Option<String>,

    /// The port [default: a free one].
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
}

/// The arguments of `shadow`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct ShadowArgs {
    /// Recordings, or folders of recordings.
    #[arg(value_name = "FILE", required = true)]
    pub recordings: Vec<PathBuf>,
}

/// Which files count as trusted.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct TrustedArgs {
    /// Confirm that you have reviewed the commands of these files, so that they count as trusted.
    #[arg(long)]
    pub trust: bool,

    /// The trust file, which lists the trusted files and their content at that time [default: hooks/trust.json among your
    /// settings].
    #[arg(long, value_name = "FILE", conflicts_with = "trust", value_parser = file())]
    pub trust_file: Option<PathBuf>,
}

/// Rule files.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct FilesArgs {
    /// Rule files in order of precedence, the folder of a plugin, or `-` for standard input [default: your settings, the
    /// settings of the project, and those of plugins].
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The format of the files, if their content does not show it.
    #[arg(long, value_enum, value_name = "FORM")]
    pub dialect: Option<Form>,

    /// The name that scripts use for a tool with another name in the program. Can be repeated.
    #[arg(long, value_name = "OWN=WIRE")]
    pub alias: Vec<String>,

    /// The folder of the session: where commands run, and `CLAUDE_PROJECT_DIR` [default: the current folder].
    #[arg(long, value_name = "FOLDER")]
    pub project_dir: Option<PathBuf>,
}

/// `check`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct CheckArgs {
    /// The files.
    #[command(flatten)]
    pub files: FilesArgs,

    /// Treat warnings as errors.
    #[arg(long)]
    pub strict: bool,

    /// How to print the defects.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// `list`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct ListArgs {
    /// The files.
    #[command(flatten)]
    pub files: FilesArgs,

    /// Which of them count as trusted.
    #[command(flatten)]
    pub trusted: TrustedArgs,
}

/// `doctor`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct DoctorArgs {
    /// The files.
    #[command(flatten)]
    pub files: FilesArgs,

    /// Which of them count as trusted.
    #[command(flatten)]
    pub trusted: TrustedArgs,
}

/// `explain`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct ExplainArgs {
    /// The event, such as `PreToolUse`.
    #[arg(long, value_parser = EventName, hide_possible_values = true)]
    pub event: String,

    /// The tool that is called, by its name in the program or on the wire.
    #[arg(long)]
    pub tool: Option<String>,

    /// The tool's input, as JSON.
    #[arg(long, value_name = "JSON")]
    pub input: Option<String>,

    /// The value for the event's matchers if it is not a tool: the source, the trigger, the reason or the agent.
    #[arg(long)]
    pub value: Option<String>,

    /// The files.
    #[command(flatten)]
    pub files: FilesArgs,

    /// Which of them count as trusted.
    #[command(flatten)]
    pub trusted: TrustedArgs,
}

/// `dispatch`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct DispatchArgs {
    /// The event [default: the payload's `hook_event_name`].
    #[arg(long, value_parser = EventName, hide_possible_values = true)]
    pub event: Option<String>,

    /// The payload is one of this host, such as `codex`: also show how `hooks host` answers it. `--event` is an event of the
    /// host, where its payload does not say it.
    #[arg(long, value_name = "HOST", conflicts_with = "follow")]
    pub host: Option<String>,

    /// Which files may run.
    #[command(flatten)]
    pub trusted: TrustedArgs,

    /// Also show the output of each command.
    #[arg(long, short)]
    pub verbose: bool,

    /// Keep variables that look like credentials out of the environment of commands.
    #[arg(long)]
    pub withhold_credentials: bool,

    /// At the end of a turn, fire again while rules continue the turn, as a loop would.
    #[arg(long)]
    pub follow: bool,

    /// Seconds to wait for async commands. Commands that are still running then are ended.
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub wait: Duration,

    /// The files.
    #[command(flatten)]
    pub files: FilesArgs,
}

/// `trust`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct TrustArgs {
    /// The trust file, which is created if it does not exist [default: hooks/trust.json among your settings].
    #[arg(long, value_name = "FILE", value_parser = file())]
    pub trust_file: Option<PathBuf>,

    /// Do not ask for confirmation.
    #[arg(long, conflicts_with_all = ["list", "remove"])]
    pub yes: bool,

    /// List the trusted files, and which of them have changed since.
    #[arg(long, conflicts_with_all = ["remove", "files", "dialect"])]
    pub list: bool,

    /// Stop trusting these files. They do not have to exist any more.
    #[arg(long, conflicts_with = "dialect")]
    pub remove: bool,

    /// The format of the files, if their content does not show it.
    #[arg(long, value_enum, value_name = "FORM")]
    pub dialect: Option<Form>,

    /// Rule files, or the folder of a plugin [default: the rule files of this project].
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// `host`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct HostArgs {
    /// A command and its arguments, or the name of a host: see `hooks host --help`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORD")]
    pub words: Vec<OsString>,
}

/// `schema`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct SchemaArgs {
    /// The format of the files.
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    pub dialect: Form,

    /// Print the schema of agent and prompt files instead, with the ids of the compiled hooks.
    #[arg(long, conflicts_with = "dialect")]
    pub definitions: bool,
}

/// The format of a rule file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// Nested groups.
    #[default]
    Claude,
    /// Flat handlers.
    Agentao,
}

impl From<Form> for Dialect {
    fn from(form: Form) -> Self {
        match form {
            Form::Claude => Self::Claude,
            Form::Agentao => Self::Agentao,
        }
    }
}

/// What happens if a turn diverges from the recorded one.
#[cfg(feature = "turns")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Turns {
    /// Stop at the divergence.
    Strict,
    /// Continue with the recorded answers.
    Loose,
}

#[cfg(feature = "turns")]
impl From<Turns> for hooks_replay::Matching {
    fn from(turns: Turns) -> Self {
        match turns {
            Turns::Strict => Self::Strict,
            Turns::Loose => Self::Loose,
        }
    }
}

/// How `check` prints defects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for people.
    #[default]
    Text,
    /// The report of `--json`.
    Json,
    /// Annotations for a GitHub workflow.
    Github,
    /// SARIF 2.1.0.
    Sarif,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl From<Color> for anstream::ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    number.filter(|limit| *limit <= Duration::from_secs(3_600)).ok_or_else(|| "a number from 0 to 3600".to_owned())
}

/// A file that is no pipe: whoever opened that would wait for somebody at its other end.
pub(crate) fn file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|file| if is_a_pipe(&file) { Err("it is a pipe; name a file") } else { Ok(file) })
}

#[cfg(feature = "store")]
fn store_url(text: &str) -> Result<String, &'static str> {
    let is_pipe = crate::paths::file_of(text).is_some_and(|file| is_a_pipe(&file));
    if is_pipe { Err("it is a pipe; name the file of a store") } else { Ok(text.to_owned()) }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_definition_is_valid() {
        super::Cli::command().debug_assert();
    }
}
