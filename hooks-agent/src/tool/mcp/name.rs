use std::collections::BTreeSet;

/// Creates tool names that every provider accepts: at most 64 letters, digits, `_` and `-`, all different.
#[derive(Default)]
pub(super) struct Names(BTreeSet<String>);

const LONGEST: usize = 64;

impl Names {
    pub(super) fn next(&mut self, prefix: &str, name: &str) -> String {
        let allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
        let plain: String =
            prefix.chars().chain(name.chars()).map(|letter| if allowed(letter) { letter } else { '_' }).collect();
        let mut made = plain[..plain.len().min(LONGEST)].to_owned();
        let mut number = 2;
        while !self.0.insert(made.clone()) {
            let end = format!("_{number}");
            made = format!("{}{end}", &plain[..plain.len().min(LONGEST - end.len())]);
            number += 1;
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_fit_every_provider_and_stay_unique() {
        let mut names = Names::default();
        let long = "x".repeat(70);
        for (prefix, name, expected) in [
            ("", "now", "now".to_owned()),
            ("time_", "now", "time_now".to_owned()),
            ("", "files.read/all", "files_read_all".to_owned()),
            ("", "files.read.all", "files_read_all_2".to_owned()),
            ("", "größe", "gr__e".to_owned()),
            ("", &long, "x".repeat(64)),
            ("", &long, format!("{}_2", "x".repeat(62))),
        ] {
            assert_eq!(names.next(prefix, name), expected);
        }
    }
}
