//! The live page as a person uses it: lines that arrive, questions answered by clicks, a narrow window, dark.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use hook_sdk::prelude::*;
use hooks_inspect::{HooksPage, Inspector};
use hooks_store::{JobWorker, Store, StoredApprover};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::browser::recording;
use crate::driver::Browser;
use crate::file::html;
use crate::stored::{harness, harness_with};

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// Serves the page, and returns its address with the token.
fn serve(runtime: &Runtime, inspector: Inspector) -> String {
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (ready, address) = tokio::sync::oneshot::channel();
        tokio::spawn(inspector.serve(listener, move |address| drop(ready.send(address.to_owned()))));
        address.await.unwrap()
    })
}

fn open(runtime: &Runtime, folder: &Path) -> Store {
    runtime.block_on(Store::open(folder.join("agent.db").to_str().unwrap())).unwrap()
}

#[test]
fn lines_appear_as_they_are_written_and_a_script_in_them_stays_text() {
    let Some(browser) = Browser::open() else { return };
    let (runtime, folder) = (runtime(), tempfile::tempdir().unwrap());
    let file = folder.path().join("traffic.jsonl");
    let evil = "<script>document.title='owned'</script><img src=x onerror=document.title='owned'>";
    let lines = recording(evil);
    let (header, rest) = lines.split_once('\n').unwrap();
    std::fs::write(&file, format!("{header}\n")).unwrap();
    let address = serve(&runtime, Inspector::new(HooksPage::new("desk")).recording(&file));
    browser.go(&address);
    browser.until("document.querySelector('#live').textContent === 'live'");
    browser.until("document.querySelector('main').innerText.includes('0 turns')");
    let mut append = std::fs::OpenOptions::new().append(true).open(&file).unwrap();
    append.write_all(format!("{rest}\n").as_bytes()).unwrap();
    browser.until("document.querySelector('main').innerText.includes('1 turn')");
    for hash in ["/", "/turn/r1", "/turn/r1/1", "/hooks"] {
        browser.run(&format!("void (location.hash = '{hash}')"));
        browser.until("document.querySelector('main').innerText.includes('<script>')");
        browser.run("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
        assert_eq!(browser.run("document.querySelectorAll('main script, main img').length"), 0, "{hash}");
        assert_ne!(browser.run("document.title"), "owned", "{hash}");
    }
}

#[test]
fn questions_are_answered_by_clicks_and_the_turn_goes_on() {
    let Some(browser) = Browser::open() else { return };
    for (answer, result) in [("yes", "paid 5"), ("no", "too much"), ("edited", "paid 3 of 9007199254740993 at 1.0")] {
        let (runtime, folder) = (runtime(), tempfile::tempdir().unwrap());
        let store = open(&runtime, folder.path());
        let address = serve(&runtime, Inspector::new(HooksPage::new("desk")).store(store.clone()));
        let turn = runtime.spawn(async move {
            let (harness, _) = harness(&store);
            let session = harness.session("c-1", AgentDef::new("clerk").hooks(["asks"])).open().await.unwrap();
            session.turn(None, "pay").await
        });
        browser.look(1000, "light");
        browser.go(&format!("{address}#/questions"));
        browser.until("document.querySelector('main h3')?.innerText.includes('<script>it costs money</script>')");
        assert_eq!(browser.run("document.querySelectorAll('main script').length"), 0);
        browser.picture(&format!("question-{answer}"));
        match answer {
            "no" => browser.write("//main//input[@name='reason']", "too much"),
            "edited" => {
                browser.click("//main//summary[text()='Edit the input']");
                let shown = browser.run("document.querySelector('main textarea').value");
                browser.write("//main//textarea", &shown.as_str().unwrap().replace(": 5", ": 3"));
            }
            _ => {}
        }
        let button = if answer == "no" { "No" } else { "Yes" };
        browser.click(&format!("//main//button[text()='{button}']"));
        let reply = runtime.block_on(async { tokio::time::timeout(Duration::from_secs(20), turn).await });
        let told = serde_json::to_string(&reply.expect("the turn goes on").unwrap().messages).unwrap();
        assert!(told.contains(result), "{answer}: {told}");
        browser.until("document.querySelector('main').innerText.includes('Nobody waits for an answer')");
    }
}

#[test]
fn what_a_person_has_written_stays_while_the_store_changes() {
    let Some(browser) = Browser::open() else { return };
    let (runtime, folder) = (runtime(), tempfile::tempdir().unwrap());
    let store = open(&runtime, folder.path());
    let address = serve(&runtime, Inspector::new(HooksPage::new("desk")).store(store.clone()));
    let asks = |conversation: &'static str| {
        let store = store.clone();
        runtime.spawn(async move {
            let (harness, _) = harness(&store);
            let session = harness.session(conversation, AgentDef::new("clerk").hooks(["asks"])).open().await.unwrap();
            session.turn(None, "pay").await
        })
    };
    let _first = asks("c-1");
    browser.look(1000, "light");
    browser.go(&format!("{address}#/questions"));
    browser.until("document.querySelector('nav').innerText.includes('Questions 1')");
    browser.write("//main//input[@name='reason']", "too much");
    browser.run("document.activeElement.blur()");
    let _second = asks("c-2");
    browser.until("document.querySelector('nav').innerText.includes('Questions 2')");
    assert_eq!(browser.run("document.querySelector('main input[name=reason]').value"), "too much");
    browser.click("//main//button[text()='No']");
    browser.until("document.querySelector('nav').innerText.includes('Questions 1')");
    browser.until("document.querySelector('main').innerText.includes('c-2')");
}

#[test]
fn a_failed_run_is_queued_again_and_cancelled_by_clicks() {
    let Some(browser) = Browser::open() else { return };
    let (runtime, folder) = (runtime(), tempfile::tempdir().unwrap());
    let store = open(&runtime, folder.path());
    let address = serve(&runtime, Inspector::new(HooksPage::new("desk")).store(store.clone()));
    runtime.block_on(async {
        let (harness, registry) = harness(&store);
        let session = harness.session("c-1", AgentDef::new("clerk").hooks(["mail"])).open().await.unwrap();
        let _reply = session.turn(None, "hello").await;
        JobWorker::new(store.clone(), registry).poll(Duration::from_millis(1)).run_until_empty().await;
    });
    browser.look(1000, "light");
    browser.go(&format!("{address}#/jobs"));
    browser.until("document.querySelector('main').innerText.includes('no server')");
    browser.picture("jobs");
    browser.click("(//main//button[text()='Retry'])[1]");
    browser.until("document.querySelector('main').innerText.includes('queued')");
    browser.click("(//main//button[text()='Cancel'])[1]");
    browser.until("document.querySelector('main').innerText.includes('cancelled')");
}

/// The relative luminance of the page's background, from 0 to 255.
fn background(browser: &Browser) -> f64 {
    let colour = browser.run("getComputedStyle(document.body).backgroundColor");
    let numbers = colour.as_str().unwrap().split(|letter: char| !letter.is_ascii_digit());
    let numbers: Vec<f64> = numbers.filter_map(|number| number.parse().ok()).take(3).collect();
    numbers.iter().sum::<f64>() / 3.0
}

#[test]
fn every_page_fits_into_360_pixels_light_and_dark() {
    let Some(browser) = Browser::open() else { return };
    let (runtime, folder) = (runtime(), tempfile::tempdir().unwrap());
    let file = folder.path().join("traffic.jsonl");
    std::fs::write(&file, format!("{}\n", recording("a_rather_long_name_of_a_hook_that_pays_out"))).unwrap();
    let store = open(&runtime, folder.path());
    let address = serve(&runtime, Inspector::new(HooksPage::new("desk")).recording(&file).store(store));
    for scheme in ["light", "dark"] {
        browser.look(360, scheme);
        for (name, hash) in [
            ("turns", "/"),
            ("turn", "/turn/r1"),
            ("dispatch", "/turn/r1/1"),
            ("hooks", "/hooks"),
            ("questions", "/questions"),
            ("jobs", "/jobs"),
            ("keys", "/keys"),
        ] {
            browser.go(&format!("{address}#{hash}"));
            browser.until("document.querySelector('#live').textContent === 'live'");
            browser.until("document.querySelector('main').innerText.trim().length > 20");
            let width = browser.run("document.documentElement.scrollWidth").as_u64().unwrap();
            assert!(width <= 360, "{name}, {scheme}: {width} px\n{}", browser.text());
            let is_dark = background(&browser) < 80.0;
            assert_eq!(is_dark, scheme == "dark", "{name}");
            browser.picture(&format!("{name}-360-{scheme}"));
        }
    }
}

#[test]
fn a_turn_is_downloaded_with_its_end_and_with_all_that_it_refers_to() {
    let Some(browser) = Browser::open() else { return };
    let folder = tempfile::tempdir().unwrap();
    let lines = [
        r#"{"line":"header","schema":2}"#,
        r#"{"line":"value","id":"00000000000000aa","value":"long"}"#,
        r#"{"line":"message","id":"00000000000000bb","value":"$value:00000000000000aa"}"#,
        r#"{"line":"dispatch","kind":"k","ids":{"request":"r1"},"subject":"$message:00000000000000bb"}"#,
        r#"{"line":"dispatch","kind":"k","ids":{"request":"r2"}}"#,
        r#"{"line":"full","request":"r1"}"#,
    ];
    let file = folder.path().join("page.html");
    std::fs::write(&file, html(&HooksPage::new("desk"), &lines.join("\n"))).unwrap();
    browser.go(&format!("file://{}", file.display()));
    browser.until("document.body.dataset.ready");
    let saved = browser.run("recordingOf(turns.get('r1'))");
    let of_turn = [lines[0], lines[1], lines[2], lines[3], lines[5]].join("\n");
    assert_eq!(saved.as_str().unwrap().trim_end(), of_turn);
}

#[test]
fn an_expired_question_cannot_be_answered() {
    let Some(browser) = Browser::open() else { return };
    let (runtime, folder) = (runtime(), tempfile::tempdir().unwrap());
    let store = open(&runtime, folder.path());
    let address = serve(&runtime, Inspector::new(HooksPage::new("desk")).store(store.clone()));
    runtime.block_on(async {
        let approver = StoredApprover::new(store.clone()).patience(Duration::ZERO).expires(Duration::from_secs(2));
        let (harness, _) = harness_with(&store, approver);
        let session = harness.session("c-1", AgentDef::new("clerk").hooks(["asks"])).open().await.unwrap();
        let _suspended = session.turn(None, "pay").await;
    });
    browser.go(&format!("{address}#/questions"));
    browser.until("document.querySelector('main').innerText.includes('It has expired, which counts as a no.')");
    assert_eq!(browser.run("document.querySelectorAll('main button').length"), 0, "{}", browser.text());
}

#[test]
fn every_page_shows_what_comes_while_it_is_open() {
    let Some(browser) = Browser::open() else { return };
    let (runtime, folder) = (runtime(), tempfile::tempdir().unwrap());
    let file = folder.path().join("traffic.jsonl");
    let line = |request: &str, hook: &str| {
        format!(
            "{{\"line\":\"dispatch\",\"kind\":\"k\",\"ids\":{{\"conversation\":\"c\",\"request\":\"{request}\"}},\
             \"runs\":[{{\"hook\":\"{hook}\",\"status\":\"completed\",\"word\":\"deny\"}}]}}\n"
        )
    };
    std::fs::write(&file, line("r1", "first")).unwrap();
    let append = |text: &str| {
        let mut append = std::fs::OpenOptions::new().append(true).open(&file).unwrap();
        append.write_all(text.as_bytes()).unwrap();
    };
    let address = serve(&runtime, Inspector::new(HooksPage::new("desk")).recording(&file));
    let rows = |count: usize| format!("document.querySelectorAll('tbody tr').length === {count}");
    browser.go(&address);
    browser.until("document.querySelector('#live').textContent === 'live'");
    browser.write("//main//input[@name='q']", "second");
    browser.until(&rows(0));
    append(&format!("null\n{}", line("r2", "second")));
    browser.until(&rows(1));
    browser.until("document.querySelector('main').innerText.includes('1 line cannot be read')");
    browser.until("[...document.querySelectorAll('option')].some((option) => option.value === 'second')");
    assert_eq!(browser.run("document.activeElement.name"), "q", "the field keeps the focus");

    browser.run("void (location.hash = '/hooks')");
    browser.until(&rows(2));
    append(&line("r2", "third"));
    browser.until(&rows(3));
    browser.run("void (location.hash = '/hook/third')");
    browser.until("document.querySelector('main').innerText.includes('1 run,')");
    append(&line("r2", "third"));
    browser.until("document.querySelector('main').innerText.includes('2 runs,')");
    browser.run("void (location.hash = '/turn/r2')");
    browser.until("document.querySelectorAll('ol.sequence > li').length === 3");
    browser.click("//main//summary[starts-with(text(), 'What the person wrote')]");
    append(&line("r2", "fourth"));
    browser.until("document.querySelectorAll('ol.sequence > li').length === 4");
    assert_eq!(browser.run("document.querySelector('main details').open"), true, "it stays open");
    assert_eq!(browser.run("document.activeElement.localName"), "summary", "and keeps the focus");
}
