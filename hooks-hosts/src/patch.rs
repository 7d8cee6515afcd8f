//! The text of `apply_patch`: which files it touches, and how.

use crate::event::PatchedFile;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

/// The files of a patch, or what is wrong with it.
pub(crate) fn files(patch: &str) -> Result<Vec<PatchedFile>, String> {
    let mut lines = patch.lines().map(|line| line.trim_end_matches('\r'));
    if !lines.by_ref().any(|line| line.trim() == BEGIN) {
        return Err(format!("the patch has no line `{BEGIN}`"));
    }
    let mut files: Vec<PatchedFile> = Vec::new();
    let mut ended = false;
    for line in lines {
        let trimmed = line.trim();
        if ended {
            if trimmed.starts_with("***") {
                return Err(format!("the patch goes on after `{END}`"));
            }
        } else if trimmed == END {
            ended = true;
        } else if let Some((op, path)) = header(trimmed) {
            let hunks = if op == "update" { Vec::new() } else { vec![(String::new(), String::new())] };
            files.push(PatchedFile { op, path: plain(path), to: None, hunks });
        } else if line.starts_with("***") && !is_mark(trimmed) {
            return Err(format!("the patch has a line that nobody knows: `{trimmed}`"));
        } else if let Some(file) = files.last_mut() {
            body(file, line, trimmed);
        } else if !trimmed.is_empty() {
            return Err(format!("the patch has a line before its first file: `{trimmed}`"));
        }
    }
    match (ended, files.is_empty()) {
        (false, _) => Err(format!("the patch has no line `{END}`")),
        (_, true) => Err("the patch names no file".to_owned()),
        _ => Ok(files),
    }
}

/// The path of a file, which a host may take by its address too: `file:///etc/%70asswd`.
pub(crate) fn plain(file: &str) -> String {
    let Some((_, address)) = file.split_once(':').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("file")) else {
        return file.to_owned();
    };
    let path = address.strip_prefix("//").map_or(address, |rest| &rest[rest.find('/').unwrap_or(rest.len())..]);
    let mut parts = path.split(['?', '#']).next().unwrap_or_default().split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => bytes.extend(std::iter::once(byte).chain(part.bytes().skip(2))),
            None => bytes.extend(std::iter::once(b'%').chain(part.bytes())),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn is_mark(line: &str) -> bool {
    line.starts_with("*** Move to:") || line == "*** End of File"
}

fn header(line: &str) -> Option<(&'static str, &str)> {
    let of = |prefix: &str, op| line.strip_prefix(prefix).map(|path| (op, path.trim()));
    of("*** Add File:", "add").or_else(|| of("*** Update File:", "update")).or_else(|| of("*** Delete File:", "delete"))
}

fn body(file: &mut PatchedFile, line: &str, trimmed: &str) {
    if let Some(to) = trimmed.strip_prefix("*** Move to:") {
        file.op = "move";
        file.to = Some(plain(to.trim()));
        return;
    }
    if line.starts_with("@@") || file.hunks.is_empty() {
        file.hunks.push((String::new(), String::new()));
    }
    if line.starts_with("@@") || trimmed == "*** End of File" {
        return;
    }
    let Some((old, new)) = file.hunks.last_mut() else { return };
    let add = |text: &mut String, line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    match line.split_at_checked(1) {
        Some(("+", rest)) => add(new, rest),
        Some(("-", rest)) => add(old, rest),
        // A line of context, with or without the space before it.
        _ => {
            let rest = line.strip_prefix(' ').unwrap_or(line);
            add(old, rest);
            add(new, rest);
        }
    }
}
