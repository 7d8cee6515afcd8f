//! The program of `docs/start.md`. A test writes everything below the first blank line into that page.
#![allow(clippy::print_stdout, reason = "the program prints for people")]

use std::sync::atomic::{AtomicU64, Ordering};

use hook_sdk::prelude::*;
use serde::Deserialize;

// Makes two hooks with the same id a build error.
hook_sdk::setup!();

// What this program fires.
hook_sdk::fires![tool_call];

/// The arguments of the tool `refund`. A model wrote them, so the guard parses them.
#[derive(Deserialize)]
struct Refund {
    cents: u64,
}

/// Denies refunds above 50.00, and arguments that it cannot parse.
#[hook(id = "limit_refunds", kind = before_tool_call, tool = "refund")]
fn limit_refunds(input: &ToolInput) -> Permission {
    match input.read::<Refund>() {
        Ok(refund) if refund.cents <= 5_000 => Permission::NoOpinion,
        Ok(_) => Permission::deny("refunds above 50.00 need a person"),
        Err(error) => Permission::deny(error),
    }
}

/// Masks every word that looks like an e-mail address in a tool's result.
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

/// The number of refunds paid. Hooks look it up in the context by its type.
#[derive(Default)]
struct Paid(AtomicU64);

/// Counts the refunds that were paid.
#[hook(id = "count_refunds", kind = after_tool_call_success, tool = "refund")]
fn count_refunds(cx: &HookContext) -> Result<(), MissingState> {
    cx.state::<Paid>()?.0.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

/// The tool. It does not know about hooks.
fn refund(input: &ToolInput) -> ToolResult {
    let cents = &input["cents"];
    ToolResult::new(format!("{cents} cents paid, ask ada@example.com"))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt().without_time().init(); // prints a warning for each hook that fails

    let registry = Registry::discover()?; // every hook linked into this program
    let agent = r#"{ "name": "support", "hooks": ["limit_refunds", "mask_addresses", "count_refunds"] }"#;
    let agent = AgentDef::from_json("support.json", agent)?;
    let hooks = registry.scope(&agent, None)?; // the active hooks of this agent
    registry.check([&hooks], &HarnessFacts::new().tools(["refund"]))?; // each hook can run
    print!("{hooks}");

    let cx = HookContext::builder().agent("support").state(Paid::default()).build();
    for input in [r#"{"cents": 900}"#, r#"{"cents": 9900}"#] {
        let call = ToolCall::new("call_1", "refund", ToolInput::parse(input));
        // Its gates judge the call, the tool runs if it may, and the hooks after it see the result.
        let result = hooks.tool_call(&cx, &call).run_blocking(|input| refund(&input))?;
        println!("{input} -> {}", result.text());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use hook_sdk::kinds::BeforeToolCall;
    use hook_sdk::record::Skip;
    use hook_sdk::testing;

    use super::*;

    fn call(tool: &str, input: &str) -> (BeforeToolCall, ToolInput) {
        let call = ToolCall::new("call_1", tool, ToolInput::parse(input));
        let input = call.input.clone();
        (BeforeToolCall::new(call), input)
    }

    #[test]
    fn large_refunds_are_denied() {
        let (event, input) = call("refund", r#"{"cents": 9900}"#);
        let ran = testing::run_blocking(hooks![limit_refunds], &event, input).unwrap();
        ran.expect_denied("need a person");
    }

    #[test]
    fn unreadable_arguments_are_denied() {
        for hostile in [r#"{"cents": "300"}"#, r#"{"cents": 300.0}"#, r#"{"cents": -5}"#, "{}", "300 cents"] {
            let (event, input) = call("refund", hostile);
            let ran = testing::run_blocking(hooks![limit_refunds], &event, input).unwrap();
            ran.expect_denied("expected");
        }
    }

    #[test]
    fn other_tools_are_not_affected() {
        let (event, input) = call("search", "{}");
        let ran = testing::run_blocking(hooks![limit_refunds], &event, input).unwrap();
        ran.expect_skipped("limit_refunds", Skip::Filter);
    }
}

/// The failure that `docs/start.md` shows.
#[cfg(test)]
mod shown {
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    use hook_sdk::kinds::AfterToolCallSuccess;
    use hook_sdk::testing::Trial;

    use super::*;

    #[derive(Clone, Default)]
    struct Screen(Arc<Mutex<Vec<u8>>>);

    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_hook_without_its_state_fails_with_the_warning_on_the_page() {
        let screen = Screen::default();
        let writer = screen.clone();
        let subscriber = tracing_subscriber::fmt().without_time().with_writer(move || writer.clone()).finish();
        let event =
            AfterToolCallSuccess::new(ToolCall::new("call_1", "refund", ToolInput::default()), ToolInput::default());
        let trial = Trial::of(hooks![count_refunds]);
        let ran = tracing::subscriber::with_default(subscriber, || trial.run_blocking(&event, ToolResult::new("paid")));
        let failures = &ran.unwrap().report.failures;
        assert_eq!(failures.len(), 1);
        let warning = String::from_utf8(screen.0.lock().unwrap().clone()).unwrap();
        // The reader's crate has another name.
        docs_tests::assert_shown("start.md", &warning.replace("start::", "refund_desk::"));
    }
}
