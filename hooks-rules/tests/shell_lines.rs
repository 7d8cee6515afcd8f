//! Tests `if` against bash: each line runs with replaced programs that record their arguments. A line that ran the
//! program must select the guard.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]
#![allow(clippy::print_stdout, reason = "the figures")]
#![cfg(unix)]

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use hooks_rules::{Aliases, Filter};
use serde_json::json;

const LINES: &str = include_str!("data/shell_lines.txt");

/// Lines that try to bypass a guard.
const ATTACKS: &str = include_str!("data/shell_attacks.txt");

/// Programs that start what follows their options, for machines without them.
const STARTERS: &[&str] = &["sudo", "doas", "strace", "npx", "wrapper", "poetry", "busybox", "setpriv", "chrt"];

/// Starts what its options name, with the arguments behind them.
const RIPGREP: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
        --pre | --hostname-bin) shift; exec "$@" ;;
        --pre=*) program=${1#*=}; shift; exec "$program" "$@" ;;
    esac
    shift
done
"#;

/// Runs its words, with `{}` replaced by the word behind `:::` or followed by it.
const PARALLEL: &str = r#"#!/bin/bash
words=()
while [ $# -gt 0 ]; do
    case $1 in
        -j) shift ;;
        -j*) ;;
        :::) shift; break ;;
        *) words+=("$1") ;;
    esac
    shift
done
line="${words[*]}"
case $line in *{}*) line=${line//\{\}/$1} ;; *) line="$line $1" ;; esac
exec sh -c "$line"
"#;

/// A folder with programs that record their arguments.
struct Stubs {
    root: PathBuf,
}

impl Stubs {
    fn new(root: PathBuf) -> Self {
        let (bin, real) = (root.join("bin"), root.join("realbin"));
        std::fs::create_dir_all(&bin).unwrap();
        std::fs::create_dir_all(&real).unwrap();
        symlink("/usr/bin/env", real.join("env")).unwrap();
        let log = root.join("log");
        put(&bin.join("git"), &format!("#!/bin/sh\necho \"$*\" >> '{}'\n", log.display()));
        for name in STARTERS {
            let skip = "while [ $# -gt 0 ]; do case $1 in git|sh) exec \"$@\";; esac; shift; done";
            put(&bin.join(name), &format!("#!/bin/sh\n{skip}\n"));
        }
        put(&bin.join("watch"), "#!/bin/sh\nfor last; do :; done; exec sh -c \"$last\"\n");
        put(&bin.join("git-push"), "#!/bin/sh\nexec git push \"$@\"\n");
        put(&bin.join("rg"), RIPGREP);
        put(&bin.join("parallel"), PARALLEL);
        Self { root }
    }

    /// The line with the folders of this machine.
    fn line(&self, line: &str) -> String {
        let line = line.replace("@STUBS@", &self.root.join("bin").display().to_string());
        line.replace("/tmp/hooks_rules_", &format!("{}/", self.root.display()))
    }

    /// How `git` was called when bash ran the line.
    fn calls(&self, line: &str) -> Vec<String> {
        let _ = std::fs::remove_file(self.root.join("log"));
        // Files of one line do not affect the next.
        let folder = self.root.join("cwd");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        let path = format!("{}:{}", self.root.join("bin").display(), std::env::var("PATH").unwrap());
        let mut bash = Command::new("timeout");
        bash.args(["20", "bash", "-c", line]).env("PATH", path).env("HOME", &folder).current_dir(&folder);
        bash.stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .env_remove("BASH_ENV")
            .env("SHELL", "/bin/sh");
        bash.status().unwrap();
        let log = std::fs::read_to_string(self.root.join("log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }
}

fn put(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn selects(rule: &str, line: &str) -> bool {
    Filter::read(rule).unwrap().selects(&Aliases::default(), "Bash", &json!({ "command": line }), None)
}

/// Whether git would push if called like this. Options can precede its subcommand, and some subcommands start others.
fn pushes(call: &str) -> bool {
    let starts_others = ["alias.p=!git push", "bisect run git push", "foreach git push", "--exec git push"];
    let mut words = call.split(' ');
    while let Some(word) = words.next() {
        match word {
            "-c" if words.clone().next().is_some_and(|config| config.ends_with("=push")) => return true,
            "-C" | "-c" | "--git-dir" => drop(words.next()),
            option if option.starts_with('-') => {}
            "subtree" => return words.next() == Some("push"),
            command => {
                return matches!(command, "push" | "send-pack")
                    || starts_others.iter().any(|start| call.contains(start));
            }
        }
    }
    false
}

/// The result of a line.
#[derive(Default)]
struct Found {
    missed: Vec<String>,
    needless: Vec<String>,
    ran: usize,
}

/// Lines with a placeholder `@` for another line.
const AROUND: &[&str] = &[
    "@",
    "{ @; }",
    "(@)",
    "( @ )",
    "! @",
    "time @",
    "true && @",
    "true; @",
    "true | @",
    "@ | cat",
    "@ &\nwait",
    "true\n@",
    "@ && true",
    "if true; then @; fi",
    "if @; then :; fi",
    "if false; then :; else @; fi",
    "for i in 1; do @; done",
    "while :; do @; break; done",
    "until @; do :; done",
    "case x in x) @;; esac",
    "case x in (x) @\n;; esac",
    "f() { @; }; f",
    "f() ( @ ); f",
    "function f { @; }; f",
    "echo $(@)",
    "echo \"$(@)\"",
    "x=$(@)",
    ": ${x:-$(@)}",
    ": $(( $(@ >/dev/null; echo 1) ))",
    "cat <(@)",
    "cat <<A\n$(@)\nA",
    "cat <<'A'\nit's\nA\n@",
    "cat <<A; @\n\"\nA",
    "cat <<-A\n\t'\n\tA\n@",
    "# it's\n@",
    "true # \"\n@",
    "2>/dev/null @",
    "@ >/dev/null 2>&1",
    "A=1 @",
    "A='x y' @",
    "A=$(date) @",
    "[[ a == a ]] && @",
    "(( 1 < 2 )) && @",
    "echo $'\\'' ; @",
    "echo \"a 'b\"; @",
    "echo a\\'b; @",
    "echo ${x#\\'}; @",
    "echo $# ${#x}; @",
    "arr=(a 'b' $(@))",
    "set -- a; @",
    "local_x=1; @",
    "env @",
    "nice @",
    "timeout 9 @",
    "command @",
    "nohup @",
    "env A=1 @",
    "exec @",
    "stdbuf -oL @",
    "xargs @ </dev/null",
    "sh -c '@'",
    "bash -c \"@\"",
    "eval '@'",
    "eval \"@\"",
    "trap '@' EXIT",
    "env -S '@'",
    "echo '@' | sh",
    "bash <<< '@'",
    "bash <<'B'\n@\nB",
    "find /dev/null -exec @ \\;",
    "find /dev/null -exec sh -c '@' \\;",
    "true &&\n@",
    "true | # it's\n@",
    "{ # it's\n@; }",
    "x=# ; @",
    "echo ''# ; @",
    "echo \\ # ; @",
    "true && ! @",
    "cat <<A'B'\nAB\n@\nA",
    "cat <<\\A\nA\n@",
    "read -r x <<< 'a[$(@)]'; ((x))",
    "set -- 'a[$(@)]'; (($1))",
    "wrapper @",
    "echo x | xargs -I% @",
    "{fd}>/dev/null @",
    "f() if true; then @; fi; f",
    "[[ a =~ [#] ]]; @",
];

/// Parts of lines, in any order.
const PARTS: &[&str] = &[
    "git push",
    "git push",
    "git push",
    "git push",
    "git",
    "push",
    "\n",
    "\n",
    ";",
    ";",
    "&&",
    "|",
    "&",
    "'",
    "\"",
    "`",
    "\\",
    "$",
    "$(",
    ")",
    "(",
    "{",
    "}",
    "#",
    "# ",
    "<<A",
    "\nA\n",
    "<<'A'",
    "<<<",
    "${x#",
    "${x:-",
    "[[",
    "]]",
    "((",
    "))",
    "case x in",
    "x)",
    ";;",
    "esac",
    "if",
    "then",
    "fi",
    "for i in 1; do",
    "do",
    "done",
    "!",
    "x=",
    "echo",
    "true",
    "env",
    "eval",
    ">x",
    "2>&1",
    "$'",
    "\\\n",
    "$((",
    "f()",
    "in",
];

/// Small pseudorandom numbers with a fixed seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// `HOOKS_RULES_SHELL_LINES=20000 cargo test -p hooks-rules --test it shell_lines -- --nocapture` is the long run.
#[test]
fn a_composed_line_selects_the_guards_of_the_programs_that_it_runs() {
    let count = std::env::var("HOOKS_RULES_SHELL_LINES").map_or(150, |count| count.parse::<u32>().expect("a number"));
    let folder = tempfile::tempdir().unwrap();
    let stubs = Stubs::new(folder.path().to_path_buf());
    let mut numbers = Numbers(u64::from(count));
    let (mut missed, mut ran) = (Vec::new(), 0);
    for _ in 0..count {
        let mut line = [
            "git push origin",
            "\"git\" push",
            "git  push",
            "\\git push",
            "git pu'sh' x",
            "git >/dev/null push",
            "git <<<x push",
        ][numbers.below(7)]
        .to_owned();
        if numbers.below(3) == 0 {
            line = (0..3 + numbers.below(10))
                .fold(String::new(), |line, _| line + PARTS[numbers.below(PARTS.len())] + ["", " "][numbers.below(2)]);
        } else {
            for _ in 0..=numbers.below(3) {
                line = AROUND[numbers.below(AROUND.len())].replace('@', &line);
            }
        }
        if !stubs.calls(&line).iter().any(|call| pushes(call)) {
            continue;
        }
        ran += 1;
        if !selects("Bash(git push *)", &line) || !selects("Bash(git *)", &line) {
            missed.push(format!("{line:?}"));
        }
    }
    println!("{count} lines, {ran} ran `git push`");
    assert!(missed.is_empty(), "missed {}:\n{}", missed.len(), missed.join("\n"));
    assert!(ran > count / 4, "only {ran} of {count} ran it");
}

#[test]
fn a_line_that_runs_the_program_selects_its_guard() {
    let lines: Vec<&str> =
        [LINES, ATTACKS].iter().flat_map(|lines| lines.split("%%\n")).map(|line| line.trim_end_matches('\n')).collect();
    let folder = tempfile::tempdir().unwrap();
    let next = AtomicUsize::new(0);
    let look = |worker: usize| {
        let stubs = Stubs::new(folder.path().join(worker.to_string()));
        let mut found = Found::default();
        while let Some(line) = lines.get(next.fetch_add(1, Ordering::Relaxed)) {
            let line = stubs.line(line);
            let calls = stubs.calls(&line);
            let pushed = calls.iter().any(|call| pushes(call));
            found.ran += usize::from(pushed);
            for (rule, ran) in [("Bash(git push *)", pushed), ("Bash(git *)", !calls.is_empty())] {
                match (ran, selects(rule, &line)) {
                    (true, false) => found.missed.push(format!("{rule}: {line:?}")),
                    (false, true) => found.needless.push(format!("{rule}: {line:?}")),
                    _ => {}
                }
            }
        }
        found
    };
    let found = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|worker| scope.spawn(move || look(worker))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).fold(Found::default(), |mut all, found| {
            all.missed.extend(found.missed);
            all.needless.extend(found.needless);
            all.ran += found.ran;
            all
        })
    });
    println!("{} lines, {} ran `git push`; selected needlessly: {}", lines.len(), found.ran, found.needless.len());
    found.needless.iter().for_each(|line| println!("  needless {line}"));
    assert!(found.missed.is_empty(), "missed {}:\n{}", found.missed.len(), found.missed.join("\n"));
    assert!(found.ran > 300, "only {} lines ran it", found.ran);
}
