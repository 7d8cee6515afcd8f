//! The command line.

use std::path::PathBuf;

use clap::Parser;

const EXIT_STATUS: &str = "\
Exit status:
  0  everything was said
  2  nothing can be done: wrong arguments, or notes that cannot be opened";

/// Talks to an agent that remembers, and shows what the hooks of each phase contributed.
#[derive(Clone, Debug, Default, Parser)]
#[command(version, after_help = EXIT_STATUS)]
#[non_exhaustive]
pub struct Args {
    /// What to say, each in a turn of one new conversation; `-` reads lines from standard input [default: a short
    /// conversation over three days].
    #[arg(value_name = "PROMPT")]
    pub prompts: Vec<String>,

    /// The file with the notes [default: a temporary file].
    #[arg(long, value_name = "PATH")]
    pub db: Option<PathBuf>,
}
