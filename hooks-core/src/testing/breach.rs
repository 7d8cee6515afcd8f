use std::fmt;

/// Everything in which a harness does not do what it declares.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub struct NotConforming {
    breaches: Vec<String>,
}

impl NotConforming {
    /// The breaches, by kind, each in words.
    pub fn breaches(&self) -> &[String] {
        &self.breaches
    }

    pub(super) fn unless_empty(breaches: Vec<String>) -> Result<(), Self> {
        if breaches.is_empty() { Ok(()) } else { Err(Self { breaches }) }
    }
}

impl fmt::Display for NotConforming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the harness does not do what it declares:")?;
        self.breaches.iter().try_for_each(|breach| write!(f, "\n  - {breach}"))
    }
}

impl fmt::Debug for NotConforming {
    /// The words, because this is what a test that returns the error or unwraps it prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
