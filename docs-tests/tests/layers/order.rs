//! The order of the `mod` lines in `lib.rs` is the order of the layers: a module uses only those above it.

use std::collections::{BTreeMap, BTreeSet};

use super::source::Crate;
use super::uses::{ROOT, Use, uses};

/// Modules for users and for generated code. No other module of the crate uses them.
const LAST: [&str; 3] = ["macros", "__private_0_1", "prelude"];

/// The uses of one module by another one, as `(from, to)`.
type Arrows<'a> = BTreeMap<(usize, usize), Vec<&'a Use>>;

/// The violations of the order in this crate, each with a suggestion.
pub(crate) fn broken(krate: &Crate) -> Vec<String> {
    let mut layers = krate.layers();
    layers.push(ROOT);
    let uses = uses(krate);
    let mut arrows = Arrows::new();
    for found in &uses {
        let at = |name: &str| layers.iter().position(|layer| *layer == name);
        if let (Some(from), Some(to)) = (at(&found.from), at(&found.to)) {
            arrows.entry((from, to)).or_default().push(found);
        }
    }
    let reach = Reach::new(layers.len(), arrows.keys());
    let mut found = out_of_place(&layers);
    for ((from, to), uses) in arrows.iter().filter(|((from, to), _)| to > from) {
        let (from_name, to_name) = (layers[*from], layers[*to]);
        let cut = format!("remove the use of {}", by_place(uses));
        let advice = if reach.mutual(*from, *to) {
            format!("they are in a cycle, so no order is valid: {cut}, or another use in the cycle")
        } else if LAST.contains(&to_name) || to_name == ROOT {
            cut
        } else {
            format!("move `mod {to_name}` above `mod {from_name}`, or {cut}")
        };
        found.push(format!("`{from_name}` uses `{to_name}`, which is below it: {advice}"));
    }
    found.extend(reach.largest_circle().map(|circle| draw(&circle, &layers, &arrows)));
    if arrows.keys().any(|(from, to)| to > from) {
        found.extend(reach.order().map(|order| {
            let names: Vec<_> = order.iter().map(|at| layers[*at]).filter(|name| *name != ROOT).collect();
            format!("a valid order of the `mod` lines is: {}", names.join(", "))
        }));
    }
    found
}

/// The paths of these uses, grouped by line.
fn by_place(uses: &[&Use]) -> String {
    let lines = uses.chunk_by(|one, other| one.place == other.place);
    let texts = lines.map(|line| {
        let paths: Vec<_> = line.iter().map(|one| format!("`{}`", one.path)).collect();
        format!("{} in {}", paths.join(", "), line[0].place)
    });
    texts.collect::<Vec<_>>().join(" and ")
}

fn out_of_place(layers: &[&str]) -> Vec<String> {
    let last = |name: &str| LAST.contains(&name) || name == ROOT;
    let wrong = layers.windows(2).filter(|pair| last(pair[0]) && !last(pair[1]));
    wrong.map(|pair| format!("`{}` is above `{}`: move it to the end of `lib.rs`", pair[0], pair[1])).collect()
}

/// A cycle, with the first place of each use in it.
fn draw(circle: &BTreeSet<usize>, layers: &[&str], arrows: &Arrows<'_>) -> String {
    let names: Vec<_> = circle.iter().map(|at| layers[*at]).collect();
    let inner = arrows.iter().filter(|((from, to), _)| circle.contains(from) && circle.contains(to));
    let lines = inner.map(|((from, to), uses)| {
        let (times, first) = (uses.len(), &uses[0]);
        format!("\n      {} → {} ({times}): `{}` in {}", layers[*from], layers[*to], first.path, first.place)
    });
    format!("the largest cycle has {} modules: {}{}", names.len(), names.join(", "), lines.collect::<String>())
}

/// Which module uses which, directly or through others.
pub(crate) struct Reach(Vec<Vec<bool>>);

impl Reach {
    pub(crate) fn new<'a>(length: usize, arrows: impl Iterator<Item = &'a (usize, usize)>) -> Self {
        let mut reach = vec![vec![false; length]; length];
        arrows.for_each(|(from, to)| reach[*from][*to] = true);
        for by in 0..length {
            for from in 0..length {
                for to in 0..length {
                    reach[from][to] |= reach[from][by] && reach[by][to];
                }
            }
        }
        Self(reach)
    }

    fn mutual(&self, one: usize, other: usize) -> bool {
        self.0[one][other] && self.0[other][one]
    }

    fn largest_circle(&self) -> Option<BTreeSet<usize>> {
        self.circles().into_iter().max_by_key(BTreeSet::len)
    }

    /// The members of each circle.
    pub(crate) fn circles(&self) -> BTreeSet<BTreeSet<usize>> {
        let all = 0..self.0.len();
        let mut circles: BTreeSet<BTreeSet<usize>> =
            all.clone().map(|one| all.clone().filter(|other| self.mutual(one, *other)).collect()).collect();
        circles.remove(&BTreeSet::new());
        circles
    }

    /// A valid order that is close to the current one. `None` if there is a cycle.
    fn order(&self) -> Option<Vec<usize>> {
        let mut left: Vec<_> = (0..self.0.len()).collect();
        let mut order = Vec::new();
        while !left.is_empty() {
            let free = left.iter().position(|one| !left.iter().any(|other| self.0[*one][*other]))?;
            order.push(left.remove(free));
        }
        Some(order)
    }
}
