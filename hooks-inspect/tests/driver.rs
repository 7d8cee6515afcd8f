//! Chromium, driven by its `chromedriver`: clicks, typing, pictures. Skipped without them, unless `HOOKS_BROWSER` says that there
//! have to be some. With `HOOKS_PICTURES=FOLDER`, the pictures are kept.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The most that a page may take to show something.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    profile: TempDir,
}

/// A browser that goes to the next test when this one has passed. The last test closes them all.
pub(crate) struct Lent(Option<Browser>);

struct Pool {
    lent: usize,
    free: Vec<Browser>,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { lent: 0, free: Vec::new() });

impl Deref for Lent {
    type Target = Browser;

    fn deref(&self) -> &Browser {
        self.0.as_ref().unwrap()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        pool.lent -= 1;
        pool.free.extend(self.0.take().filter(|_| !std::thread::panicking()));
        if pool.lent == 0 {
            pool.free.clear();
        }
    }
}

impl Browser {
    /// `None` if there is no browser.
    pub(crate) fn open() -> Option<Lent> {
        let free = {
            let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
            pool.lent += 1;
            pool.free.pop()
        };
        let lent = Lent(free.or_else(Self::start));
        let browser = lent.0.as_ref()?;
        browser.go("about:blank");
        browser.devtools("Emulation.clearDeviceMetricsOverride", &json!({}));
        browser.devtools("Emulation.setEmulatedMedia", &json!({ "features": [] }));
        Some(lent)
    }

    fn start() -> Option<Self> {
        let (driver, chromium) = ("/usr/bin/chromedriver", "/usr/bin/chromium");
        if ![driver, chromium].iter().all(|path| Path::new(path).exists()) {
            assert!(std::env::var_os("HOOKS_BROWSER").is_none(), "HOOKS_BROWSER is set, but there is no chromedriver");
            eprintln!("skipped: install the packages `chromium` and `chromium-driver`");
            return None;
        }
        let profile = tempfile::tempdir().unwrap();
        let mut driver =
            Command::new(driver).arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines().map_while(Result::ok);
        let started = |line: String| line.split("successfully on port ").nth(1)?.trim_end_matches('.').parse().ok();
        let port = lines.into_iter().find_map(started).expect("chromedriver says its port");
        let mut browser = Self { driver, port, session: String::new(), profile };
        let folder = browser.profile.path().display();
        let args =
            ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
        let args: Vec<_> = args.iter().map(ToString::to_string).chain([format!("--user-data-dir={folder}")]).collect();
        let options = json!({ "binary": chromium, "args": args });
        let made = browser.ask(
            "POST",
            "/session",
            &json!({ "capabilities": { "alwaysMatch": { "goog:chromeOptions": options } } }),
        );
        browser.session = format!("/session/{}", made["sessionId"].as_str().unwrap());
        Some(browser)
    }

    /// The answer to a command of `WebDriver`.
    fn answer(&self, method: &str, path: &str, body: &Value) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let length = body.len();
        let head =
            format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: {length}");
        stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            length = line.strip_prefix("content-length:").map_or(length, |number| number.trim().parse().unwrap());
        }
        let mut text = vec![0; length];
        reader.read_exact(&mut text).unwrap();
        let answer: Value = serde_json::from_slice(&text).unwrap();
        answer["value"].clone()
    }

    /// The same for a command that succeeds.
    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.answer(method, path, body);
        assert!(answer["error"].is_null(), "{method} {path}: {answer}");
        answer
    }

    fn post(&self, command: &str, body: &Value) -> Value {
        self.ask("POST", &format!("{}/{command}", self.session), body)
    }

    pub(crate) fn go(&self, address: &str) {
        self.post("url", &json!({ "url": address }));
    }

    /// The value of a script.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.post("execute/sync", &json!({ "script": format!("return {script}"), "args": [] }))
    }

    /// Waits until an expression holds.
    pub(crate) fn until(&self, expression: &str) {
        let start = Instant::now();
        while self.run(&format!("Boolean({expression})")) != true {
            let seen = || self.run("document.body.innerText");
            assert!(start.elapsed() < PATIENCE, "`{expression}` never held: {}", seen());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// What the reader sees of the page.
    pub(crate) fn text(&self) -> String {
        self.run("document.querySelector('main').innerText").as_str().unwrap_or_default().to_owned()
    }

    /// A command for an element, which the page may be replacing right now.
    fn at(&self, xpath: &str, command: &str, body: &Value) {
        let start = Instant::now();
        loop {
            let found =
                self.answer("POST", &format!("{}/element", self.session), &json!({ "using": "xpath", "value": xpath }));
            let id = found.as_object().and_then(|found| found.values().next()).and_then(Value::as_str);
            let done = match id.filter(|_| found["error"].is_null()) {
                Some(id) => self.answer("POST", &format!("{}/element/{id}/{command}", self.session), body),
                None => found.clone(),
            };
            if done["error"].is_null() {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{command} at `{xpath}`: {done}\n{}", self.text());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Clicks at the element, which has to be visible.
    pub(crate) fn click(&self, xpath: &str) {
        self.at(xpath, "click", &json!({}));
    }

    /// Replaces the text of a field, key by key.
    pub(crate) fn write(&self, xpath: &str, text: &str) {
        self.at(xpath, "clear", &json!({}));
        self.at(xpath, "value", &json!({ "text": text }));
    }

    /// The width of the window, and light or dark.
    pub(crate) fn look(&self, width: u32, scheme: &str) {
        let device = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500 });
        self.devtools("Emulation.setDeviceMetricsOverride", &device);
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.devtools("Emulation.setEmulatedMedia", &features);
    }

    fn devtools(&self, command: &str, params: &Value) -> Value {
        self.post("goog/cdp/execute", &json!({ "cmd": command, "params": params }))
    }

    /// A picture of the whole page, for people to look at.
    pub(crate) fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("HOOKS_PICTURES").map(PathBuf::from) else { return };
        let shot = self.devtools("Page.captureScreenshot", &json!({ "format": "png", "captureBeyondViewport": true }));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}.png.base64")), shot["data"].as_str().unwrap()).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Without its session, the browser ends with its driver.
        if !std::thread::panicking() {
            self.ask("DELETE", &self.session, &Value::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
