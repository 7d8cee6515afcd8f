//! The arguments of the commands for a store.

use std::time::Duration;

use clap::builder::RangedU64ValueParser;
use clap::{Args, Subcommand, ValueEnum};

/// What to do with a store.
#[derive(Clone, Debug, Subcommand)]
#[non_exhaustive]
pub enum StoreCommand {
    /// List the background runs: queued, running and ended.
    Runs(RunsArgs),
    /// List the recorded dispatches: which hooks ran, what they decided, and what failed.
    Dispatches(DispatchesArgs),
    /// Queue background runs that ended without success again.
    Retry(RetryArgs),
    /// List the open questions, and answered ones that no turn has acted on yet.
    Questions(StoreArgs),
    /// Answer a question.
    Answer(AnswerArgs),
    /// List the conversations.
    Conversations(ConversationsArgs),
    /// Print a conversation as JSON lines, with every row that was ever stored.
    Export(StoreExportArgs),
    /// Store a transcript of Claude Code as a conversation.
    Import(ImportArgs),
    /// Count the background runs by hook: how many wait, are due, and since when.
    Stats(StoreArgs),
    /// Cancel background runs that wait.
    Cancel(IdsArgs),
    /// Put off background runs that wait.
    PutOff(PutOffArgs),
    /// Delete conversations, with everything that belongs to them.
    Delete(IdsArgs),
    /// Remove what is over: completed and cancelled runs, closed questions, old dispatches.
    Clean(CleanArgs),
    /// Give the space of removed rows back.
    Vacuum(StoreArgs),
    /// Look for damage in the file of a store.
    Check(StoreArgs),
    /// Bring the tables to the schema of this version, which opening a store also does.
    Migrate(MigrateArgs),
}

/// A store.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct StoreArgs {
    /// The file of the store, or the URL of a Postgres database.
    #[arg(long, value_name = "FILE_OR_URL", env = "HOOKS_STORE", hide_env_values = true, value_parser = super::store_url)]
    pub store: String,
}

/// `runs`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct RunsArgs {
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,

    /// Show every start of this run.
    #[arg(value_name = "ID")]
    pub id: Option<String>,

    /// Only runs that need attention: failed, interrupted or quarantined.
    #[arg(long)]
    pub failed: bool,

    /// Only runs of this hook.
    #[arg(long, value_name = "HOOK")]
    pub hook: Option<String>,

    /// Only runs of this conversation.
    #[arg(long, value_name = "ID")]
    pub conversation: Option<String>,

    /// Only runs that are listed after this one, for the next page.
    #[arg(long, value_name = "ID")]
    pub before: Option<String>,

    /// The maximum number of runs, newest first.
    #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
}

/// `dispatches`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct DispatchesArgs {
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,

    /// Only dispatches in which a hook failed.
    #[arg(long)]
    pub failed: bool,

    /// Only dispatches in which this hook ran.
    #[arg(long, value_name = "HOOK")]
    pub hook: Option<String>,

    /// Only dispatches of this kind.
    #[arg(long, value_name = "KIND")]
    pub kind: Option<String>,

    /// Only dispatches in this conversation.
    #[arg(long, value_name = "ID")]
    pub conversation: Option<String>,

    /// Only dispatches that were recorded before this one, for the next page.
    #[arg(long, value_name = "NUMBER")]
    pub before: Option<i64>,

    /// The maximum number of dispatches, newest first.
    #[arg(long, value_name = "NUMBER", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
}

/// `retry`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct RetryArgs {
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,

    /// The runs.
    #[arg(value_name = "ID", required_unless_present = "all", conflicts_with = "all")]
    pub ids: Vec<String>,

    /// All runs that are failed, interrupted or quarantined.
    #[arg(long)]
    pub all: bool,

    /// With `--all`: only runs of this hook.
    #[arg(long, value_name = "HOOK", requires = "all")]
    pub hook: Option<String>,
}

/// `cancel`, `delete`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct IdsArgs {
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,

    /// Their ids.
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
}

/// `put-off`.
#[derive(Clone, Debug, Args)]
#[non_exhaustive]
pub struct PutOffArgs {
    /// The runs.
    #[command(flatten)]
    pub runs: IdsArgs,

    /// How long from now, such as `90s`, `2h`, `1d`.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub by: Duration,
}

/// `clean`.
#[derive(Clone, Debug, Args)]
#[non_exhaustive]
pub struct CleanArgs {
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,

    /// Only what was over before that, such as `12h`, `30d`.
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "30d")]
    pub older_than: Duration,

    /// Also runs that are failed, interrupted or quarantined.
    #[arg(long)]
    pub failed: bool,

    /// Only count, and remove nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// `migrate`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct MigrateArgs {
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,

    /// Only say what would be done.
    #[arg(long)]
    pub dry_run: bool,
}

/// A number and a unit.
fn time(text: &str) -> Result<Duration, String> {
    let number = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match &text[number.len()..] {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return Err("write a number with `s`, `m`, `h` or `d`, such as `30d`".to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| "write a whole number, such as `30d`".to_owned())?;
    Ok(Duration::from_secs(number.saturating_mul(unit)))
}

/// The answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum AnswerWord {
    /// The call may run.
    Yes,
    /// The call may not run; `--reason` states why.
    No,
    /// The call may run with the input of `--input`, which the gates judge again.
    Edit,
    /// The call does not run; `--text` is its result.
    Result,
}

/// `answer`.
#[derive(Clone, Debug, Args)]
#[non_exhaustive]
pub struct AnswerArgs {
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,

    /// The question.
    #[arg(value_name = "ID")]
    pub id: String,

    /// The answer.
    #[arg(value_enum, value_name = "ANSWER")]
    pub answer: AnswerWord,

    /// The reason for a no, for the model.
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,

    /// The edited input of the call.
    #[arg(long, value_name = "JSON", required_if_eq("answer", "edit"))]
    pub input: Option<String>,

    /// The result of the call.
    #[arg(long, value_name = "TEXT", required_if_eq("answer", "result"))]
    pub text: Option<String>,
}

/// `conversations`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct ConversationsArgs {
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,

    /// The maximum number of conversations.
    #[arg(long, value_name = "NUMBER", default_value_t = 1000, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub limit: usize,

    /// Start at this id, in the order of ids.
    #[arg(long, value_name = "ID")]
    pub from: Option<String>,
}

/// `import`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct ImportArgs {
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,

    /// The transcript, a JSONL file.
    #[arg(value_name = "FILE", value_parser = super::file())]
    pub file: std::path::PathBuf,

    /// The id of the new conversation [default: the id of the session in the transcript].
    #[arg(long, value_name = "ID")]
    pub conversation: Option<String>,
}

/// `store export`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct StoreExportArgs {
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,

    /// The conversation.
    #[arg(value_name = "CONVERSATION")]
    pub conversation: String,
}
