//! A guard with hooks of its own: `guards --name desk -- COMMAND`.

use std::process::ExitCode;

use hook_sdk::prelude::*;
// They run if rules name them.
#[cfg(feature = "prebuilt")]
use hooks_prebuilt as _;

hook_sdk::setup!();

/// Nothing is deleted.
#[allow(clippy::print_stdout, reason = "a test holds the program to it")]
#[hook(id = "no_deletions", kind = before_tool_call, tool = "mcp__desk__delete")]
fn no_deletions() -> Permission {
    println!("what a hook prints is none of the protocol");
    Permission::deny("nothing is deleted here")
}

/// A sum of large numbers needs a person, one of negative ones is made positive, and one of zeros is known.
#[hook(id = "small_sums", kind = before_tool_call, tool = "mcp__desk__add")]
fn small_sums(mut input: ToolInput) -> (ToolInput, Permission) {
    let (Some(a), Some(b)) = (input["a"].as_i64(), input["b"].as_i64()) else {
        return (input, Permission::deny("a and b are whole numbers"));
    };
    if a < 0 {
        input["a"] = a.abs().into();
    }
    let verdict = match (a, b) {
        (0, 0) => Permission::answer(ToolResult::new("nothing, as always")),
        (a, b) if a.max(b) > 1000 => Permission::ask("is the sum worth it?"),
        _ => Permission::NoOpinion,
    };
    (input, verdict)
}

/// Masks a secret in every text of every result.
#[hook(id = "mask", kind = after_tool_call_success, on_failure = remove)]
fn mask(result: &mut ToolResult) {
    result.rewrite_text(|text| text.contains("s3cret").then(|| text.replace("s3cret", "***")));
}

/// Masks it in errors too.
#[hook(id = "mask_errors", kind = after_tool_call_failure, on_failure = remove)]
fn mask_errors(result: &mut ToolResult) {
    result.rewrite_text(|text| text.contains("s3cret").then(|| text.replace("s3cret", "***")));
}

/// Adds a note to the failure of a tool.
#[hook(id = "noted", kind = after_tool_call_failure, tool = "mcp__desk__noted")]
fn noted(result: &mut ToolResult) {
    result.add_context("noted");
}

/// A tool whose results nobody may read.
#[hook(id = "private", kind = after_tool_call_success, tool = "mcp__desk__diary")]
fn private(_result: ToolResult) -> Option<ToolResult> {
    None
}

fn main() -> ExitCode {
    hooks_mcp_guard::main()
}
