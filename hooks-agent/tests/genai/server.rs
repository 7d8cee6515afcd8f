//! A scripted server: one reply per connection, in order.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use hooks_agent::model::{Delta, Deltas, Genai, Model, ModelAnswer, ModelCall, ModelError};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// What the server does after it has read a request.
#[derive(Clone)]
pub(crate) struct Reply(Vec<Step>);

#[derive(Clone)]
enum Step {
    Send(Vec<u8>),
    /// Waits for a signal of the test.
    Wait,
    /// Waits until the client disconnects.
    Silence,
}

impl Reply {
    /// A response without streaming.
    pub(crate) fn status(status: u16, headers: &str, body: &str) -> Self {
        let length = body.len();
        let head =
            format!("HTTP/1.1 {status} Status\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n");
        Self(vec![Step::Send((head + body).into_bytes())])
    }

    /// The head of a stream that ends with the connection.
    pub(crate) fn stream() -> Self {
        Self(vec![Step::Send(
            b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n".to_vec(),
        )])
    }

    /// The head of a chunked stream whose first chunk is incomplete.
    pub(crate) fn broken_chunk(part: &str) -> Self {
        let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-type: text/event-stream\r\n\r\n1000\r\n";
        Self(vec![Step::Send((head.to_owned() + part).into_bytes())])
    }

    /// No response at all until the client disconnects.
    pub(crate) fn silence() -> Self {
        Self(vec![Step::Silence])
    }

    /// No further data until the client disconnects.
    pub(crate) fn then_silence(mut self) -> Self {
        self.0.push(Step::Silence);
        self
    }

    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.push(Step::Send(bytes.to_vec()));
        self
    }

    pub(crate) fn event(self, event: &Value) -> Self {
        self.bytes(format!("data: {event}\n\n").as_bytes())
    }

    pub(crate) fn text(self, text: &str) -> Self {
        self.event(&json!({ "choices": [{ "index": 0, "delta": { "content": text } }] }))
    }

    /// The stop reason and the end.
    pub(crate) fn end(self, reason: &str) -> Self {
        self.event(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] }))
            .bytes(b"data: [DONE]\n\n")
    }

    pub(crate) fn wait(mut self) -> Self {
        self.0.push(Step::Wait);
        self
    }

    /// A complete answer.
    pub(crate) fn says(text: &str) -> Self {
        Self::stream().text(text).end("stop")
    }

    /// A complete answer with one tool call.
    pub(crate) fn calls(id: &str, tool: &str, arguments: &str) -> Self {
        let call = json!({ "index": 0, "id": id, "function": { "name": tool, "arguments": arguments } });
        Self::stream().event(&json!({ "choices": [{ "delta": { "tool_calls": [call] } }] })).end("tool_calls")
    }
}

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) head: String,
    pub(crate) body: Value,
}

#[derive(Default)]
struct Shared {
    replies: Mutex<VecDeque<Reply>>,
    asked: Mutex<Vec<Asked>>,
    was_asked: Notify,
    go_on: Notify,
    hung_up: Notify,
}

pub(crate) struct Server {
    pub(crate) url: String,
    shared: Arc<Shared>,
}

impl Server {
    pub(crate) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let shared = Arc::new(Shared { replies: Mutex::new(replies.into_iter().collect()), ..Shared::default() });
        let serving = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Some(reply) = serving.replies.lock().unwrap().pop_front() else { return };
                tokio::spawn(serve(stream, reply, Arc::clone(&serving)));
            }
        });
        Self { url, shared }
    }

    pub(crate) fn model(&self) -> Genai {
        Genai::new("test-model").base_url(self.url.as_str())
    }

    /// The requests so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().unwrap().clone()
    }

    pub(crate) async fn was_asked(&self) {
        self.shared.was_asked.notified().await;
    }

    pub(crate) fn go_on(&self) {
        self.shared.go_on.notify_one();
    }

    pub(crate) async fn hung_up(&self) {
        self.shared.hung_up.notified().await;
    }
}

async fn serve(mut stream: TcpStream, reply: Reply, shared: Arc<Shared>) {
    let asked = read(&mut stream).await;
    shared.asked.lock().unwrap().push(asked);
    shared.was_asked.notify_one();
    for step in reply.0 {
        match step {
            Step::Send(bytes) => stream.write_all(&bytes).await.unwrap(),
            Step::Wait => shared.go_on.notified().await,
            Step::Silence => while stream.read(&mut [0; 64]).await.is_ok_and(|read| read > 0) {},
        }
    }
    shared.hung_up.notify_one();
    let _ = stream.shutdown().await;
}

async fn read(stream: &mut TcpStream) -> Asked {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            if body.len() >= length.parse().unwrap() {
                return Asked { head, body: serde_json::from_str(body).unwrap() };
            }
        }
        assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0, "the request ends early");
    }
}

/// The result of a call, and its streamed pieces of text.
pub(crate) async fn call(model: &Genai, call: &ModelCall) -> (Result<ModelAnswer, ModelError>, Vec<String>) {
    let reported = Mutex::new(Vec::new());
    let listener = |delta: Delta<'_>| {
        if let Delta::Text(text) = delta {
            reported.lock().unwrap().push(text.to_owned());
        }
    };
    let answer = model.call(call, Deltas::to(&listener)).await;
    let reported = reported.lock().unwrap().clone();
    (answer, reported)
}

/// A call for tests in which its content does not matter.
pub(crate) fn hello() -> ModelCall {
    let mut call = ModelCall::default();
    call.messages.push(hook_sdk::data::Message::new(hook_sdk::data::Role::User, "hello"));
    call
}
