//! Versions, from the lock file that the program was built with.

/// The version of `package` in the text of a `Cargo.lock`.
///
/// # Panics
/// If the lock file does not hold it: the figure would be one of nobody knows what.
#[must_use]
pub fn locked(lock: &str, package: &str) -> String {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    let version = lines.nth(1).and_then(|line| line.strip_prefix("version = \""));
    version
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or_else(|| panic!("no {package} in the lock file"))
        .to_owned()
}
