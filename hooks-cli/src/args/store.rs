//! The arguments of the commands for a store.

use clap::{Args, ValueEnum};

/// A store.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct StoreArgs {
    /// The file of the store, or the URL of a Postgres database.
    #[arg(long, value_name = "FILE_OR_URL", env = "HOOKS_STORE", hide_env_values = true)]
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

    /// The maximum number of runs, newest first.
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
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

    /// The maximum number of dispatches, newest first.
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub limit: u32,
}

/// `retry`.
#[derive(Clone, Debug, Default, Args)]
#[non_exhaustive]
pub struct RetryArgs {
    /// The store.
    #[command(flatten)]
    pub store: StoreArgs,

    /// The run.
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
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
    #[arg(long, value_name = "NUMBER", default_value_t = 1000)]
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
    #[arg(value_name = "FILE")]
    pub file: std::path::PathBuf,

    /// The id of the new conversation [default: the id of the session in the transcript].
    #[arg(long, value_name = "ID")]
    pub conversation: Option<String>,
}
