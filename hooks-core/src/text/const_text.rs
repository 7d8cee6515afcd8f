/// `str::starts_with`, for constants.
pub(crate) const fn starts_with(text: &str, start: &str) -> bool {
    let (text, start) = (text.as_bytes(), start.as_bytes());
    let mut i = 0;
    while i < start.len() && i < text.len() && text[i] == start[i] {
        i += 1;
    }
    i == start.len()
}

/// A text of at most 512 bytes, built by constant functions.
pub(crate) struct ConstText {
    bytes: [u8; 512],
    len: usize,
}

impl ConstText {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; 512], len: 0 }
    }

    pub(crate) const fn add(mut self, part: &str) -> Self {
        let part = part.as_bytes();
        let mut i = 0;
        while i < part.len() && self.len < self.bytes.len() {
            self.bytes[self.len] = part[i];
            self.len += 1;
            i += 1;
        }
        self
    }

    /// Appends the words, each in backticks.
    pub(crate) const fn list(mut self, words: &[&str]) -> Self {
        let mut i = 0;
        while i < words.len() {
            if i > 0 {
                self = self.add(", ");
            }
            self = self.add("`").add(words[i]).add("`");
            i += 1;
        }
        self
    }

    /// Reports the text as the error of a constant.
    #[track_caller]
    #[allow(clippy::panic)]
    pub(crate) const fn fail(&self) -> ! {
        panic!("{}", self.as_str())
    }

    pub(crate) const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "this option does not fit the kind",
        }
    }
}
