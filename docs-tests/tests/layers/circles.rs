//! Files of a crate that use each other, directly or through others.
//!
//! A module and its inner modules are one thing in several files: what a module uses of them does not count. What they use
//! of each other does, and what they use of the module.

use std::collections::{BTreeMap, BTreeSet};

use super::order::Reach;
use super::resolve::definer;
use super::source::Crate;
use super::uses::paths;

/// Two files may use each other.
const LARGEST: usize = 2;

/// The circles of more than [`LARGEST`] files, each with a place for every use in it.
pub(crate) fn circles(krate: &Crate) -> Vec<Circle> {
    let mut files: Vec<&str> = krate.modules.iter().map(|module| module.file.as_str()).collect();
    files.dedup();
    let at = |file: &str| files.iter().position(|known| *known == file);
    let mut arrows: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for module in &krate.modules {
        for found in paths(module) {
            let Some(definer) = definer(krate, module, &found.segments) else { continue };
            if definer.file == module.file || definer.path.starts_with(&module.path) {
                continue;
            }
            if let (Some(from), Some(to)) = (at(&module.file), at(&definer.file)) {
                let text = || format!("`{}` in {}", found.segments.join("::"), module.place(found.span));
                arrows.entry((from, to)).or_insert_with(text);
            }
        }
    }
    let reach = Reach::new(files.len(), arrows.keys());
    let large = reach.circles().into_iter().filter(|circle| circle.len() > LARGEST);
    large.map(|circle| Circle::of(&circle, &files, &arrows)).collect()
}

pub(crate) struct Circle {
    pub(crate) files: BTreeSet<String>,
    /// A line for each use.
    uses: Vec<String>,
}

impl Circle {
    fn of(circle: &BTreeSet<usize>, files: &[&str], arrows: &BTreeMap<(usize, usize), String>) -> Self {
        let inner = arrows.iter().filter(|((from, to), _)| circle.contains(from) && circle.contains(to));
        let name = |at: usize| files[at].split_once("/src/").map_or(files[at], |(_, file)| file);
        let uses = inner.map(|((from, to), text)| format!("{} → {}: {text}", name(*from), name(*to))).collect();
        Self { files: circle.iter().map(|at| files[*at].to_owned()).collect(), uses }
    }

    pub(crate) fn draw(&self) -> String {
        let files: Vec<&str> = self.files.iter().map(String::as_str).collect();
        format!("{} files use each other: {}\n      {}", files.len(), files.join(", "), self.uses.join("\n      "))
    }
}
