//! An app that offers the commands on its own hooks: `cargo run -p hooks-cli --example desk -- hooks audit`.

use std::error::Error;
use std::process::ExitCode;

use clap::Parser;
use hooks_cli::{Cli, Program};
use hooks_core::prelude::*;

/// A desk.
#[derive(Parser)]
enum Desk {
    /// What hooks there are, and why one does not run.
    Hooks(Cli),
}

/// Refuses refunds: a person pays them.
#[hook(id = "no_refunds", kind = before_tool_call, tool = "refund")]
fn no_refunds() -> Permission {
    Permission::deny("a person pays refunds")
}

/// Nobody names it, and `audit` says so.
#[hook(id = "forgotten", kind = turn_end)]
fn forgotten() {}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let Desk::Hooks(cli) = Desk::parse();
    let registry = Registry::discover()?;
    let clerk = AgentDef::new("clerk").hooks(hooks![no_refunds]);
    let program = Program::of(&registry).scope(&clerk, None)?;
    Ok(program.output(&cli).write(cli.color).into())
}
