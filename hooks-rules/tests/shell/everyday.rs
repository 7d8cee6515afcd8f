//! How many ordinary lines select a guard needlessly.

use super::selects;

/// Lines that agents write on ordinary days. None of them runs a program that a guard below is for.
const LINES: &str = include_str!("../data/everyday_lines.txt");

const GUARDS: [&str; 4] = ["Bash(shred *)", "Bash(shutdown *)", "Bash(terraform destroy *)", "Bash(git push *)"];

/// How many lines select each. The two patterns of several words select every line with a `$`, as documented.
const SELECT: [usize; 4] = [16, 16, 39, 39];

#[test]
fn ordinary_lines_select_few_guards() {
    let lines: Vec<&str> = LINES.split("%%\n").map(str::trim_end).filter(|line| !line.is_empty()).collect();
    for (guard, select) in GUARDS.iter().zip(SELECT) {
        let found: Vec<_> = lines.iter().filter(|line| selects(guard, line)).collect();
        assert_eq!(found.len(), select, "{guard}: of {}: {found:#?}", lines.len());
    }
    let page = include_str!("../../../docs/rule-handlers.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let says = format!(
        "Of the {} ordinary lines in `hooks-rules/tests/data/everyday_lines.txt`, {} run a guard",
        lines.len(),
        SELECT[0]
    );
    assert!(page.contains(&says), "docs/rule-handlers.md: {says}");
}

/// Programs that take what they start from their input, a glob, or a setting.
#[test]
fn programs_that_are_told_what_to_start_select_the_guard() {
    for line in [
        "base64 -d <<< YToKCXJtIHgK | make -f-",
        "cat m | make -sf-",
        "make --file=- < m",
        "make CC='bin/r?' foo",
        "run-parts --regex '^r.$' bin",
        "gcc -wrapper rm,x foo.c",
        "APT_CONFIG=<(echo x) apt-get update",
    ] {
        assert!(selects("Bash(rm *)", line), "{line}");
    }
    for line in ["make -f other.mk test", "make CFLAGS=-O2", "tar --exclude='*.log' -cf a.tar src", "gcc -o a a.c"] {
        assert!(!selects("Bash(rm *)", line), "{line}");
    }
}
