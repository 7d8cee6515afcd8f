//! The page as a server: who may ask, and what they get.

use std::fmt::Write as _;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use hooks_inspect::{HooksPage, Inspector, router};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt;

/// A running server: its address and its token.
async fn server(recording: &std::path::Path) -> (String, String) {
    server_at(TcpListener::bind("127.0.0.1:0").await.unwrap(), recording).await
}

async fn server_at(listener: TcpListener, recording: &std::path::Path) -> (String, String) {
    let (ready, address) = tokio::sync::oneshot::channel();
    let inspector = Inspector::new(HooksPage::new("desk")).recording(recording);
    tokio::spawn(inspector.serve(listener, move |address| drop(ready.send(address.to_owned()))));
    let address = address.await.unwrap();
    let (host, token) = address.trim_start_matches("http://").split_once("/?t=").unwrap();
    (host.to_owned(), token.to_owned())
}

/// The status and the text of an answer.
async fn ask(address: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let mut request = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        write!(request, "{name}: {value}\r\n").unwrap();
    }
    stream.write_all(format!("{request}\r\n{body}").as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    (answer.split(' ').nth(1).unwrap().parse().unwrap(), answer)
}

#[tokio::test]
async fn only_who_knows_the_token_and_names_this_host_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("traffic.jsonl");
    std::fs::write(&file, "{\"line\":\"header\",\"schema\":2}\n{\"line\":\"torn").unwrap();
    let (host, token) = server(&file).await;
    let good = format!("/api/lines?t={token}");
    let (status, text) = ask(&host, "GET", &good, &[("host", &host)], "").await;
    assert_eq!(status, 200, "{text}");
    assert!(text.contains("\"header\"") && !text.contains("torn"), "a line that is not complete was given: {text}");
    assert_eq!(ask(&host, "HEAD", &good, &[("host", &host)], "").await.0, 200, "it changes nothing");
    let (status, page) = ask(&host, "GET", &format!("/?t={token}"), &[("host", &host)], "").await;
    assert_eq!(status, 200);
    assert!(page.contains("content-security-policy: default-src 'none'") && !page.contains(&token), "{page}");

    let elsewhere = format!("http://{host}.evil.example");
    let same = format!("http://{host}");
    let json = ("content-type", "application/json");
    let body = r#"{"id":"q1","yes":true}"#;
    let answer = format!("/api/answer?t={token}");
    for (why, method, path, headers, body) in [
        ("no token", "GET", "/api/lines", vec![("host", &*host)], ""),
        ("another token", "GET", "/api/lines?t=0123", vec![("host", &host)], ""),
        ("no token for the page", "GET", "/", vec![("host", &host)], ""),
        ("a name that resolves to this machine", "GET", &good, vec![("host", "evil.example")], ""),
        ("a page of another site", "GET", &good, vec![("host", &host), ("origin", &elsewhere)], ""),
        ("a link of another site", "GET", &good, vec![("host", &host), ("sec-fetch-site", "cross-site")], ""),
        ("a page without an origin", "GET", &good, vec![("host", &host), ("origin", "null")], ""),
        ("an answer from another site", "POST", &answer, vec![("host", &host), ("origin", &elsewhere), json], body),
        ("an answer from no page", "POST", &answer, vec![("host", &host), json], body),
        ("an answer without token", "POST", "/api/answer", vec![("host", &host), ("origin", &same), json], body),
    ] {
        let (status, text) = ask(&host, method, path, &headers, body).await;
        assert_eq!(status, 403, "{why}: {text}");
    }
    // A form of another site cannot send JSON.
    let (status, _) =
        ask(&host, "POST", &answer, &[("host", &host), ("origin", &same), ("content-type", "text/plain")], body).await;
    assert_eq!(status, 415);
    let (status, text) = ask(&host, "POST", &answer, &[("host", &host), ("origin", &same), json], body).await;
    assert!(status == 409 && text.contains("there is no store"), "{status} {text}");
}

#[tokio::test]
async fn the_usual_port_may_be_left_out() {
    let listener = match TcpListener::bind("127.0.0.1:80").await {
        Ok(listener) => listener,
        Err(error) => return eprintln!("skipped: port 80: {error}"),
    };
    let folder = tempfile::tempdir().unwrap();
    let (host, token) = server_at(listener, &folder.path().join("none.jsonl")).await;
    for (name, status) in [("127.0.0.1", 200), ("localhost", 200), (&*host, 200), ("evil.example", 403), ("", 403)] {
        let (found, text) = ask(&host, "GET", &format!("/?t={token}"), &[("host", name)], "").await;
        assert_eq!(found, status, "{name}: {text}");
    }
}

/// What a server tells of lines.
struct Events {
    stream: TcpStream,
    seen: String,
}

impl Events {
    async fn open(host: &str, token: &str, from: &str, headers: &str) -> Self {
        let mut stream = TcpStream::connect(host).await.unwrap();
        let request = format!("GET /api/events?from={from}&t={token} HTTP/1.1\r\nhost: {host}\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        Self { stream, seen: String::new() }
    }

    /// All that was told until this text was.
    async fn until(&mut self, text: &str) -> &str {
        let mut buffer = [0; 4096];
        while !self.seen.contains(text) {
            let read = self.stream.read(&mut buffer).await.unwrap();
            assert!(read > 0, "the stream ended: {}", self.seen);
            self.seen.push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
        &self.seen
    }

    /// The numbers of the lines of [`numbered`] until this one.
    async fn numbers(&mut self, last: usize) -> Vec<usize> {
        let seen = self.until(&numbered(last..=last)).await;
        seen.split("\"count\":").skip(1).map(|text| text.split('}').next().unwrap().parse().unwrap()).collect()
    }
}

fn numbered(numbers: std::ops::RangeInclusive<usize>) -> String {
    numbers.fold(String::new(), |text, number| text + &format!("{{\"line\":\"dropped\",\"count\":{number}}}\n"))
}

fn append(file: &std::path::Path, text: &str) {
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(file).unwrap();
    std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
}

#[tokio::test]
async fn new_lines_arrive_as_events_whole() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("traffic.jsonl");
    std::fs::write(&file, "{\"line\":\"header\",\"schema\":2}\n{\"line\":").unwrap();
    let (host, token) = server(&file).await;
    let mut events = Events::open(&host, &token, "0", "").await;
    let first = events.until("header").await;
    assert!(first.contains("event: line") && !first.contains("{\"line\":\n"), "{first}");
    append(&file, "\"dropped\",\"count\":4}\n");
    let second = events.until("\"count\":4}").await;
    assert!(second.contains("data: {\"line\":\"dropped\",\"count\":4}"), "{second}");
}

#[tokio::test]
async fn a_line_arrives_once_whenever_the_connection_breaks() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("traffic.jsonl");
    std::fs::write(&file, numbered(1..=100)).unwrap();
    let (host, token) = server(&file).await;
    let (_, page) = ask(&host, "GET", &format!("/api/lines?t={token}"), &[("host", &host)], "").await;
    let next = page.split("x-next: ").nth(1).unwrap().lines().next().unwrap();
    append(&file, &numbered(101..=103));
    let mut events = Events::open(&host, &token, next, "").await;
    assert_eq!(events.numbers(103).await, [101, 102, 103]);
    // The browser repeats the address, and says what it got last: not always the end of what was read at once.
    let told = events.until("\"count\":102}").await;
    let last = told.split("\"count\":102}").next().unwrap().rsplit("id: ").next().unwrap().lines().next().unwrap();
    append(&file, &numbered(104..=104));
    let mut again = Events::open(&host, &token, next, &format!("last-event-id: {last}\r\n")).await;
    assert_eq!(again.numbers(104).await, [103, 104]);
}

#[tokio::test]
async fn files_that_were_moved_aside_are_read_to_their_end_and_new_ones_from_their_begin() {
    let folder = tempfile::tempdir().unwrap();
    let name = |end: &str| folder.path().join(format!("traffic.jsonl{end}"));
    std::fs::write(name(""), numbered(1..=3)).unwrap();
    let (host, token) = server(&name("")).await;
    let mut events = Events::open(&host, &token, "0", "").await;
    assert_eq!(events.numbers(3).await, [1, 2, 3]);
    // Twice, before the server looks again; and the new file is longer than the old one.
    append(&name(""), &numbered(4..=4));
    std::fs::rename(name(""), name(".1")).unwrap();
    std::fs::write(name(""), numbered(5..=6)).unwrap();
    std::fs::rename(name(".1"), name(".2")).unwrap();
    std::fs::rename(name(""), name(".1")).unwrap();
    std::fs::write(name(""), numbered(7..=20)).unwrap();
    assert_eq!(events.numbers(20).await, (1..=20).collect::<Vec<_>>());
    // A file that was begun anew in its place.
    std::fs::write(name(""), numbered(21..=60)).unwrap();
    assert_eq!(events.numbers(60).await, (1..=60).collect::<Vec<_>>());
}

#[tokio::test]
async fn an_app_mounts_the_routes_behind_its_own_login() {
    let app = axum::Router::new().nest("/hooks", router(Inspector::new(HooksPage::new("desk"))));
    let get = |uri: &str| Request::get(uri).header("host", "desk.example").body(Body::empty()).unwrap();
    for uri in ["/hooks", "/hooks/", "/hooks/api/lines"] {
        let answer = app.clone().oneshot(get(uri)).await.unwrap();
        assert!(answer.status() == StatusCode::OK || uri == "/hooks/", "{uri}: {}", answer.status());
    }
    let post =
        Request::post("/hooks/api/retry").header("host", "desk.example").header("origin", "https://evil.example");
    let post = post.header("content-type", "application/json").body(Body::from(r#"{"id":"1"}"#)).unwrap();
    assert_eq!(app.oneshot(post).await.unwrap().status(), StatusCode::FORBIDDEN);
}
