//! Lines that people wrote, and lines composed of them: each that bash takes for a call of the program selects its guard.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::stubs::Stubs;
use super::{Numbers, selects};

const LINES: &str = include_str!("../data/shell_lines.txt");

/// Lines that try to bypass a guard.
const ATTACKS: &str = include_str!("../data/shell_attacks.txt");

/// All stored lines.
pub(super) fn stored() -> impl Iterator<Item = &'static str> {
    [LINES, ATTACKS].into_iter().flat_map(|lines| lines.split("%%\n")).map(|line| line.trim_end_matches('\n'))
}

/// Whether git would push if called like this. Options can precede its subcommand, and some subcommands start others.
fn pushes(call: &str) -> bool {
    let Some(call) = call.strip_prefix("git ") else { return false };
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

/// `HOOKS_RULES_SHELL_LINES=20000 cargo test -p hooks-rules --test it shell::lines -- --nocapture` is the long run.
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
    let lines: Vec<&str> = stored().collect();
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
            for (rule, ran) in
                [("Bash(git push *)", pushed), ("Bash(git *)", calls.iter().any(|call| call.starts_with("git")))]
            {
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
