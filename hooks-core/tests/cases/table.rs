//! Checks `hooks-core/testdata/cases.md`: it has a row for every number, its tests exist, and its counts are right.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::case::{File, files, testdata};

/// Reports what a row lacks next to its answer.
type Holds = fn(&Row) -> Result<(), &'static str>;

/// The possible answers of a row, and what each needs next to it.
const ANSWERS: &[(&str, Holds)] = &[
    ("tested", |row| row.has_test().then_some(()).ok_or("it names no test")),
    ("different", |row| {
        (row.has_reason() && row.has_test()).then_some(()).ok_or("it has no reason, or no test of the difference")
    }),
    ("not planned", |row| row.has_reason().then_some(()).ok_or("it has no reason")),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct System {
    name: String,
    letter: String,
    numbers: Vec<u32>,
}

fn systems() -> Vec<System> {
    let text = std::fs::read_to_string(testdata().join("case_numbers.toml")).unwrap();
    let mut file: BTreeMap<String, Vec<System>> = toml::from_str(&text).unwrap();
    file.remove("system").unwrap()
}

/// `| V1 | The case in a sentence. | tested | tests, or why |`
#[derive(Debug)]
struct Row {
    number: String,
    case: String,
    answer: String,
    note: String,
}

impl Row {
    fn parse(line: &str) -> Option<Self> {
        let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").map(str::trim).collect();
        let [number, case, answer, note] = cells.as_slice() else { return None };
        let (letter, digits) = number.split_at_checked(1)?;
        let is_number = letter.chars().all(|c| c.is_ascii_uppercase()) && !digits.is_empty();
        (is_number && digits.chars().all(|c| c.is_ascii_digit())).then(|| Self {
            number: (*number).to_owned(),
            case: (*case).to_owned(),
            answer: (*answer).to_owned(),
            note: (*note).to_owned(),
        })
    }

    /// The quoted names of tests: a file of cases, a file of lines that a test reads, a file that must not compile, or
    /// `file::function`.
    fn tests(&self) -> impl Iterator<Item = &str> {
        let quoted = self.note.split('`').skip(1).step_by(2);
        let folders = ["cases/", "data/", "ui/fail/"];
        quoted.filter(move |text| folders.iter().any(|folder| text.starts_with(folder)) || text.contains("::"))
    }

    fn has_test(&self) -> bool {
        self.tests().next().is_some()
    }

    /// Whether there is a sentence in addition to the names of tests.
    fn has_reason(&self) -> bool {
        let words = self.note.split('`').step_by(2).flat_map(str::split_whitespace);
        words.filter(|word| word.chars().any(char::is_alphabetic)).count() >= 4
    }
}

/// All test code of the workspace, by file name.
struct Code(Vec<(PathBuf, String)>);

impl Code {
    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut found = Vec::new();
        let crates = root.read_dir().unwrap().map(|entry| entry.unwrap().path());
        let crates: Vec<PathBuf> = crates.filter(|folder| folder.join("Cargo.toml").is_file()).collect();
        let folders = crates.iter().flat_map(|folder| ["src", "tests"].map(|name| folder.join(name)));
        let mut folders: Vec<PathBuf> = folders.filter(|folder| folder.is_dir()).collect();
        while let Some(folder) = folders.pop() {
            for entry in folder.read_dir().unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    found.push((path.clone(), std::fs::read_to_string(path).unwrap()));
                }
            }
        }
        Self(found)
    }

    /// Whether there is a test with this name: a function directly below `#[test]` or `#[tokio::test]`.
    fn has(&self, test: &str) -> bool {
        if let Some(file) = test.strip_prefix("ui/fail/") {
            return self.0.iter().any(|(path, _)| path.ends_with(Path::new("tests/ui/fail").join(file)));
        }
        let Some((stem, function)) = test.rsplit_once("::") else { return false };
        let files = self.0.iter().filter(|(path, _)| path.file_stem().is_some_and(|name| name == stem));
        files.into_iter().any(|(_, text)| {
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            let name = format!("fn {function}(");
            let is_test = |line: &str| line == "#[test]" || line.starts_with("#[tokio::test");
            lines.windows(2).any(|pair| is_test(pair[0]) && pair[1].contains(&name))
        })
    }
}

/// The table of counts, as the page must show it.
fn counts(systems: &[System], rows: &[Row]) -> String {
    let letters: Vec<&str> = systems.iter().map(|system| system.letter.as_str()).collect();
    let head = format!("| Answer | {} | all |\n|{}\n", letters.join(" | "), "---|".repeat(letters.len() + 2));
    let line = |answer: &str, of: &dyn Fn(&Row) -> bool| {
        let count = |letter: &str| rows.iter().filter(|row| of(row) && row.number.starts_with(letter)).count();
        let cells: Vec<String> = letters.iter().map(|letter| count(letter).to_string()).collect();
        format!("| {answer} | {} | {} |\n", cells.join(" | "), rows.iter().filter(|row| of(row)).count())
    };
    let answers = ANSWERS.iter().map(|(answer, _)| line(answer, &|row| row.answer == *answer));
    head + &answers.collect::<String>() + &line("all", &|_| true)
}

/// Everything on the page that is wrong.
fn complaints(page: &str, systems: &[System], files: &[File], code: &Code) -> Vec<String> {
    let rows: Vec<Row> = page.lines().filter_map(Row::parse).collect();
    let mut wrong = Vec::new();
    let wanted: Vec<String> = systems
        .iter()
        .flat_map(|system| system.numbers.iter().map(|number| format!("{}{number}", system.letter)))
        .collect();
    let found: Vec<&str> = rows.iter().map(|row| row.number.as_str()).collect();
    if wanted != found {
        let missing: Vec<_> = wanted.iter().filter(|number| !found.contains(&number.as_str())).collect();
        wrong.push(format!("one row per number, in their order: missing {missing:?}, found {found:?}"));
    }
    for system in systems {
        let heading = format!("## {} ({})", system.name, system.letter);
        if !page.lines().any(|line| line == heading) {
            wrong.push(format!("there is no `{heading}`"));
        }
    }
    for row in &rows {
        let number = &row.number;
        if !row.case.ends_with('.') {
            wrong.push(format!("{number}: the case is a sentence"));
        }
        match ANSWERS.iter().find(|(answer, _)| *answer == row.answer) {
            None => wrong.push(format!("{number}: there is no answer `{}`", row.answer)),
            Some((_, holds)) => wrong.extend(holds(row).err().map(|why| format!("{number} is {}: {why}", row.answer))),
        }
        for test in row.tests() {
            let there = match test.split_once('/') {
                Some(("cases", name)) => files.iter().any(|file| file.name == name && has_case(file, number)),
                Some(("data", name)) => has_line(name, number),
                _ => code.has(test),
            };
            if !there {
                wrong.push(format!("{number}: there is no `{test}` for it"));
            }
        }
    }
    for file in files {
        for case in &file.cases {
            let row = rows.iter().find(|row| row.number == case.number);
            if !row.is_some_and(|row| row.tests().any(|test| test.strip_prefix("cases/") == Some(&file.name))) {
                wrong.push(format!("the row of {} does not name `cases/{}`, which has it", case.number, file.name));
            }
        }
    }
    let counts = counts(systems, &rows);
    if !page.contains(&counts) {
        wrong.push(format!("the counts are:\n{counts}"));
    }
    wrong
}

/// Whether a file of lines of `hooks-rules` has a line with this number.
fn has_line(name: &str, number: &str) -> bool {
    let file = testdata().join("../../hooks-rules/tests/data").join(name);
    std::fs::read_to_string(file).is_ok_and(|text| text.contains(&format!(" {number}\"")))
}

fn has_case(file: &File, number: &str) -> bool {
    file.cases.iter().any(|case| case.number == number)
}

fn page() -> String {
    std::fs::read_to_string(testdata().join("cases.md")).unwrap()
}

#[test]
fn the_page_of_cases_is_correct() {
    let wrong = complaints(&page(), &systems(), &files(), &Code::read());
    assert!(wrong.is_empty(), "hooks-core/testdata/cases.md:\n{}\n", wrong.join("\n"));
}

#[test]
fn mistakes_on_the_page_are_reported() {
    let (page, systems, mut files, code) = (page(), systems(), files(), Code::read());
    let reported = |page: &str, files: &[File]| complaints(page, &systems, files, &code).join("\n");
    let row = |number: &str| page.lines().find(|line| line.starts_with(&format!("| {number} |"))).unwrap().to_owned();
    let table = [
        (page.replace(&row("V1"), ""), "missing [\"V1\"]"),
        (page.replace(&row("V1"), &format!("{}\n{}", row("V1"), row("V1"))), "one row per number"),
        (page.replace("| V1 |", "| V99 |"), "missing [\"V1\"]"),
        (page.replace(&row("V1"), &row("V1").replace("| tested |", "| certain |")), "V1: there is no answer `certain`"),
        (page.replace(&row("V1"), &row("V1").replace("chains", "gates")), "V1: there is no `cases/gates.toml` for it"),
        (page.replace(&row("V1"), "| V1 | It is so. | tested | surely |"), "V1 is tested: it names no test"),
        (
            page.replace(&row("V1"), "| V1 | It is so. | different | `cases/chains.toml` |"),
            "V1 is different: it has no reason",
        ),
        (page.replace(&row("V1"), "| V1 | It is so. | not planned |  |"), "V1 is not planned: it has no reason"),
        (page.replace(&row("V1"), &row("V1").replace("cases/chains", "data/answers")), "no `data/answers.toml` for it"),
        (
            page.replace(&row("V1"), "| V1 | It is so. | tested | `table::files` |"),
            "V1: there is no `table::files` for it",
        ),
        (page.replace(&row("V1"), "| V1 | It is so. | tested | `ui/fail/it.rs` |"), "V1: there is no `ui/fail/it.rs`"),
        (page.replace(&row("V1"), "| V1 | It is so. | not planned | |"), "one row per number"),
        (
            page.replace(&row("V1"), &row("V1").replace("| tested |", "| not planned |")),
            "the counts are:\n| Answer | V |",
        ),
        (page.replace("## OpenClaw (O)", "## O"), "there is no `## OpenClaw (O)`"),
    ];
    for (page, expected) in table {
        let reported = reported(&page, &files);
        assert!(reported.contains(expected), "{expected}\n{reported}");
    }
    files[0].cases[0].number = "V50".to_owned();
    assert!(reported(&page, &files).contains(&format!("the row of V50 does not name `cases/{}`", files[0].name)));
}
