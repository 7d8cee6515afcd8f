//! The command line.

#[cfg(feature = "store")]
mod store;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use hooks_rules::Dialect;

use crate::event_name::EventName;
#[cfg(feature = "store")]
pub use store::{
    AnswerArgs, AnswerWord, ConversationsArgs, DispatchesArgs, ExportArgs, RetryArgs, RunsArgs, StoreArgs,
};

const EXIT_STATUS: &str = "\
Exit status:
   0  success; dispatch: nothing was denied; replay: nothing differs
   1  a file has errors, a hook failed, or audit found a problem (explain reports problems and exits with 0);
      trust: a file cannot be shown, or cannot be removed because it was not trusted;
      replay: something other than a verdict differs
   2  dispatch: the call, the prompt, the compaction or the end of the turn was denied; replay: a verdict flipped
   3  dispatch: a rule asks or defers, so somebody else decides; replay: a line could not be replayed
  64  the command line or the payload is invalid; nothing ran
  74  the output or the trust file could not be written
  77  dispatch: the files are not trusted, and nothing ran; trust: nobody confirmed
 130  interrupted, 143 terminated; all started commands were ended";

/// Check, list, explain, try and replay hooks.
#[derive(Clone, Debug, Parser)]
#[command(name = "hooks", version, after_help = EXIT_STATUS)]
#[non_exhaustive]
pub struct Cli {
    /// The command. Without one, `hooks` lists the hooks that apply here, and where each comes from.
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
    /// Report every problem in rule files.
    Check(CheckArgs),
    /// List the rules in files, and the compiled hooks.
    List(ListArgs),
    /// Explain which rules would run, in which order, and why the others would not.
    Explain(ExplainArgs),
    /// Run the rules for a payload from standard input, and print each run and the combined answer.
    Dispatch(DispatchArgs),
    /// Replay recordings, or transcripts of other programs, through today's hooks, and report what differs.
    Replay(ReplayArgs),
    /// Report what hooks in shadow mode would have decided, from recordings.
    Shadow(ShadowArgs),
    /// Show everything that files would run, ask, and trust the files in their current state.
    Trust(TrustArgs),
    /// List the background runs of a store: queued, running and ended.
    #[cfg(feature = "store")]
    Runs(RunsArgs),
    /// List the recorded dispatches of a store: which hooks ran, what they decided, and what failed.
    #[cfg(feature = "store")]
    Dispatches(DispatchesArgs),
    /// Queue background runs again that failed, were interrupted or are quarantined.
    #[cfg(feature = "store")]
    Retry(RetryArgs),
    /// List the open questions of a store: those without an answer, and those whose answer no turn has used yet.
    #[cfg(feature = "store")]
    Questions(StoreArgs),
    /// Answer a question of a store.
    #[cfg(feature = "store")]
    Answer(AnswerArgs),
    /// List the conversations of a store.
    #[cfg(feature = "store")]
    Conversations(ConversationsArgs),
    /// Print a conversation of a store as JSON lines, with every row that was ever stored.
    #[cfg(feature = "store")]
    Export(ExportArgs),
    /// Print a JSON Schema for editors.
    Schema(SchemaArgs),
    /// List the kinds: the points at which hooks run.
    Kinds,
    /// Report legal but suspicious setup of the compiled hooks.
    Audit,
    /// Print all compiled hooks and all kinds as JSON.
    Manifest,
    /// Print completions for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
}

/// Arguments of `replay`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct ReplayArgs {
    /// Recordings, transcripts of Claude Code, Codex or goose, OpenAI chat messages, or folders of these.
    #[arg(value_name = "FILE", required = true)]
    pub recordings: Vec<PathBuf>,

    /// A rule file that applies in the replay. Its commands run, as with `dispatch`.
    #[arg(long, value_name = "FILE")]
    pub rules: Vec<PathBuf>,

    /// Trust the rule files without consulting the trust file.
    #[arg(long)]
    pub trust: bool,

    /// The trust file [default: hooks/trust.json in your settings folder].
    #[arg(long, value_name = "FILE")]
    pub trust_file: Option<PathBuf>,

    /// Compare today's hooks with a candidate instead of the recording: overrides to add (`candidate.toml`), or a rule file to use
    /// instead of `--rules`.
    #[arg(long, value_name = "FILE")]
    pub set: Option<PathBuf>,

    /// Compare the recordings with this one. No hook runs.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rules", "set"])]
    pub against: Option<PathBuf>,

    /// Replay whole turns, with the recorded answers of model and tools. Where a turn diverges, stop (`strict`), or continue with
    /// the recorded answers (`loose`).
    #[cfg(feature = "turns")]
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "strict",
          conflicts_with_all = ["against", "set"])]
    pub turns: Option<Turns>,

    /// Write the report as one self-contained HTML page.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Print annotations for a GitHub workflow.
    #[arg(long, conflicts_with = "json")]
    pub github: bool,
}

/// Arguments of `shadow`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct ShadowArgs {
    /// Recordings, or folders of them.
    #[arg(value_name = "FILE", required = true)]
    pub recordings: Vec<PathBuf>,
}

/// Rule files.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct FilesArgs {
    /// Rule files in order of precedence, plugin folders, or `-` for standard input [default: your settings, the project's, and
    /// those of plugins].
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The format of the files, if it cannot be detected.
    #[arg(long, value_enum, value_name = "FORM")]
    pub dialect: Option<Form>,

    /// The name by which scripts know a tool, if the program uses another one. Can be repeated.
    #[arg(long, value_name = "OWN=WIRE")]
    pub alias: Vec<String>,

    /// The folder in which the session started. Commands run there, and `CLAUDE_PROJECT_DIR` is set to it [default: the current
    /// folder].
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

    /// The output format.
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
}

/// `explain`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct ExplainArgs {
    /// The event, such as `PreToolUse`.
    #[arg(long, value_parser = EventName, hide_possible_values = true)]
    pub event: String,

    /// The name of the tool, in this program or on the wire.
    #[arg(long)]
    pub tool: Option<String>,

    /// The tool's input, as JSON.
    #[arg(long, value_name = "JSON")]
    pub input: Option<String>,

    /// The value that the event's matchers test if it is not a tool: the source, the trigger, the reason or the agent.
    #[arg(long)]
    pub value: Option<String>,

    /// The files.
    #[command(flatten)]
    pub files: FilesArgs,
}

/// `dispatch`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct DispatchArgs {
    /// The event [default: the payload's `hook_event_name`].
    #[arg(long, value_parser = EventName, hide_possible_values = true)]
    pub event: Option<String>,

    /// Run the commands of these files: you have reviewed them.
    #[arg(long)]
    pub trust: bool,

    /// The trust file, which lists trusted files with their content hashes [default: hooks/trust.json in your settings folder].
    #[arg(long, value_name = "FILE", conflicts_with = "trust")]
    pub trust_file: Option<PathBuf>,

    /// Also show what each command printed.
    #[arg(long, short)]
    pub verbose: bool,

    /// Remove variables that look like credentials from the environment of commands.
    #[arg(long)]
    pub withhold_credentials: bool,

    /// At the end of a turn, fire again while rules continue it, as a loop would.
    #[arg(long)]
    pub follow: bool,

    /// Seconds to wait for detached commands. Commands that are still running then are ended.
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
    /// The trust file; it is created if it does not exist [default: hooks/trust.json in your settings folder].
    #[arg(long, value_name = "FILE")]
    pub trust_file: Option<PathBuf>,

    /// Do not ask: you have reviewed what the files run.
    #[arg(long, conflicts_with_all = ["list", "remove"])]
    pub yes: bool,

    /// List the trusted files, and which of them have changed since.
    #[arg(long, conflicts_with_all = ["remove", "files", "dialect"])]
    pub list: bool,

    /// Stop trusting these files. They need not exist any more.
    #[arg(long, conflicts_with = "dialect")]
    pub remove: bool,

    /// The format of the files, if it cannot be detected.
    #[arg(long, value_enum, value_name = "FORM")]
    pub dialect: Option<Form>,

    /// Rule files or plugin folders [default: those of the current project].
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
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

/// What to do where a turn diverges from the recorded one.
#[cfg(feature = "turns")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Turns {
    /// Stop there.
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

/// The output format of `check`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Cli::command().debug_assert();
    }
}
