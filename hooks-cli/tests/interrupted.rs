//! Closed pipes, full disks, signals, and names that are not UTF-8.
#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests are tests too")]
#![cfg(unix)]

use std::ffi::OsString;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{RULES, Said, data, folder, hooks, program};

#[test]
fn arguments_that_are_not_utf8_are_accepted_only_as_paths() {
    let folder = folder();
    let strange = || OsString::from_vec(vec![b'x', 0xff]);
    let said = hooks(folder.path(), &["check".into(), strange()]);
    assert!(said.out.contains("no such file") && said.code == Some(1), "{}", said.out);
    let said = hooks(folder.path(), &["explain".into(), "--event".into(), strange()]);
    assert!(said.err.contains("UTF-8") && said.code == Some(64), "{}", said.err);
    fs::write(folder.path().join(strange()), RULES).unwrap();
    let said = hooks(folder.path(), &["check".into(), strange()]);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "a file name need not be UTF-8");
    assert_eq!(hooks(folder.path(), &["list".into(), "--json".into(), strange()]).code, Some(0));
}

/// The exit status does not change either.
#[test]
fn a_closed_pipe_is_not_an_error() {
    let mut child = program(&data("data")).args(["check", "-"]).spawn().unwrap();
    // The program writes only after it has read its input.
    drop(child.stdout.take());
    let mistakes = fs::read(data("data").join("ten_mistakes.json")).unwrap();
    child.stdin.take().unwrap().write_all(&mistakes).unwrap();
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!((said.code, said.err.as_str()), (Some(1), ""));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let child = program(&data("data")).arg("kinds").stdout(Stdio::from(full)).spawn().unwrap();
    let said = Said::from(child.wait_with_output().unwrap());
    assert!(said.code == Some(74) && said.err.contains("cannot be written"), "{}", said.err);
}

/// The command and its child processes hold one end of a pipe: the other end reads until all of them have exited. Once
/// the program is gone, there is a file `gone`.
fn interrupted(signal: Signal, line: &str) -> (Option<i32>, String) {
    let folder = folder();
    let fifo = folder.path().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let command = format!("exec 3>fifo; echo started >&3; {line}");
    let rule = serde_json::json!({"type": "command", "command": command});
    let file = serde_json::json!({"hooks": {"Stop": [{"hooks": [rule]}]}});
    fs::write(folder.path().join("hooks.json"), file.to_string()).unwrap();
    let mut child = program(folder.path())
        .args(["dispatch", "--event", "Stop", "--trust", "hooks.json"])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let mut pipe = fs::File::open(&fifo).unwrap();
    let mut started = [0; 8];
    pipe.read_exact(&mut started).unwrap();
    kill_process(Pid::from_child(&child), signal).unwrap();
    let code = child.wait().unwrap().code();
    fs::write(folder.path().join("gone"), "").unwrap();
    let mut rest = String::new();
    pipe.read_to_string(&mut rest).unwrap();
    (code, rest)
}

#[test]
fn a_signal_ends_all_started_processes() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        for line in [
            "sleep 20; echo finished >&3",
            "(sleep 20; echo finished >&3) & wait",
            "trap '' INT TERM; sleep 20; echo finished >&3",
            "while [ ! -e gone ]; do sleep 0.01; done; echo finished >&3",
        ] {
            assert_eq!(interrupted(signal, line), (Some(code), String::new()), "{line}");
        }
    }
}

/// Nobody can do anything about that.
#[test]
fn what_a_killed_program_has_started_goes_on() {
    for line in [
        "while [ ! -e gone ]; do sleep 0.01; done; echo finished >&3",
        "(while [ ! -e gone ]; do sleep 0.01; done; echo finished >&3) & wait",
    ] {
        assert_eq!(interrupted(Signal::KILL, line), (None, "finished\n".to_owned()), "{line}");
    }
}

#[test]
fn dispatch_waits_for_detached_commands_up_to_the_limit() {
    let folder = folder();
    let rule = |command: &str| serde_json::json!({"type": "command", "command": command, "async": true});
    let run = |command: &str, wait: &str| {
        let file = serde_json::json!({"hooks": {"Stop": [{"hooks": [rule(command)]}]}});
        fs::write(folder.path().join("hooks.json"), file.to_string()).unwrap();
        let args = ["dispatch", "--event", "Stop", "--trust", "--json", "--wait", wait, "hooks.json"];
        let report = hooks(folder.path(), &args).json();
        let outcomes = report["runs"].as_array().unwrap().iter().map(|run| run["outcome"].to_string());
        outcomes.collect::<Vec<_>>()
    };
    assert_eq!(run("touch done", "60"), ["\"detached\"", "\"answered\""]);
    assert!(Path::new(&folder.path().join("done")).exists());
    assert_eq!(run("sleep 60", "0")[0], "\"detached\"");
}
