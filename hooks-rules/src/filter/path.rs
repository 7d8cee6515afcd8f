//! Matches a file against a pattern relative to the working directory: `*` within a name, `**` across folders.

use std::path::{Component, Path, PathBuf};

use regex::RegexBuilder;

use crate::files::{full, real};

/// Whether the file system is case-insensitive.
pub(super) const IGNORES_CASE: bool = cfg!(any(windows, target_os = "macos"));

/// Whether the file fits, or a folder that it is in. A pattern without `/` is held against each name of the path, one that begins
/// with `//` against the absolute path, every other against the path from the current folder. What other programs understand
/// besides, such as `[0-9]`, fits every file.
///
/// Both the path as written and the path with all symbolic links resolved are tested.
pub(super) fn selects(pattern: &str, file: &str, cwd: Option<&Path>) -> bool {
    let pattern = pattern.trim_end_matches('/');
    if pattern.starts_with('!') || pattern.contains(['[', '{', '\\']) {
        return true;
    }
    let Some(cwd) = cwd else { return fits_in(pattern, file, None) };
    let written = full(cwd, file);
    let (found, folder) = (real(&written), real(cwd));
    fits_in(pattern, file, Some(cwd))
        || fits_in(pattern, &written.to_string_lossy(), Some(cwd))
        || [cwd, &folder].iter().any(|folder| fits_in(pattern, &found.to_string_lossy(), Some(folder)))
        || resolved(pattern, cwd).is_some_and(|pattern| fits_in(&pattern, &found.to_string_lossy(), None))
}

/// A pattern that names a place, with the links up to its first star resolved: the file may be named without them.
fn resolved(pattern: &str, cwd: &Path) -> Option<String> {
    let place = match (pattern.strip_prefix("//"), pattern.starts_with("~/"), pattern.contains('/')) {
        (Some(absolute), ..) => full(Path::new("/"), absolute),
        (None, true, _) => full(cwd, pattern),
        (None, false, true) => full(cwd, pattern.trim_start_matches('/')),
        (None, false, false) => return None,
    };
    let has_star = |part: &Component<'_>| part.as_os_str().to_string_lossy().contains(['*', '?']);
    let literal: PathBuf = place.components().take_while(|part| !has_star(part)).collect();
    let rest: PathBuf = place.components().skip_while(|part| !has_star(part)).collect();
    Some(format!("/{}", real(&literal).join(rest).to_string_lossy().trim_end_matches('/')))
}

fn fits_in(pattern: &str, file: &str, cwd: Option<&Path>) -> bool {
    let file = file.replace('\\', "/");
    if let Some(absolute) = pattern.strip_prefix('/').filter(|rest| rest.starts_with('/')) {
        return fits(absolute, &file);
    }
    if let Some(in_home) = pattern.strip_prefix("~/") {
        let home = std::env::var("HOME").unwrap_or_default();
        let rest = file.strip_prefix(&format!("{}/", home.trim_end_matches('/')));
        return rest.is_some_and(|rest| fits(in_home, rest));
    }
    if !pattern.contains('/') {
        return file.split('/').any(|name| fits(pattern, name));
    }
    let pattern = pattern.strip_prefix("./").or_else(|| pattern.strip_prefix('/')).unwrap_or(pattern);
    let cwd = cwd.map(|cwd| cwd.to_string_lossy().replace('\\', "/"));
    let relative = match cwd.as_deref().map(|cwd| cwd.trim_end_matches('/')) {
        Some(cwd) => file.strip_prefix(cwd).and_then(|rest| rest.strip_prefix('/')),
        None => None,
    };
    match relative {
        Some(relative) => fits(pattern, relative),
        // A file outside the working directory matches only patterns for any folder.
        None if file.starts_with('/') => pattern.starts_with("**/") && fits(pattern, file.trim_start_matches('/')),
        None => fits(pattern, file.trim_start_matches("./")),
    }
}

fn fits(pattern: &str, path: &str) -> bool {
    let mut expression = String::from(r"(?s)\A");
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("**/") {
            expression.push_str("(?:.*/)?");
            rest = after;
        } else if let Some(after) = rest.strip_prefix("**") {
            expression.push_str(".*");
            rest = after;
        } else {
            match c {
                '*' => expression.push_str("[^/]*"),
                '?' => expression.push_str("[^/]"),
                other => expression.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
            }
            rest = &rest[c.len_utf8()..];
        }
    }
    expression.push_str(r"(?:/.*)?\z");
    // What is too large to compile is run: the filter fails open towards running.
    let expression = RegexBuilder::new(&expression).case_insensitive(IGNORES_CASE).build();
    expression.map_or(true, |expression| expression.is_match(path))
}
