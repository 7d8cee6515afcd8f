//! The overhead of a rule over its command, as ratios within one run.
//!
//! `cargo bench -p hooks-rules` prints the table. A rule and its baseline alternate; the ratio is the median of the
//! pairs.

// A benchmark that fails panics.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[cfg(unix)]
mod unix {
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    use hook_sdk::data::ToolCall;
    use hook_sdk::kinds::BeforeToolCall;
    use hook_sdk::prelude::*;
    use hooks_rules::Rules;
    use serde_json::{Value, json};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::process::Command;

    fn set(command: &str, count: usize) -> HookSet {
        // Different command lines, so that none is a duplicate.
        let handler = |n| json!({"type": "command", "command": format!("{command} #{n}")});
        let handlers: Vec<Value> = (0..count).map(handler).collect();
        let text = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": handlers}]}});
        let rules = Rules::builder().text("hooks.json", text.to_string()).build();
        let registry = Registry::empty();
        registry.set_app(AppDef::new("desk").hooks(rules.install(&registry).unwrap()));
        registry.scope(&AgentDef::new("clerk"), None).unwrap()
    }

    async fn fire(set: &HookSet) {
        let call = ToolCall::new("call_1", "Bash", json!({"command": "ls -la"}));
        let input = call.input.clone();
        let fired = set.fire(&HookContext::new(), &BeforeToolCall::new(call), input).await.unwrap();
        assert_eq!(fired.verdict, Permission::NoOpinion);
    }

    /// The same command with the same pipes: writes its input and reads its output.
    async fn floor(line: &str, input: &[u8]) {
        let mut command = Command::new("sh");
        command.arg("-c").arg(line).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (mut stdin, mut stdout, mut stderr) =
            (child.stdin.take().unwrap(), child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let write = async move {
            let _ = stdin.write_all(input).await;
        };
        let ((), read, told, left) =
            tokio::join!(write, stdout.read_to_end(&mut out), stderr.read_to_end(&mut err), child.wait());
        assert!(read.unwrap() == 0 && told.unwrap() == 0 && left.unwrap().success());
    }

    async fn time(call: impl Future<Output = ()>) -> Duration {
        let began = Instant::now();
        call.await;
        began.elapsed()
    }

    fn median(mut values: Vec<f64>) -> f64 {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    }

    fn row(what: &str, pairs: &[(Duration, Duration)], budget: f64) {
        let millis = |side: fn(&(Duration, Duration)) -> Duration| {
            median(pairs.iter().map(|pair| side(pair).as_secs_f64() * 1e3).collect())
        };
        let ratio = median(pairs.iter().map(|(ours, floor)| ours.as_secs_f64() / floor.as_secs_f64()).collect());
        let missed = if ratio <= budget { "" } else { " MISSED" };
        let (ours, floor) = (millis(|pair| pair.0), millis(|pair| pair.1));
        println!("| {what} | {ours:.2} ms | {floor:.2} ms | {ratio:.2}x | {budget:.2}x{missed} |");
    }

    pub(super) async fn run() {
        println!("| What | ours | floor | ratio | budget |\n|---|---|---|---|---|");
        let one = set("true", 1);
        let input = json!({
            "session_id": "", "transcript_path": "", "cwd": "/tmp", "hook_event_name": "PreToolUse",
            "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": "ls -la"}, "tool_use_id": "call_1",
        });
        let input = input.to_string().into_bytes();
        let mut pairs = Vec::new();
        for _ in 0..301 {
            pairs.push((time(fire(&one)).await, time(floor("true #0", &input)).await));
        }
        row("a rule that runs `true`, beside the same command by hand", &pairs, 1.2);

        let (one, sixteen) = (set("sleep 0.05", 1), set("sleep 0.05", 16));
        let mut pairs = Vec::new();
        for _ in 0..21 {
            pairs.push((time(fire(&sixteen)).await, time(fire(&one)).await));
        }
        row("16 rules that each sleep 50 ms, beside one", &pairs, 1.6);
    }
}

#[cfg(unix)]
fn main() {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(unix::run());
}

#[cfg(not(unix))]
fn main() {
    println!("commands are run on Unix only");
}
