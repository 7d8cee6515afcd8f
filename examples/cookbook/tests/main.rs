//! Runs each recipe like a reader would, and compares the page with the output.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests unwrap to assert")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

#[cfg(all(unix, feature = "postgres"))]
mod killed;

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
    /// What it printed otherwise.
    printed: Option<JoinHandle<Vec<String>>>,
}

impl Server {
    fn start(program: &str, arguments: &[&str]) -> Self {
        let mut process = Command::new(program).args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut printed = Vec::new();
        let address = loop {
            let line = lines.next().unwrap();
            match line.strip_prefix("listening on http://") {
                Some(address) => break address.to_owned(),
                None => printed.push(line),
            }
        };
        let printed = std::thread::spawn(move || {
            printed.extend(lines);
            printed
        });
        Self { process, address, printed: Some(printed) }
    }

    /// Kills it. Returns what it printed.
    fn end(mut self) -> Vec<String> {
        let _ = self.process.kill();
        self.printed.take().unwrap().join().unwrap()
    }

    /// The status and the body of an answer, as `curl` shows them.
    fn request(&self, line: &str, form: bool, body: &str) -> (u16, String) {
        self.try_request(line, form, body).unwrap()
    }

    /// `None` if the server is killed meanwhile.
    fn try_request(&self, line: &str, form: bool, body: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        let kind = if form { "application/x-www-form-urlencoded" } else { "text/plain" };
        let length = body.len();
        // HTTP/1.0: the server closes the connection at the end of the body.
        write!(stream, "{line} HTTP/1.0\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}").ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
    }

    fn post(&self, path: &str, body: &str) -> (u16, String) {
        self.request(&format!("POST {path}"), false, body)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
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

fn approvals(folder: &Path) -> Server {
    approvals_in(folder.join("approvals.db").to_str().unwrap())
}

fn approvals_in(store: &str) -> Server {
    Server::start(env!("CARGO_BIN_EXE_approval_web"), &[store, "0"])
}

impl Server {
    fn questions(&self) -> String {
        self.request("GET /", false, "").1
    }

    /// Clicks a button of the only question.
    fn click(&self, id: &str, answer: &str) -> Option<u16> {
        let form = format!("id={}&answer={answer}", id.replace(':', "%3A"));
        self.try_request("POST /", true, &form).map(|(status, _)| status)
    }

    /// What the customer sees as soon as it ends with an answer. `None` if the server is killed before.
    fn answered(&self, customer: &str) -> Option<String> {
        let start = Instant::now();
        loop {
            let (_, seen) = self.try_request(&format!("GET /chat/{customer}"), false, "")?;
            if seen.lines().next_back().is_some_and(|last| last.starts_with("assistant: ")) {
                return Some(seen);
            }
            assert!(start.elapsed() < Duration::from_secs(30), "no answer came: {seen}");
        }
    }
}

#[test]
fn an_approved_refund_runs_once_even_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let server = approvals(folder.path());
    assert_eq!(server.post("/chat/eve", "refund 900 cents"), (200, "900 cents paid\n".to_owned()));
    let (_, waiting) = server.post("/chat/ada", "refund 9900 cents");
    assert_shown(&waiting);
    let (id, page) = question(&server.questions());
    assert_shown(&page);
    drop(server); // the process is killed, and the question stays

    let server = approvals(folder.path());
    assert_eq!(server.click(&id, "yes"), Some(303));
    assert_shown(&server.answered("ada").unwrap());
    assert_eq!((server.click(&id, "yes"), server.click(&id, "no")), (Some(409), Some(409)), "the refund is paid");
    assert!(!server.questions().contains("<form"));

    server.post("/chat/ada", "refund 8800 cents");
    server.click(&question(&server.questions()).0, "no");
    let declined = server.answered("ada").unwrap();
    assert!(declined.contains("a colleague declined") && !declined.contains("8800 cents paid"), "{declined}");
    assert_eq!(server.end(), ["paid 9900 cents"]);
}

/// Kills the process as soon as a file grows beyond this size.
#[cfg(target_os = "linux")]
fn kill_at(server: &Server, bytes: u64) {
    let pid = server.process.id().to_string();
    let limited = Command::new("prlimit").args(["--pid", &pid, &format!("--fsize={bytes}:{bytes}")]).status().unwrap();
    assert!(limited.success());
}

/// Writes as a customer unless that was stored, answers what is asked, and waits for the answer. `None` if the server is
/// killed meanwhile.
fn go_on(server: &Server, customer: &str) -> Option<String> {
    let chat = format!("/chat/{customer}");
    if server.try_request(&format!("GET {chat}"), false, "")?.1.is_empty() {
        server.try_request(&format!("POST {chat}"), false, "refund 9900 cents")?;
    }
    let (_, questions) = server.try_request("GET /", false, "")?;
    if questions.contains("<form") {
        assert_eq!(server.click(&question(&questions).0, "yes")?, 303);
    }
    server.answered(customer)
}

/// How a conversation went whose server may be killed on the way.
struct Course {
    is_killed: bool,
    /// Whether the customer knows that the refund was paid.
    is_paid: bool,
}

impl Course {
    /// Goes on to the answer, with another server if this one is killed.
    fn of(customer: &str, server: Server, another: impl Fn() -> Server) -> Self {
        let first = go_on(&server, customer);
        let mut printed = server.end();
        let is_killed = first.is_none();
        let seen = first.unwrap_or_else(|| {
            let server = another();
            let seen = go_on(&server, customer).unwrap();
            printed.extend(server.end());
            seen
        });
        let is_paid = seen == "user: refund 9900 cents\nassistant: 9900 cents paid\n";
        // Killed between the payment and the row that says so: nobody knows, and it is not paid again.
        let is_unknown = seen.starts_with("user: refund 9900 cents\nassistant: ") && seen.contains("may have");
        assert!(is_paid || (is_unknown && seen.lines().count() == 2), "{customer}: {seen}");
        assert!(printed.len() == 1 || (is_unknown && printed.is_empty()), "{customer}: {printed:?}");
        Self { is_killed, is_paid }
    }
}

/// The database appends a page at a time, so that each limit ends the process at another place.
#[cfg(target_os = "linux")]
#[test]
fn nothing_is_lost_or_doubled_wherever_the_server_is_killed() {
    const PAGE: u64 = 4_096 + 24;
    for is_asked in [true, false] {
        let mut unknown = 0;
        for pages in 0.. {
            let folder = tempfile::tempdir().unwrap();
            let server = approvals(folder.path());
            if is_asked {
                server.post("/chat/ada", "refund 9900 cents");
            }
            let written = std::fs::metadata(folder.path().join("approvals.db-wal")).unwrap().len();
            kill_at(&server, written + pages * PAGE);
            let course = Course::of("ada", server, || approvals(folder.path()));
            unknown += usize::from(!course.is_paid);
            if !course.is_killed {
                println!("killed at {pages} places, {unknown} times it is unknown whether the refund was paid");
                assert!(pages > 10 && unknown < 10, "{pages}: {unknown}");
                break;
            }
        }
    }
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
