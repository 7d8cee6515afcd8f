//! The address of a database.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use sqlx::any::AnyConnectOptions;

use crate::dialect::Dialect;
use crate::error::OpenError;
use crate::options::OpenOptions;

/// The address of a database.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    pub(crate) dialect: Dialect,
    pub(crate) options: AnyConnectOptions,
    /// The SQLite file.
    pub(crate) file: Option<PathBuf>,
    /// The address for messages, without the password.
    pub(crate) shown: String,
}

impl Address {
    /// Parses a URL of Postgres or SQLite, or the path of a file. A file that does not exist is created, unless the store
    /// must be an existing one.
    pub(crate) fn parse(given: &str, opening: &OpenOptions) -> Result<Self, OpenError> {
        let address = |reason: String| OpenError::Address { url: shown(given), reason };
        let dialect = match given.split_once(':').map(|(scheme, _)| scheme) {
            Some("postgres" | "postgresql") => Dialect::Postgres,
            Some(scheme) if scheme != "sqlite" && given.contains("://") => {
                return Err(address(format!(
                    "a store is not in a `{scheme}:` database; give the path of an SQLite file, or `postgres://…`"
                )));
            }
            _ => Dialect::Sqlite,
        };
        let available = match dialect {
            Dialect::Sqlite => cfg!(feature = "sqlite"),
            Dialect::Postgres => cfg!(feature = "postgres"),
        };
        if !available {
            let feature = if dialect == Dialect::Sqlite { "sqlite" } else { "postgres" };
            return Err(address(format!("hooks-store was built without its feature `{feature}`")));
        }
        let mut file = None;
        let url = match dialect {
            Dialect::Postgres => given.to_owned(),
            Dialect::Sqlite => {
                let path = match given.strip_prefix("sqlite:") {
                    Some(url) => url.strip_prefix("//").unwrap_or(url),
                    None => given,
                };
                file = Some(PathBuf::from(path));
                sqlite_url(path, opening).map_err(address)?
            }
        };
        let options = AnyConnectOptions::from_str(&url).map_err(|error| address(error.to_string()))?;
        Ok(Self { dialect, options, file, shown: shown(given) })
    }
}

/// The URL of a file.
fn sqlite_url(path: &str, opening: &OpenOptions) -> Result<String, String> {
    if path.is_empty() || path == ":memory:" {
        return Err("give the path of a file; for a store in memory there is `MemoryStore`".to_owned());
    }
    if path.contains('?') {
        let how = "use `OpenOptions` instead of parameters, such as `OpenOptions::read_only` for `mode=ro`";
        return Err(format!("the path of a store cannot have a `?`; {how}"));
    }
    if Path::new(path).is_dir() {
        return Err("it is a folder; give the path of a file".to_owned());
    }
    let mode = match opening {
        OpenOptions { read_only: true, .. } => "ro",
        OpenOptions { existing: true, .. } => "rw",
        _ => "rwc",
    };
    // `sqlite:` URLs are percent-decoded.
    Ok(format!("sqlite:{}?mode={mode}", path.replace('%', "%25").replace('#', "%23")))
}

/// The address without its password, which can contain everything that has a meaning elsewhere.
fn shown(given: &str) -> String {
    // The parameters can contain a password too.
    let plain = given.split('?').next().unwrap_or_default();
    if !given.contains('@') {
        return plain.to_owned();
    }
    let (scheme, rest) = match given.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => match given.split_once(':') {
            Some((scheme, rest)) => (format!("{scheme}:"), rest),
            None => return plain.to_owned(),
        },
    };
    let name = rest.split([':', '@', '?', '/']).next().unwrap_or_default();
    match plain.rsplit_once('@') {
        Some((user, host)) if user.len() > scheme.len() && user[scheme.len()..].contains(':') => {
            format!("{scheme}{name}:…@{host}")
        }
        Some(_) => plain.to_owned(),
        // The `@` is behind a `?`, which may be part of the password.
        None => format!("{scheme}{name}…"),
    }
}
