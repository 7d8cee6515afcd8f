//! An app that offers the commands for its own hooks: `cargo run -p hooks-cli --example desk -- hooks audit`.

use std::error::Error;
use std::process::ExitCode;

use clap::Parser;
use hook_sdk::prelude::*;
use hooks_cli::{Cli, Program};

/// A desk.
#[derive(Parser)]
enum Desk {
    /// Inspects the hooks.
    Hooks(Cli),
}

/// Denies refunds, which a person pays.
#[hook(id = "no_refunds", kind = before_tool_call, tool = "refund")]
fn no_refunds() -> Permission {
    Permission::deny("a person pays refunds")
}

/// No list names it, which `audit` reports.
#[hook(id = "forgotten", kind = turn_end)]
fn forgotten() {}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let Desk::Hooks(cli) = Desk::parse();
    let registry = Registry::discover()?;
    let clerk = AgentDef::new("clerk").hooks(hooks![no_refunds]);
    let program = Program::of(&registry).scope(&clerk, None)?;
    Ok(program.output(&cli).write(cli.color).into())
}
