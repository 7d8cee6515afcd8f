//! Where the system would find a file.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// The most links on the way to a file.
const LINKS: usize = 40;

/// The absolute path with every link resolved, also one that leads to nothing yet: a tool that writes there creates its
/// target. What does not exist stays as it is written.
///
/// # Errors
/// A part that cannot be read, a link of `/proc`, such as `/proc/self`, or `..` behind a part that does not exist.
pub(super) fn real(path: &Path) -> Result<PathBuf, String> {
    let mut real = PathBuf::new();
    let mut rest: VecDeque<OsString> = path.components().map(|part| part.as_os_str().to_owned()).collect();
    let (mut links, mut exists) = (0, true);
    while let Some(part) = rest.pop_front() {
        match Path::new(&part).components().next() {
            Some(Component::ParentDir) if !exists => {
                return Err("it leaves a folder that does not exist with `..`".to_owned());
            }
            Some(Component::ParentDir) => {
                real.pop();
            }
            Some(Component::Normal(_)) => {
                let next = real.join(&part);
                match next.symlink_metadata() {
                    Ok(metadata) if metadata.file_type().is_symlink() => {
                        links += 1;
                        if links > LINKS {
                            return Err("it leads through too many links".to_owned());
                        }
                        if next.starts_with("/proc") {
                            return Err(
                                "it leads through a link of `/proc`, which is another one in each process".to_owned()
                            );
                        }
                        let target =
                            next.read_link().map_err(|error| format!("a link on its way cannot be read: {error}"))?;
                        for part in target.components().rev() {
                            rest.push_front(part.as_os_str().to_owned());
                        }
                    }
                    Ok(_) => real = next,
                    Err(error) if error.kind() == ErrorKind::NotFound => {
                        exists = false;
                        real = next;
                    }
                    Err(error) => return Err(format!("a folder on its way cannot be read: {error}")),
                }
            }
            // The root of a path or of a link's target.
            Some(Component::RootDir | Component::Prefix(_)) => {
                real.push(&part);
                exists = true;
            }
            Some(Component::CurDir) | None => {}
        }
    }
    Ok(real)
}
