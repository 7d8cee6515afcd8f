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
pub use store::{AnswerArgs, AnswerWord, ConversationsArgs, ExportArgs, RetryArgs, RunsArgs, StoreArgs};

const EXIT_STATUS: &str = "\
Exit status:
   0  done, nothing was refused; replay: nothing differs
   1  a file has errors, a hook failed, or audit found something; explain tells of it and ends with 0;
      trust: a file cannot be shown, or was not trusted to remove; replay: something differs, and no verdict
   2  dispatch: it does not happen; the call, the prompt, the compaction or the end of the turn is refused;
      replay: a verdict flipped
   3  dispatch: somebody else is to decide, because a rule asks or defers; replay: a line could not be replayed
  64  the command line or the payload cannot be understood; nothing ran
  74  the output, or the file of trust, could not be written
  77  dispatch: the files are not trusted; nothing ran; trust: nobody said yes
 130  interrupted; 143 terminated. What had been started was ended";

/// Checks, lists, explains and tries hooks.
#[derive(Clone, Debug, Parser)]
#[command(name = "hooks", version, after_help = EXIT_STATUS)]
#[non_exhaustive]
pub struct Cli {
    /// What to do; without it, what is in force here and where it is from.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Print JSON, for machines.
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
    /// Tell every defect of rule files.
    Check(CheckArgs),
    /// List the rules of files, and the compiled hooks.
    List(ListArgs),
    /// Tell which rules would run, in which order, and why the others would not.
    Explain(ExplainArgs),
    /// Run the rules for a payload from standard input; tell each run, and the combined answer.
    Dispatch(DispatchArgs),
    /// Run recorded dispatches, or the transcripts of another program, through today's hooks; tell what differs.
    Replay(ReplayArgs),
    /// Tell what hooks in shadow would have decided, from recordings.
    Shadow(ShadowArgs),
    /// Show all that files would run, ask, and trust them as they are now.
    Trust(TrustArgs),
    /// List background runs of a store: what is queued, what runs, what ended and how.
    #[cfg(feature = "store")]
    Runs(RunsArgs),
    /// Queue a background run again that failed, was interrupted or quarantined.
    #[cfg(feature = "store")]
    Retry(RetryArgs),
    /// List the questions of a store that wait for an answer, or for a turn that acts on theirs.
    #[cfg(feature = "store")]
    Questions(StoreArgs),
    /// Answer a question of a store.
    #[cfg(feature = "store")]
    Answer(AnswerArgs),
    /// List the conversations of a store.
    #[cfg(feature = "store")]
    Conversations(ConversationsArgs),
    /// Print a conversation of a store as lines of JSON: every row that was ever stored.
    #[cfg(feature = "store")]
    Export(ExportArgs),
    /// Print a JSON Schema, for editors.
    Schema(SchemaArgs),
    /// List the kinds: the points at which hooks run.
    Kinds,
    /// Tell what is not wrong with the compiled hooks, but likely not meant.
    Audit,
    /// Print all compiled hooks and all kinds as JSON.
    Manifest,
    /// Print completions for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
}

/// What `replay` is given.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct ReplayArgs {
    /// Recordings, transcripts of Claude Code, Codex or goose, messages in the chat form of OpenAI, or folders of them.
    #[arg(value_name = "FILE", required = true)]
    pub recordings: Vec<PathBuf>,

    /// A file of rules that is in force in the replay; its commands run, as they do in `dispatch`.
    #[arg(long, value_name = "FILE")]
    pub rules: Vec<PathBuf>,

    /// Trust the files of rules, whatever the file of trust says.
    #[arg(long)]
    pub trust: bool,

    /// The file of trust, where it is not the user's own.
    #[arg(long, value_name = "FILE")]
    pub trust_file: Option<PathBuf>,

    /// Compare today's hooks with these, and not with the recording: overrides (`candidate.toml`) over those that there are,
    /// or a file of rules in the place of `--rules`.
    #[arg(long, value_name = "FILE")]
    pub set: Option<PathBuf>,

    /// Compare the recordings with this one. Nothing is run.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rules", "set"])]
    pub against: Option<PathBuf>,

    /// Replay whole turns, with a model and tools that say what was recorded. Where a turn goes another way, stop there
    /// (`strict`), or go on with the recorded answers (`loose`).
    #[cfg(feature = "turns")]
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "strict",
          conflicts_with_all = ["against", "set"])]
    pub turns: Option<Turns>,

    /// Write the report as a page of HTML that needs nothing else.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Print annotations for a workflow of GitHub.
    #[arg(long, conflicts_with = "json")]
    pub github: bool,
}

/// What `shadow` is given.
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
    /// Rule files, in the order in which they count; the folder of a plugin; `-` for standard input [default: your settings, the
    /// project's, and those of plugins].
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The form of the files, where it is not to be found by their content.
    #[arg(long, value_enum, value_name = "FORM")]
    pub dialect: Option<Form>,

    /// What scripts call a tool that has another name in the program; may be said again.
    #[arg(long, value_name = "OWN=WIRE")]
    pub alias: Vec<String>,

    /// The folder in which the session began: where commands run, and `CLAUDE_PROJECT_DIR` [default: the current one].
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

    /// Warnings count as errors.
    #[arg(long)]
    pub strict: bool,

    /// How to print what is wrong.
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

    /// The tool that is called, by its name here or on the wire.
    #[arg(long)]
    pub tool: Option<String>,

    /// The tool's input, as JSON.
    #[arg(long, value_name = "JSON")]
    pub input: Option<String>,

    /// What the event's matchers are held against, where it is no tool: the source, the trigger, the reason, the agent.
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

    /// You have looked at the commands of these files, and they may run.
    #[arg(long)]
    pub trust: bool,

    /// The file that says which files are trusted, each as it was when somebody trusted it [default: hooks/trust.json among
    /// your settings].
    #[arg(long, value_name = "FILE", conflicts_with = "trust")]
    pub trust_file: Option<PathBuf>,

    /// Also show what each command printed.
    #[arg(long, short)]
    pub verbose: bool,

    /// Keep variables that look like credentials out of the environment of commands.
    #[arg(long)]
    pub withhold_credentials: bool,

    /// At the end of a turn: fire again while rules go on with it, as a loop would.
    #[arg(long)]
    pub follow: bool,

    /// Seconds to wait for commands that nobody waits for; what is not done then is ended.
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
    /// The file that says which files are trusted; it is written where it is not there yet [default: hooks/trust.json among
    /// your settings].
    #[arg(long, value_name = "FILE")]
    pub trust_file: Option<PathBuf>,

    /// Do not ask: you have seen what the files run.
    #[arg(long, conflicts_with_all = ["list", "remove"])]
    pub yes: bool,

    /// List what is trusted, and what has changed since.
    #[arg(long, conflicts_with_all = ["remove", "files", "dialect"])]
    pub list: bool,

    /// Trust these files no longer; they need not be there any more.
    #[arg(long, conflicts_with = "dialect")]
    pub remove: bool,

    /// The form of the files, where it is not to be found by their content.
    #[arg(long, value_enum, value_name = "FORM")]
    pub dialect: Option<Form>,

    /// Rule files; the folder of a plugin [default: what the project here has].
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// `schema`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct SchemaArgs {
    /// The form of the files.
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    pub dialect: Form,

    /// The schema of agent and prompt files instead, with the ids of the compiled hooks.
    #[arg(long, conflicts_with = "dialect")]
    pub definitions: bool,
}

/// The form of a rule file.
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

/// What is done where a turn goes another way than the recorded one.
#[cfg(feature = "turns")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Turns {
    /// It stops there.
    Strict,
    /// It goes on with the recorded answers.
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

/// How `check` prints what is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person.
    #[default]
    Text,
    /// The report of `--json`.
    Json,
    /// Annotations of a workflow on GitHub.
    Github,
    /// SARIF 2.1.0.
    Sarif,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` says otherwise.
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
