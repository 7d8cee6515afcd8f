//! The input creates a line that runs `git push` with arbitrary text around it: each byte selects a part of the line,
//! or is noise in quotes, comments and here-documents. A line that runs the program must select its guard. The raw
//! input is also tested as a line, which only has to be parsed without a panic.

use hooks_rules::{Aliases, Filter};
use serde_json::json;

pub(crate) fn check(input: &[u8]) {
    let mut bytes = Bytes(input);
    let line = made(&mut bytes, 5);
    for rule in ["Bash(git push *)", "Bash(git *)"] {
        assert!(selects(rule, &line), "{rule} misses {line:?}");
    }
    let any = String::from_utf8_lossy(input);
    assert_eq!(selects("Bash(git push *)", &any), selects("Bash(git push *)", &any));
}

fn selects(rule: &str, line: &str) -> bool {
    let filter = Filter::read(rule).expect("a rule");
    filter.selects(&Aliases::default(), "Bash", &json!({ "command": line }), None)
}

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first)
    }

    fn one_of<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.next() % of.len()]
    }

    /// Some arbitrary characters.
    fn noise(&mut self) -> String {
        let count = (self.next() % 12).min(self.0.len());
        let (noise, rest) = self.0.split_at(count);
        self.0 = rest;
        String::from_utf8_lossy(noise).replace('\0', "")
    }
}

/// The program and its subcommand in one of its spellings.
const CALLS: &[&str] = &[
    "git push",
    "git push origin",
    "git  push",
    "git\tpush",
    "\\git push",
    "'git' push",
    "\"git\" \"push\"",
    "g'i't pu\"sh\"",
    "git \\\npush",
    "gi\\\nt push",
    "/usr/bin/git push",
    "$'git' push",
    "$'g\\x69t' push",
    "git -C . push",
    "git --no-pager push",
    "A=1 git push",
    "2>/dev/null git push",
    "git >/dev/null push",
    "command git push",
    "env -- git push",
];

/// Lines with a placeholder `@`, which they execute.
const AROUND: &[&str] = &[
    "@",
    "{ @; }",
    "(@)",
    "! @",
    "time @",
    "true && @",
    "false || @",
    "true; @",
    "true | @",
    "@ | cat",
    "@ & wait",
    "true\n@",
    "if true; then @; fi",
    "if @; then :; fi",
    "for i in 1; do @; done",
    "while :; do @; break; done",
    "case x in x) @;; esac",
    "f() { @; }; f",
    "f() ( @ ); f",
    "function f { @; }; f",
    "echo $(@)",
    "echo \"$(@)\"",
    "x=$(@)",
    "echo ${x:-$(@)}",
    "cat <(@)",
    "cat <<A\n$(@)\nA\n",
    "[[ -n $(@) ]]",
    "(( $(@) ))",
    "{ # it's\n@; }",
];

fn made(bytes: &mut Bytes<'_>, depth: usize) -> String {
    let inner = if depth == 0 { bytes.one_of(CALLS).to_owned() } else { made(bytes, depth - 1) };
    match bytes.next() % 9 {
        // Noise that is not executed, before and after.
        0 => format!("echo '{}'; {inner}", bytes.noise().replace('\'', r"'\''")),
        1 => format!("# {}\n{inner}", bytes.noise().replace('\n', " ")),
        2 => format!("{inner} # {}", bytes.noise().replace('\n', " ")),
        3 => {
            let body: Vec<String> = bytes.noise().lines().map(|line| format!("_{line}")).collect();
            format!("cat <<'A'\n{}\nA\n{inner}", body.join("\n"))
        }
        4 => {
            let noise: String = bytes.noise().chars().filter(|c| !matches!(c, '"' | '\\' | '$' | '`' | '!')).collect();
            format!("echo \"{noise}\"; {inner}")
        }
        5 => format!("case '{}' in *) {inner};; esac", bytes.noise().replace('\'', r"'\''")),
        _ => {
            let around = bytes.one_of(AROUND);
            // A comment or a here-document ends with its line.
            let inner = if inner.contains(['#', '<', '&']) { format!("{inner}\n") } else { inner };
            around.replace('@', &inner)
        }
    }
}
