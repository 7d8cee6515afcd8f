//! Finds cycles of ordering constraints.

/// The maximum number of reported cycles and of search steps: the number of cycles can be exponential.
const CYCLES: usize = 32;
const SEARCH: usize = 100_000;

/// Returns the cycles among the `stuck` hooks, each once, starting at its smallest hook. Finds at least one cycle for
/// each hook that is the smallest of one, however many paths there are, up to [`CYCLES`].
pub(super) fn cycles(successors: &[Vec<usize>], stuck: &[usize]) -> Vec<Vec<usize>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (from, to) in successors.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |to| (from, *to))) {
        predecessors[to].push(from);
    }
    let mut search = Search { successors, found: Vec::new(), steps: 0 };
    for &start in stuck {
        if search.found.len() < CYCLES {
            search.from(start, &leading_to(start, &predecessors));
        }
    }
    search.found
}

/// For each hook from `start` on that can reach `start`: the next hook on the shortest path to it. A cycle is found
/// only from its smallest hook.
fn leading_to(start: usize, predecessors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut next = vec![None; predecessors.len()];
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(to) = queue.pop_front() {
        for &from in predecessors[to].iter().filter(|&&from| from >= start) {
            if next[from].is_none() {
                next[from] = Some(to);
                queue.push_back(from);
            }
        }
    }
    next
}

struct Search<'a> {
    successors: &'a [Vec<usize>],
    found: Vec<Vec<usize>>,
    steps: usize,
}

impl Search<'_> {
    /// Finds the cycles whose smallest hook is `start`. Iterative, because a cycle may be too long for recursion.
    fn from(&mut self, start: usize, next: &[Option<usize>]) {
        if next[start].is_none() {
            return;
        }
        let before = self.found.len();
        let mut on_path = vec![false; self.successors.len()];
        let mut path = vec![(start, 0)];
        on_path[start] = true;
        while let Some((index, edge)) = path.last_mut() {
            let Some(&to) = self.successors[*index].get(*edge) else {
                on_path[*index] = false;
                path.pop();
                continue;
            };
            *edge += 1;
            self.steps += 1;
            if self.steps > SEARCH {
                break;
            }
            if to == start {
                self.found.push(path.iter().map(|(index, _)| *index).collect());
                if self.found.len() == CYCLES {
                    return;
                }
            } else if next[to].is_some() && !on_path[to] {
                on_path[to] = true;
                path.push((to, 0));
            }
        }
        if self.found.len() == before {
            // If the search gives up, the error is still reported.
            self.found.push(shortest(start, next));
        }
    }
}

/// The shortest cycle through `start`.
fn shortest(start: usize, next: &[Option<usize>]) -> Vec<usize> {
    std::iter::successors(Some(start), |index| next[*index].filter(|next| *next != start)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 -> 1 -> 2 -> 0, a path back from 1 to 0, and a hook that leads nowhere.
    const SUCCESSORS: [&[usize]; 4] = [&[1], &[3, 2, 0], &[0], &[]];

    fn successors() -> Vec<Vec<usize>> {
        SUCCESSORS.iter().map(|to| to.to_vec()).collect()
    }

    #[test]
    fn every_cycle_is_reported_once() {
        assert_eq!(cycles(&successors(), &[0, 1, 2, 3]), [vec![0, 1, 2], vec![0, 1]]);
    }

    /// 0 -> 1 -> 2, and from 2 back to both.
    #[test]
    fn a_path_does_not_enter_a_hook_twice() {
        for back in [vec![0, 1], vec![1, 0]] {
            assert_eq!(cycles(&[vec![1], vec![2], back], &[0, 1, 2]), [vec![0, 1, 2], vec![1, 2]]);
        }
    }

    #[test]
    fn a_search_that_gives_up_still_reports_the_shortest() {
        let successors = successors();
        let mut predecessors = vec![Vec::new(); 4];
        for (from, to) in successors.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |to| (from, *to))) {
            predecessors[to].push(from);
        }
        for (steps, found) in [(SEARCH, 1), (SEARCH - 1, 1), (0, 2)] {
            let mut search = Search { successors: &successors, found: Vec::new(), steps };
            search.from(0, &leading_to(0, &predecessors));
            assert_eq!(search.found.len(), found, "{steps}");
            assert_eq!(search.found.last(), Some(&vec![0, 1]), "{steps}");
        }
    }
}
