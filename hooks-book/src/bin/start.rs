//! The program of `docs/start.md`, which is written from here: what follows the first blank line.
#![allow(clippy::print_stdout, reason = "a program for people")]

use hooks_core::prelude::*;

// Two hooks with one id are now a build error.
hooks_core::setup!();

/// Refuses refunds above 50.00.
#[hook(id = "limit_refunds", kind = before_tool_call, tool = "refund")]
fn limit_refunds(input: &ToolInput) -> Permission {
    match input["cents"].as_u64() {
        Some(cents) if cents <= 5_000 => Permission::Allow,
        Some(_) => Permission::deny("refunds above 50.00 need a person"),
        None => Permission::deny("the amount is missing"),
    }
}

/// Masks what looks like an e-mail address in what a tool answers.
#[hook(id = "mask_addresses", kind = after_tool_call_success, on_failure = remove)]
fn mask_addresses(result: &mut ToolResult) {
    result.rewrite_text(|text| text.contains('@').then(|| masked(text)));
}

fn masked(text: &str) -> String {
    let mut masked = text.to_owned();
    for address in text.split(' ').filter(|word| word.contains('@')) {
        masked = masked.replace(address, "[email]");
    }
    masked
}

/// The tool. It knows nothing of hooks.
fn refund(input: &ToolInput) -> ToolResult {
    let cents = &input["cents"];
    ToolResult::text(format!("{cents} cents paid, ask ada@example.com"))
}

/// The part of a harness that runs a tool: what it gives back is what the model is told.
fn call_tool(hooks: &HookSet, call: ToolCall) -> Result<Option<ToolResult>, DispatchError> {
    let cx = HookContext::builder().agent("support").build();
    let event = BeforeToolCall::new(call.clone());
    let asked = hooks.fire_blocking(&cx, &event, call.input.clone())?;
    match asked.verdict {
        Permission::Allow | Permission::NoOpinion => {}
        Permission::Deny(denial) => return Ok(Some(ToolResult::error(denial.reason.as_str()))),
        _ => return Ok(Some(ToolResult::error("nobody is here to be asked"))),
    }
    let input = asked.subject; // as the hooks left it
    let result = refund(&input);
    let event = AfterToolCallSuccess::new(call).ran_with(input);
    Ok(hooks.fire_blocking(&cx, &event, result)?.subject) // `None` where a hook removed it
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = Registry::discover()?; // every hook that is linked into the program
    let agent = r#"{ "name": "support", "hooks": ["limit_refunds", "mask_addresses"] }"#;
    let agent = AgentDef::from_json("support.json", agent)?;
    let hooks = registry.scope(&agent, None)?; // the plan for this agent
    print!("{hooks}");

    for input in [r#"{"cents": 900}"#, r#"{"cents": 9900}"#] {
        let call = ToolCall::new("call_1", "refund", ToolInput::parse(input));
        match call_tool(&hooks, call)? {
            Some(result) => println!("{input} -> {}", result.to_text()),
            None => println!("{input} -> nothing"),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use hooks_core::record::Skip;
    use hooks_core::testing;

    use super::*;

    fn call(tool: &str, input: &str) -> (BeforeToolCall, ToolInput) {
        let call = ToolCall::new("call_1", tool, ToolInput::parse(input));
        let input = call.input.clone();
        (BeforeToolCall::new(call), input)
    }

    #[test]
    fn large_refunds_are_refused() {
        let (event, input) = call("refund", r#"{"cents": 9900}"#);
        let ran = testing::run_blocking(hooks![limit_refunds], &event, input).unwrap();
        ran.expect_denied("need a person");
    }

    #[test]
    fn other_tools_are_left_alone() {
        let (event, input) = call("search", "{}");
        let ran = testing::run_blocking(hooks![limit_refunds], &event, input).unwrap();
        ran.expect_skipped("limit_refunds", Skip::Filter);
    }
}
