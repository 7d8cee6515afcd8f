//! Matches a file against a pattern: `*` within a name, `**` across folders.

use std::path::{Component, Path, PathBuf};

use regex::RegexBuilder;

use super::Folders;
use crate::paths::{full, real};

/// Whether the file system is case-insensitive.
pub(super) const IGNORES_CASE: bool = cfg!(any(windows, target_os = "macos"));

/// Whether the file matches, or a folder that contains it. What other programs support besides, such as `[0-9]`, matches
/// every file.
///
/// Both the path as written and the path with all symbolic links resolved are tested.
pub(super) fn selects(pattern: &str, file: &str, folders: Option<Folders<'_>>) -> bool {
    let pattern = match pattern.trim_end_matches('/') {
        "~" => "~/**",
        pattern => pattern,
    };
    if pattern.starts_with('!') || pattern.contains(['[', '{', '\\']) {
        return true;
    }
    let written = folders.map(|folders| full(folders.current, file));
    let found = written.as_deref().map(real);
    let files: Vec<String> =
        [Some(Path::new(file)), written.as_deref(), found.as_deref()].into_iter().flatten().map(text).collect();
    if !pattern.contains('/') {
        return files.iter().any(|file| file.split('/').any(|name| fits(pattern, name)));
    }
    let (pattern, anchors) = anchored(pattern, folders);
    let is_for_any_folder = pattern.starts_with("**/");
    let fits_here = |file: &String| match anchors {
        Anchors::Relative if is_for_any_folder || !file.starts_with('/') => {
            fits(pattern, file.trim_start_matches("./").trim_start_matches('/'))
        }
        _ => false,
    };
    let fits_below = |folder: &PathBuf| {
        let real_folder = real(folder);
        let below = |file: &String| {
            [folder, &real_folder].iter().any(|folder| relative(file, folder).is_some_and(|file| fits(pattern, file)))
        };
        let resolved = resolved(folder, pattern);
        files.iter().any(below) || files.last().is_some_and(|file| fits(&resolved, file.trim_start_matches('/')))
    };
    files.iter().any(fits_here) || anchors.folders(folders).iter().any(fits_below)
}

/// Whether a file that the pattern selects may lie in a folder, or is the file itself.
pub(super) fn may_lie_in(pattern: &str, folder: &str, folders: Option<Folders<'_>>) -> bool {
    if selects(pattern, folder, folders) || !pattern.trim_end_matches('/').contains('/') {
        return true;
    }
    let Some(known) = folders else { return true };
    let searched = real(&full(known.current, folder));
    let (pattern, anchors) = anchored(pattern, folders);
    let mut begins = anchors.folders(folders).into_iter().map(|anchor| {
        let place = full(&anchor, pattern);
        let literal = |part: &Component<'_>| !part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']);
        real(&place.components().take_while(literal).collect::<PathBuf>())
    });
    begins.any(|begin| begin.starts_with(&searched) || searched.starts_with(&begin))
}

/// Whether a file that the pattern selects may be found by a pattern of a search, such as `src/*.rs`, in a folder.
pub(super) fn may_be_found_by(pattern: &str, folder: &str, search: &str, folders: Option<Folders<'_>>) -> bool {
    let is_from_elsewhere = search.starts_with(['/', '~']);
    if !is_from_elsewhere && !search.contains('/') {
        return false;
    }
    let is_open = |part: &&str| part.contains(['*', '?', '[', '{', '!', '\\']);
    let known = search.split('/').take_while(|part| !is_open(part)).collect::<Vec<_>>().join("/");
    // An alternative may lead anywhere.
    let is_unknown = search.contains("..") && search.split('/').any(|part| is_open(&part));
    let place = if is_from_elsewhere { format!("{known}/") } else { format!("{folder}/{known}") };
    is_unknown || may_lie_in(pattern, &place, folders)
}

/// Where a pattern begins.
#[derive(Clone, Copy)]
enum Anchors {
    /// `//etc/**`
    System,
    /// `~/notes/**`
    Home,
    /// `/src/**`
    Roots,
    /// `src/**`, `./src/**`
    Relative,
}

impl Anchors {
    /// The folders where it begins, as far as they are known.
    fn folders(self, folders: Option<Folders<'_>>) -> Vec<PathBuf> {
        match (self, folders) {
            (Self::System, _) => vec![PathBuf::from("/")],
            (Self::Home, _) => vec![full(Path::new("/"), "~")],
            (Self::Roots, Some(folders)) => folders.roots.iter().copied().map(Path::to_path_buf).collect(),
            (Self::Relative, Some(folders)) => vec![folders.current.to_path_buf()],
            (Self::Roots | Self::Relative, None) => Vec::new(),
        }
    }
}

/// The pattern behind its anchor. Without folders, a pattern for a root is relative.
fn anchored<'a>(pattern: &'a str, folders: Option<Folders<'_>>) -> (&'a str, Anchors) {
    if let Some(rest) = pattern.strip_prefix("//") {
        (rest, Anchors::System)
    } else if let Some(rest) = pattern.strip_prefix("~/") {
        (rest, Anchors::Home)
    } else if let Some(rest) = pattern.strip_prefix('/') {
        (rest, if folders.is_some() { Anchors::Roots } else { Anchors::Relative })
    } else {
        (pattern.strip_prefix("./").unwrap_or(pattern), Anchors::Relative)
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// The path of a file from a folder that contains it.
fn relative<'a>(file: &'a str, folder: &Path) -> Option<&'a str> {
    file.strip_prefix(text(folder).trim_end_matches('/'))?.strip_prefix('/')
}

/// The absolute pattern with the links up to its first star resolved: the file may be named without them.
fn resolved(folder: &Path, pattern: &str) -> String {
    let place = full(folder, pattern);
    let has_star = |part: &Component<'_>| part.as_os_str().to_string_lossy().contains(['*', '?']);
    let literal: PathBuf = place.components().take_while(|part| !has_star(part)).collect();
    let rest: PathBuf = place.components().skip_while(|part| !has_star(part)).collect();
    text(&real(&literal).join(rest)).trim_matches('/').to_owned()
}

fn fits(pattern: &str, path: &str) -> bool {
    let mut expression = String::from(r"(?s)\A");
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        // A folder is read too, or listed.
        if rest == "/**" {
            break;
        }
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
