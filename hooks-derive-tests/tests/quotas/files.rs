//! The misuses of `ui/fail`: the topic, the tokens and the messages of each.

use std::fs;
use std::path::Path;

use crate::messages::expected;

/// Each category, its minimum number of files, and the prefixes of their names. The first category that matches applies.
pub(crate) const CATEGORIES: &[(&str, usize, &[&str])] = &[
    ("Ids", 4, &["id_", "duplicate_ids", "missing"]),
    ("Kinds", 8, &["kind"]),
    ("Parameters", 12, &["parameter_", "with"]),
    ("Returns", 10, &["return_", "not_send"]),
    ("Combinations of options", 10, &["together_", "many_"]),
    ("Functions that cannot be hooks", 10, &["item_", "by_macro", "still_there"]),
    ("`hooks!`, `fires!`, `setup!` and the derives", 12, &["derive_", "hooks_", "fires_", "setup_", "verdict_"]),
    // These files are named after the option, so any other name matches.
    ("Options", 12, &[""]),
];

/// One file.
pub(crate) struct Misuse {
    pub(crate) name: String,
    /// The first line of its documentation.
    pub(crate) about: Option<String>,
    /// In the order of their places.
    pub(crate) errors: Vec<Reported>,
}

/// One error.
pub(crate) struct Reported {
    place: (usize, usize),
    /// The underlined text.
    pub(crate) token: String,
    /// The first line, without the prefix of the compiler.
    pub(crate) message: String,
}

/// The category of a file by its name.
pub(crate) fn category(name: &str) -> &'static str {
    let fits = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    CATEGORIES.iter().find(|(_, _, prefixes)| fits(prefixes)).map_or("", |(title, _, _)| title)
}

/// All files by name.
pub(crate) fn all() -> Vec<Misuse> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/fail");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<Misuse> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| read(&path))
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

fn read(path: &Path) -> Misuse {
    let source = fs::read_to_string(path).unwrap();
    let mut errors = reported(&expected(path));
    errors.sort_by_key(|error| error.place);
    let about = source.strip_prefix("//! ").and_then(|rest| rest.lines().next()).map(str::to_owned);
    Misuse { name: path.file_stem().unwrap().to_string_lossy().into_owned(), about, errors }
}

fn reported(stderr: &str) -> Vec<Reported> {
    let lines: Vec<&str> = stderr.lines().collect();
    let heads = (0..lines.len()).filter(|i| lines[*i].starts_with("error"));
    let reported = heads.map(|head| {
        let (_, message) = lines[head].split_once(": ").unwrap();
        let mut place = lines[head + 1].rsplit(':').map(|number| number.parse::<usize>().unwrap());
        let (column, line) = (place.next().unwrap(), place.next().unwrap());
        let at = (head..lines.len()).find(|i| lines[*i].trim_start().starts_with(&format!("{line} |"))).unwrap();
        let gutter = lines[at].find('|').unwrap() + 2;
        let under = lines[at + 1].chars().skip(gutter + column - 1).take_while(|c| *c == '^').count();
        let token = lines[at].chars().skip(gutter + column - 1).take(under).collect();
        Reported {
            place: (line, column),
            token,
            message: message.trim_start_matches("evaluation panicked: ").to_owned(),
        }
    });
    reported.collect()
}
