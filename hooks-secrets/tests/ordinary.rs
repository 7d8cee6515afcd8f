//! False alarms on ordinary text: the sources, the pages and the lock file of this repository.

use std::path::{Path, PathBuf};

use hooks_secrets::find;

fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // Planted secrets, generated pages of them, and build output.
        let is_left_out = ["target", "hooks-secrets", "fuzz", "secrets.rs", "redact.rs", "bundled.rs", "mask_secrets"]
            .contains(&&*name)
            // Addresses with passwords that nobody has.
            || ["attacks.rs", "confine_urls.rs"].iter().any(|file| path.ends_with(format!("hooks-prebuilt/tests/{file}")));
        if is_left_out || name.starts_with('.') || path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            files(&path, endings, found);
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
}

#[test]
fn ordinary_text_has_few_false_alarms() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (endings, most_per_megabyte) in [(&[".md"][..], 1), (&[".lock"][..], 0), (&[".rs"][..], 4)] {
        let mut paths = Vec::new();
        files(&root, endings, &mut paths);
        let (mut bytes, mut alarms) = (0, Vec::new());
        for path in paths {
            let text = std::fs::read_to_string(&path).unwrap();
            bytes += text.len();
            let shown = |found: std::ops::Range<usize>| {
                let before = text[..found.start].rfind('\n').map_or(0, |at| at + 1);
                let end = text[found.end..].find('\n').map_or(text.len(), |at| found.end + at);
                let line: String = text[before..end].chars().take(160).collect();
                let what: String = text[found].chars().take(40).collect();
                format!("{}: {what} in {line}", path.display())
            };
            alarms.extend(find(&text).into_iter().map(shown));
        }
        println!("{endings:?}: {} alarms in {} kB", alarms.len(), bytes / 1_000);
        for alarm in &alarms {
            println!("  {alarm}");
        }
        let most = bytes * most_per_megabyte / 1_000_000;
        assert!(alarms.len() <= most, "{} alarms, at most {most}: {alarms:#?}", alarms.len());
    }
}
