//! The order of a plan and its stages, computed from docs/design.md.

use super::case::{Case, Point, Role};

/// The hooks that must run before `later`.
fn comes_before(case: &Case, earlier: usize, later: usize) -> bool {
    let (first, second) = (&case.specs[earlier], &case.specs[later]);
    second.after.contains(&earlier) || second.requires.contains(&earlier) || first.before.contains(&later)
}

/// Repeatedly takes the smallest hook that waits for none of the rest. `None` if all the rest wait.
pub(crate) fn order(case: &Case) -> Option<Vec<usize>> {
    let key = |index: &usize| {
        let spec = &case.specs[*index];
        let class = match (case.point, spec.form.writes(), spec.role) {
            (Point::Gate, true, Role::Silent) => 0,
            (Point::Gate, true, _) => 1,
            (Point::Gate, false, _) => 2,
            _ => 0,
        };
        (spec.priority, class, !spec.in_app, *index)
    };
    let mut left: Vec<usize> = (0..case.specs.len()).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let free = left.iter().copied().filter(|&one| !left.iter().any(|&other| comes_before(case, other, one)));
        let next = free.min_by_key(key)?;
        left.retain(|&one| one != next);
        order.push(next);
    }
    Some(order)
}

/// The stage number of each hook in the order.
pub(crate) fn stages(case: &Case, order: &[usize]) -> Vec<usize> {
    let mut stages: Vec<usize> = Vec::new();
    let mut first = 0;
    for (place, &index) in order.iter().enumerate() {
        let spec = &case.specs[index];
        let joins = place > 0
            && order[first..place].iter().all(|&other| {
                let before = &case.specs[other];
                !before.form.writes()
                    && !spec.form.writes()
                    && before.priority == spec.priority
                    && !comes_before(case, other, index)
            });
        if !joins {
            first = place;
        }
        stages.push(first);
    }
    stages
}
