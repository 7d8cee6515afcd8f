use std::fmt;

/// A harness does not conform to its declaration. Returned by [`check`](crate::check).
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub struct NotConforming {
    breaches: Vec<String>,
}

impl NotConforming {
    /// The descriptions of all breaches, ordered by kind.
    pub fn breaches(&self) -> &[String] {
        &self.breaches
    }

    pub(crate) fn unless_empty(breaches: Vec<String>) -> Result<(), Self> {
        if breaches.is_empty() { Ok(()) } else { Err(Self { breaches }) }
    }
}

impl fmt::Display for NotConforming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the harness does not conform to its declaration:")?;
        self.breaches.iter().try_for_each(|breach| write!(f, "\n  - {breach}"))
    }
}

impl fmt::Debug for NotConforming {
    /// Prints the message, because a test that returns the error or unwraps it uses `Debug`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
