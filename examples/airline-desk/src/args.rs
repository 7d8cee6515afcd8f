//! The command line.

use std::path::PathBuf;

use clap::Parser;

use crate::desk::Answer;
use crate::scenes::Scene;
use crate::trace::Tracing;

const EXIT_STATUS: &str = "\
Exit status:
  0  every line was replayed
  1  some lines were skipped; each is reported on standard error with its number
  2  nothing can be done: wrong arguments, an agent file that is not valid, a file that cannot be read or written";

/// A support desk with hooks: replays recorded conversations through it, or lets you talk to it.
#[derive(Clone, Debug, Default, Parser)]
#[command(version, after_help = EXIT_STATUS, args_conflicts_with_subcommands = true, subcommand_precedence_over_arg = true)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub struct Args {
    /// Other commands of the desk.
    #[cfg(feature = "store")]
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Conversations, one `{"id": …, "messages": […]}` per line in OpenAI's chat format; `-` reads standard input
    /// [default: the sample that ships with the desk].
    #[arg(value_name = "FILE")]
    pub input: Option<PathBuf>,

    /// Write the transcripts to this file, in the format of the input; `-` writes them to standard output, and the summary
    /// to standard error.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// The agent's file, whose list says which hooks are in force [default: desk/agent.json].
    #[arg(long, value_name = "FILE")]
    pub hooks: Option<PathBuf>,

    /// Rule files in the format of Claude Code's `hooks.json`, whose commands run in addition to the desk's hooks.
    #[cfg(feature = "rules")]
    #[arg(long, value_name = "FILE", requires = "trust")]
    pub rules: Vec<PathBuf>,

    /// A folder of plugins, each with its rules and its configuration.
    #[cfg(feature = "rules")]
    #[arg(long, value_name = "FOLDER", requires = "trust")]
    pub plugins: Option<PathBuf>,

    /// Confirm that you have reviewed the commands of these files and plugins, and let them run.
    #[cfg(feature = "rules")]
    #[arg(long)]
    pub trust: bool,

    /// A prompt's file; a list in it replaces the agent's.
    #[arg(long, value_name = "FILE")]
    pub prompt: Option<PathBuf>,

    /// The answer if a gate asks. The default is yes, because recorded calls had been approved.
    #[arg(long, value_enum, default_value_t)]
    pub on_ask: Answer,

    /// Tell the hooks that nobody is at the desk.
    #[arg(long)]
    pub unattended: bool,

    /// Print the summary as JSON.
    #[arg(long)]
    pub json: bool,

    /// Print which hooks run at which kind and in which order, and suspicious setups; replay nothing.
    #[arg(long)]
    pub plan: bool,

    /// Show lines before and after the hooks. On for the sample; for other files it prints data that the hooks mask.
    #[arg(long)]
    pub show: bool,

    /// Show what happens in each turn: the kinds with the hooks that ran, the model, the tools, and the stored messages.
    /// `--trace=all` also shows the kinds at which no hook ran.
    #[arg(long, value_enum, value_name = "KINDS", num_args = 0..=1, require_equals = true, default_missing_value = "hooks")]
    pub trace: Option<Tracing>,

    /// Play the scene with this name, or all scenes, and show each kind as it fires, and the hooks that ran.
    #[arg(long, value_enum, value_name = "NAME", conflicts_with_all = ["input", "out", "plan", "json", "show", "on_ask", "chat", "prompt"])]
    pub scene: Option<Scene>,

    /// Record every dispatch and every turn in this file, for `hooks report`, `hooks inspect` and `hooks replay`.
    #[cfg(feature = "replay")]
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// Play the scene of `--scene`, or all, and show them on a page on 127.0.0.1 until Ctrl-C.
    #[cfg(feature = "inspect")]
    #[arg(long, conflicts_with_all = ["input", "out", "plan", "json", "show", "on_ask", "chat", "prompt", "trace"])]
    pub inspect: bool,

    /// Talk to the desk: a rule-based clerk answers standard input until it ends.
    #[arg(long, conflicts_with_all = ["input", "out", "plan", "json", "show", "on_ask"])]
    pub chat: bool,

    /// In a chat, store the conversation in this file or Postgres database. The next chat continues it, other processes can
    /// answer its questions, and `worker` runs its background hooks.
    #[cfg(feature = "store")]
    #[arg(long, value_name = "FILE_OR_URL", requires = "chat")]
    pub store: Option<String>,

    /// The conversation in the store.
    #[cfg(feature = "store")]
    #[arg(long, value_name = "ID", requires = "store", default_value = "chat")]
    pub conversation: String,

    /// In a chat, the model that answers instead of the clerk, such as `claude-sonnet-4-5`; its key comes from the
    /// environment.
    #[cfg(feature = "genai")]
    #[arg(long, value_name = "NAME", requires = "chat")]
    pub model: Option<String>,

    /// The server of the model, such as `http://127.0.0.1:8080/v1`.
    #[cfg(feature = "genai")]
    #[arg(long, value_name = "URL", requires = "model")]
    pub base_url: Option<String>,
}

/// Other commands of the desk.
#[cfg(feature = "store")]
#[derive(Clone, Debug, clap::Subcommand)]
#[non_exhaustive]
pub enum Command {
    /// Runs the background hooks of a store until Ctrl-C. Any number of workers can share a store.
    Worker {
        /// The file of the store, or the URL of a Postgres database.
        #[arg(long, value_name = "FILE_OR_URL")]
        store: String,
        /// How many jobs run concurrently.
        #[arg(long, value_name = "NUMBER", default_value_t = 1)]
        parallelism: usize,
        /// Exit when no job is queued any more.
        #[arg(long)]
        once: bool,
    },
}
