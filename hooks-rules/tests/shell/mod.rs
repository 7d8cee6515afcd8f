//! Tests `if` against bash: each line runs with replaced programs that record their arguments. A line that ran the
//! program must select the guard.
#![cfg(unix)]

mod everyday;
mod fuzz;
mod grammar;
mod lines;
mod rows;
mod stubs;

use hooks_rules::{Aliases, Filter};
use serde_json::json;

fn selects(rule: &str, line: &str) -> bool {
    Filter::read(rule).unwrap().selects(&Aliases::default(), "Bash", &json!({ "command": line }), None)
}

/// Small pseudorandom numbers with a fixed seed.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}
