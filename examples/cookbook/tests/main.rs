//! Runs each recipe like a reader would, and compares the page with the output.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests unwrap to assert")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

const PAGE: &str = include_str!("../../../docs/cookbook.md");

/// Asserts that the page contains `text` in a block.
#[track_caller]
fn assert_shown(text: &str) {
    let block = format!("```text\n{}\n```", text.trim_end());
    assert!(PAGE.contains(&block), "docs/cookbook.md does not show:\n{text}");
}

/// The output of a program that succeeds.
fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_spent_budget_prevents_model_calls() {
    assert_shown(&run(env!("CARGO_BIN_EXE_budget"), &[]));
}

#[test]
fn a_cached_answer_replaces_a_call_and_a_busy_tool_is_retried() {
    assert_shown(&run(env!("CARGO_BIN_EXE_cache_and_retry"), &[]));
}

#[test]
fn an_unclear_answer_of_the_judge_is_a_denial() {
    assert_shown(&run(env!("CARGO_BIN_EXE_guard_model"), &[]));
}

#[test]
fn each_tenant_has_its_own_limit() {
    assert_shown(&run(env!("CARGO_BIN_EXE_tenants"), &[]));
}

/// On SQLite, and on Postgres if `HOOKS_POSTGRES` names one (`scripts/with-postgres`) and the feature is enabled.
#[test]
fn another_process_runs_the_next_turn_and_a_worker_runs_the_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let mut stores = vec![folder.path().join("agent.db").to_str().unwrap().to_owned()];
    stores.extend(std::env::var("HOOKS_POSTGRES").ok().filter(|_| cfg!(feature = "postgres")));
    for store in stores {
        let program = env!("CARGO_BIN_EXE_postgres");
        assert_shown(&run(program, &[&store, "chat", "hello"]));
        assert_shown(&run(program, &[&store, "chat", "and goodbye"]));
        assert_shown(&run(program, &[&store, "work"]));
    }
}

/// A server, killed at the end of its test.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(program: &str, arguments: &[&str]) -> Self {
        let mut process = Command::new(program).args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { process, address }
    }

    /// The status and the body of an answer, as `curl` shows them.
    fn request(&self, line: &str, form: bool, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let kind = if form { "application/x-www-form-urlencoded" } else { "text/plain" };
        let length = body.len();
        // HTTP/1.0: the server closes the connection at the end of the body.
        write!(stream, "{line} HTTP/1.0\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn post(&self, path: &str, body: &str) -> (u16, String) {
        self.request(&format!("POST {path}"), false, body)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[test]
fn a_streamed_answer_does_not_contain_the_card_number() {
    let server = Server::start(env!("CARGO_BIN_EXE_chat_sse"), &["0"]);
    let (status, events) = server.post("/chat/ada", "Which card?");
    assert_eq!(status, 200);
    assert!(!events.contains("4242"), "{events}");
    assert_shown(&events);
}

/// The `value` of a form's hidden field, and the page with an ellipsis instead of the turn's random number.
fn question(page: &str) -> (String, String) {
    let id = page.split("value=\"").nth(1).unwrap().split('"').next().unwrap();
    let random = id.split(':').nth(2).unwrap();
    (id.to_owned(), page.replace(random, "…"))
}

#[test]
fn an_approved_refund_runs_once_even_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("approvals.db");
    let file = file.to_str().unwrap();
    let start = || Server::start(env!("CARGO_BIN_EXE_approval_web"), &[file, "0"]);

    let server = start();
    assert_eq!(server.post("/chat/eve", "refund 900 cents"), (200, "900 cents paid\n".to_owned()));
    let (_, waiting) = server.post("/chat/ada", "refund 9900 cents");
    assert_shown(&waiting);
    let (id, page) = question(&server.request("GET /", false, "").1);
    assert_shown(&page);
    drop(server); // the process is killed, and the question stays

    let server = start();
    let form = format!("id={}&answer=yes", id.replace(':', "%3A"));
    let (_, paid) = server.request("POST /answer", true, &form);
    assert_shown(&paid);
    let (status, again) = server.request("POST /answer", true, &form);
    assert_eq!(status, 409, "{again}");
    assert!(!server.request("GET /", false, "").1.contains("<form"));

    server.post("/chat/ada", "refund 8800 cents");
    let (id, _) = question(&server.request("GET /", false, "").1);
    let (_, declined) = server.request("POST /answer", true, &format!("id={}&answer=no", id.replace(':', "%3A")));
    assert!(declined.contains("a colleague declined") && !declined.contains("8800 cents paid"), "{declined}");
}

#[test]
fn the_text_of_a_question_is_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("approvals.db");
    let server = Server::start(env!("CARGO_BIN_EXE_approval_web"), &[file.to_str().unwrap(), "0"]);
    server.post("/chat/%3Cscript%3E", "refund 9900 cents");
    let page = server.request("GET /", false, "").1;
    assert!(page.contains("&lt;script&gt; asks") && !page.contains("<script>"), "{page}");
}

/// Line numbers in the source change with every line above them.
fn without_lines(text: &str) -> String {
    let mut parts = text.split("own_loop.rs:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| format!("{text}own_loop.rs:{}", part.trim_start_matches(char::is_numeric)))
}

#[test]
fn the_loop_of_an_app_reports_a_hook_that_it_never_runs() {
    let page = without_lines(include_str!("../../../docs/own-loop.md"));
    let printed = without_lines(&run(env!("CARGO_BIN_EXE_own_loop"), &[]));
    assert!(
        page.contains(&format!("```text\n{}\n```", printed.trim_end())),
        "docs/own-loop.md does not show:\n{printed}"
    );
}
