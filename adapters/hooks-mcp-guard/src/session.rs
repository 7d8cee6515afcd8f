//! What stands between a client and a server: each line passes as it is, waits for a judgement, or is refused.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hook_sdk::CancellationToken;
use hooks_mcp::{GuardedCall, McpCall, McpGuard, ServerAnswer, unreadable};
use hooks_rules::{Defect, Rules};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::Sender;
use tokio::sync::oneshot;

use crate::message::{Id, Message, MessageKind, answer_of, call_of, folded, id_of};
use crate::requests::{Requests, Waiting};
use crate::streams::Reports;

const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;
const INTERNAL_ERROR: i32 = -32603;
const ENDED: &str = "The server has ended";

/// Lines to one side.
pub(crate) type Lines = Sender<Vec<u8>>;

/// One client and one server.
#[derive(Clone)]
pub(crate) struct Session {
    guard: McpGuard,
    requests: Arc<Requests>,
    client: Lines,
    reports: Reports,
    rules: Rules,
    /// Whether the rules have been compared with the tools of the server.
    is_audited: Arc<AtomicBool>,
    /// Whether hooks judge results. Without them, one that hooks could not read passes.
    judges_results: bool,
    /// Ends all calls.
    end: CancellationToken,
}

impl Session {
    pub(crate) fn new(
        guard: McpGuard,
        client: Lines,
        reports: Reports,
        (rules, judges_results): (Rules, bool),
        end: CancellationToken,
    ) -> Self {
        let (requests, is_audited) = (Arc::default(), Arc::default());
        Self { guard, requests, client, reports, rules, is_audited, judges_results, end }
    }

    /// A line of the client. `server` takes what may pass, and is closed when the client has closed its side and no call
    /// is being judged.
    pub(crate) async fn client_line(&self, line: Vec<u8>, server: &Lines) {
        let message = match Message::read(&line) {
            Ok(message) => message,
            Err(unreadable) => return self.refuse(unreadable.id, INVALID_REQUEST, &unreadable.problem).await,
        };
        if let Some(key) = &message.other {
            let problem = format!("it has a key {key:?}, which is none of JSON-RPC");
            let id = message.raw_id.filter(|_| matches!(message.kind, MessageKind::Request(..)));
            return self.refuse(id, INVALID_REQUEST, &problem).await;
        }
        let passes = match message.kind {
            MessageKind::Request(id, method) if is_call(&method) => {
                match call_of(&line, message.params) {
                    Ok(call) => self.begin(id, message.raw_id, call, &line, server).await,
                    Err(problem) => self.refuse(message.raw_id, INVALID_PARAMS, &problem).await,
                }
                false
            }
            MessageKind::Request(id, method) => {
                let waiting = if folded(&method) == "tools/list" { Waiting::List } else { Waiting::Plain };
                let is_new = self.requests.note(id, waiting);
                if !is_new {
                    self.refuse(message.raw_id, INVALID_REQUEST, "its id is that of another request").await;
                }
                is_new
            }
            MessageKind::Notification(method) if is_call(&method) => {
                self.reports.line("a call of a tool without an id is not run");
                false
            }
            MessageKind::Notification(method) => {
                if let ("notifications/cancelled", Some(id)) = (method.as_str(), cancelled(message.params)) {
                    self.requests.cancel(&id);
                }
                true
            }
            MessageKind::Response(_) => true,
        };
        if passes {
            let _ = server.send(line).await;
        }
    }

    /// A line of the server.
    pub(crate) async fn server_line(&self, line: Vec<u8>) {
        if line.trim_ascii_start().starts_with(b"[") {
            // A batch: each message by itself.
            match serde_json::from_slice::<Vec<&RawValue>>(&line) {
                Ok(batch) => {
                    for message in batch {
                        self.server_message([message.get().as_bytes(), b"\n"].concat()).await;
                    }
                }
                Err(problem) => self.leave_out(&problem.to_string()),
            }
            return;
        }
        self.server_message(line).await;
    }

    async fn server_message(&self, line: Vec<u8>) {
        let kind = match Message::read(&line) {
            Ok(message) => message.kind,
            Err(unreadable) => {
                self.leave_out(&unreadable.problem);
                // Whoever waits for it does not wait for ever.
                let Some(id) = id_of(&line) else { return };
                match self.requests.take(&id) {
                    Some(Waiting::Plain | Waiting::List) => {
                        let reason = format!("The server's answer cannot be read: {}", unreadable.problem);
                        let _ = self.client.send(error(Some(&id), INTERNAL_ERROR, &reason)).await;
                    }
                    Some(Waiting::Call(guarding, _)) => {
                        let _ = guarding.send(line);
                    }
                    _ => {}
                }
                return;
            }
        };
        let line = match kind {
            MessageKind::Request(..) | MessageKind::Notification(_) => line,
            MessageKind::Response(id) => match self.requests.take(&id) {
                Some(Waiting::Plain) => line,
                Some(Waiting::List) => {
                    self.audit(&line);
                    self.offered(&id, line)
                }
                Some(Waiting::Call(guarding, _)) => {
                    // Whoever guards it may have been cancelled meanwhile.
                    let _ = guarding.send(line);
                    return;
                }
                Some(Waiting::Cancelled | Waiting::Judged(_)) | None => {
                    return self.leave_out("nobody waits for this answer");
                }
            },
        };
        let _ = self.client.send(line).await;
    }

    /// The server has ended: no answer comes any more.
    pub(crate) fn end(&self) {
        self.requests.end();
    }

    /// Judges a call beside everything else.
    async fn begin(
        &self,
        id: Id,
        raw_id: Option<&RawValue>,
        call: (String, Option<Map<String, Value>>),
        line: &[u8],
        server: &Lines,
    ) {
        let (guarding, answer) = oneshot::channel();
        let cancelled = self.end.child_token();
        if !self.requests.note(id.clone(), Waiting::Call(guarding, cancelled.clone())) {
            return self.refuse(raw_id, INVALID_REQUEST, "its id is that of another request").await;
        }
        let (tool, arguments) = call;
        let is_typed = is_typed(line);
        let text = match &id {
            Id::Number(number) => number.to_string(),
            // The calls 1 and "1" are two.
            Id::Text(text) if text.parse::<i64>().is_ok() => format!("{text:?}"),
            Id::Text(text) => text.clone(),
        };
        let (reports, shown_id) = (self.reports.clone(), text.clone());
        let call = McpCall::new(tool).id(text).arguments(arguments.clone()).cancellation(cancelled.clone());
        let (session, server, line, raw_id) =
            (self.clone(), server.clone(), line.to_vec(), raw_id.map(ToOwned::to_owned));
        let was_asked = Arc::new(AtomicBool::new(false));
        let asks = Arc::clone(&was_asked);
        let judges_results = self.judges_results;
        let unread = Arc::new(Mutex::new(None));
        let passes = Arc::clone(&unread);
        let run = async move |left: Option<Map<String, Value>>| {
            asks.store(true, Ordering::Relaxed);
            let line = if left == arguments { line } else { with_arguments(&line, left) };
            let failed =
                |reason: &str| ServerAnswer { original: Err(reason.to_owned()), result: Err(reason.to_owned()) };
            if server.send(line).await.is_err() {
                return failed(ENDED);
            }
            // The input of the server ends when the client's does and no call is on its way.
            drop(server);
            let Ok(line) = answer.await else { return failed(ENDED) };
            let read = answer_of(&line).and_then(|answer| match answer.as_ref().ok().and_then(unreadable) {
                Some(problem) => Err(problem),
                None => Ok(answer),
            });
            match read {
                Ok(result) => ServerAnswer { original: Ok(line), result },
                Err(problem) if judges_results => {
                    reports.line(&format!("the answer to the call {shown_id} is withheld: {problem}"));
                    failed(&format!("The server's answer cannot be guarded: {problem}"))
                }
                Err(_) => {
                    *passes.lock().unwrap_or_else(PoisonError::into_inner) = Some(line.clone());
                    let nothing = Map::from_iter([("content".to_owned(), json!([]))]);
                    ServerAnswer { original: Ok(line), result: Ok(nothing) }
                }
            }
        };
        tokio::spawn(async move {
            let answer = match session.guard.call(call, run).await {
                GuardedCall::Unchanged(Ok(line)) => line,
                GuardedCall::Unchanged(Err(reason)) => error(raw_id.as_deref(), INTERNAL_ERROR, &reason),
                GuardedCall::Changed(mut result) => {
                    if is_typed {
                        result.entry("resultType").or_insert_with(|| "complete".into());
                    }
                    // What no hook has read, none can have changed; what it adds has no place.
                    let original = unread.lock().unwrap_or_else(PoisonError::into_inner).take();
                    original.unwrap_or_else(|| line_of(&json!({"jsonrpc": "2.0", "id": raw_id, "result": result})))
                }
            };
            session.requests.forget(&id, was_asked.load(Ordering::Relaxed));
            if !cancelled.is_cancelled() {
                let _ = session.client.send(answer).await;
            }
        });
    }

    async fn refuse(&self, id: Option<&RawValue>, code: i32, problem: &str) {
        self.reports.line(&format!("a message of the client is refused: {problem}"));
        let _ = self.client.send(error(id, code, &format!("Refused by the guard: {problem}"))).await;
    }

    /// Reports rules that name this server, and none of its tools, once it has listed them all at once.
    fn audit(&self, line: &[u8]) {
        let result = serde_json::from_slice::<Value>(line).unwrap_or_default()["result"].take();
        let tools = result["tools"].as_array().into_iter().flatten();
        let tools: Vec<String> = tools.filter_map(|tool| Some(self.guard.tool_name(tool["name"].as_str()?))).collect();
        let is_whole = !tools.is_empty() && result["nextCursor"].is_null();
        if is_whole && !self.is_audited.swap(true, Ordering::Relaxed) {
            let prefix = self.guard.tool_name("");
            // A tool that is named without its server.
            let is_bare = |defect: &&Defect| {
                !defect.problem.contains("`mcp__") && defect.help.starts_with(&format!("write `{prefix}"))
            };
            let found = self.rules.audit(tools);
            for defect in found.iter().filter(|defect| defect.problem.contains(&prefix) || is_bare(defect)) {
                let Defect { file, line, problem, help, .. } = defect;
                self.reports.notice(&format!("{}:{line}: {problem}; {help}", file.display()));
            }
        }
    }

    /// A list of tools without those that may not be called.
    fn offered(&self, id: &Id, line: Vec<u8>) -> Vec<u8> {
        if self.guard.offers_all() {
            return line;
        }
        let mut result = match answer_of(&line) {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => return line,
            Err(problem) => {
                self.reports.line(&format!("a list of tools is withheld: {problem}"));
                return error(
                    Some(id),
                    INTERNAL_ERROR,
                    &format!("The server's list of tools cannot be guarded: {problem}"),
                );
            }
        };
        let Some(Value::Array(tools)) = result.get_mut("tools") else { return line };
        let before = tools.len();
        tools.retain(|tool| tool["name"].as_str().is_some_and(|name| self.guard.is_offered(name)));
        if tools.len() == before { line } else { line_of(&json!({"jsonrpc": "2.0", "id": id, "result": result})) }
    }

    fn leave_out(&self, problem: &str) {
        self.reports.line(&format!("a line of the server is left out: {problem}"));
    }
}

/// Whether a server could take this for a call of a tool.
fn is_call(method: &str) -> bool {
    folded(method) == "tools/call"
}

fn cancelled(params: Option<&RawValue>) -> Option<Id> {
    let params: Value = serde_json::from_str(params?.get()).ok()?;
    serde_json::from_value(params.get("requestId")?.clone()).ok()
}

/// Whether the client speaks a version in which each result says of what type it is.
fn is_typed(line: &[u8]) -> bool {
    let call: Value = serde_json::from_slice(line).unwrap_or_default();
    let version = &call["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
    version.as_str().is_some_and(|version| version >= "2026-07-28")
}

fn with_arguments(line: &[u8], arguments: Option<Map<String, Value>>) -> Vec<u8> {
    let Ok(mut request) = serde_json::from_slice::<Value>(line) else { return Vec::new() };
    request["params"]["arguments"] = arguments.into();
    line_of(&request)
}

fn error<I: Serialize + ?Sized>(id: Option<&I>, code: i32, message: &str) -> Vec<u8> {
    line_of(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}))
}

fn line_of(message: &Value) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}
