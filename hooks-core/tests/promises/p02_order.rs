//! Promise 2: the order of a plan, its stages, and constraints that cannot be satisfied.

use hook_sdk::diagnostics::ProblemKind;

use super::support::*;

fn reads(name: &'static str) -> Hook {
    Hook::at::<Step>(name).reader(|_, _, _| ())
}

/// Options of a hook in a table: priority, after, before.
type Row = (&'static str, i32, &'static [&'static str], &'static [&'static str]);

fn order_of(rows: &[Row]) -> String {
    let hook = |&(name, priority, after, before): &Row| {
        writes(name).priority(priority).after(after.iter().copied()).before(before.iter().copied())
    };
    stages(&set(rows.iter().map(hook)))
}

#[test]
fn priority_then_position_subject_to_after_and_before() {
    let table: &[(&[Row], &str)] = &[
        (&[("b", 0, &[], &[]), ("a", 0, &[], &[])], "b a"),
        (&[("b", 1, &[], &[]), ("a", 0, &[], &[])], "a b"),
        (&[("a", i32::MAX, &[], &[]), ("b", i32::MIN, &[], &[])], "b a"),
        (&[("a", 0, &["b"], &[]), ("b", 5, &[], &[])], "b a"),
        (&[("b", 0, &[], &[]), ("a", 9, &[], &["b"])], "a b"),
        // `a` waits for `c`. `b` may go first, because `c` does not inherit the priority of `a`.
        (&[("a", -10, &["c"], &[]), ("b", 0, &[], &[]), ("c", 5, &[], &[])], "b c a"),
        // `a` runs as soon as its constraint is satisfied.
        (&[("a", -10, &["b"], &[]), ("b", 0, &[], &[]), ("c", 0, &[], &[])], "b a c"),
        // The same constraint declared at both ends, and twice.
        (&[("b", 0, &["a", "a"], &[]), ("a", 0, &[], &["b"])], "a b"),
    ];
    for (rows, expected) in table {
        assert_eq!(order_of(rows), *expected, "{rows:?}");
    }
}

#[test]
fn a_constraint_on_a_hook_outside_the_scope_is_ignored() {
    let registry = registry([writes("a").after(["b"]), writes("b").after(["c"]), writes("c")]);
    let set = registry.scope(&AgentDef::new("x").hooks(["a", "c"]), None).unwrap();
    assert_eq!(stages(&set), "a c");
}

#[test]
fn the_order_does_not_depend_on_the_order_of_registration() {
    for forwards in [true, false] {
        let mut hooks = vec![writes("a"), writes("b"), writes("c")];
        if !forwards {
            hooks.reverse();
        }
        let set = registry(hooks).scope(&AgentDef::new("x").hooks(["b", "c", "a"]), None).unwrap();
        assert_eq!(stages(&set), "b c a");
    }
}

#[test]
fn the_app_s_list_comes_before_the_scope_s() {
    let registry = registry([writes("a"), writes("z")]);
    registry.set_app(AppDef::new("desk").hooks(["z"]));
    assert_eq!(stages(&registry.scope(&AgentDef::new("x").hooks(["a"]), None).unwrap()), "z a");
}

/// Hooks of one gate as functions and as values. The signature determines the class.
#[test]
fn on_gates_rewriters_then_rewriters_that_decide_then_readers() {
    #[hook(id = "f_reads", kind = Spend)]
    fn f_reads() -> Permission {
        Permission::Allow
    }
    #[hook(id = "f_decides", kind = Spend)]
    fn f_decides(_trail: &mut Trail) -> Permission {
        Permission::NoOpinion
    }
    #[hook(id = "f_rewrites", kind = Spend)]
    fn f_rewrites(_trail: &mut Trail) {}
    #[hook(id = "f_may_fail", kind = Spend)]
    fn f_may_fail(trail: Trail) -> Result<Trail, std::fmt::Error> {
        Ok(trail)
    }
    let all = ["f_reads", "f_decides", "f_rewrites", "f_may_fail"];
    let registry = Registry::empty().with(hooks![f_reads, f_decides, f_rewrites, f_may_fail]).unwrap();
    assert_eq!(
        stages(&registry.scope(&AgentDef::new("x").hooks(all), None).unwrap()),
        "f_rewrites f_may_fail f_decides f_reads"
    );

    let by_value = set([
        says("reads", Permission::Allow),
        Hook::at::<Spend>("decides").writer(|_, _, _| Permission::NoOpinion),
        Hook::at::<Spend>("pair_decides").replacer(|_, _, trail| (trail, Permission::NoOpinion)),
        Hook::at::<Spend>("rewrites").writer(|_, _, _| ()),
        Hook::at::<Spend>("may_fail").writer(|_, _, _| Ok::<(), std::fmt::Error>(())),
        Hook::at::<Spend>("replaces").replacer(|_, _, trail| trail),
        Hook::at::<Spend>("replaces_later").async_replacer(|_, _, trail| later(0, trail)),
        Hook::at::<Spend>("may_fail_later").async_replacer(|_, _, trail| later(0, Ok::<_, std::fmt::Error>(trail))),
    ]);
    assert_eq!(
        stages(&by_value),
        "rewrites may_fail replaces replaces_later may_fail_later decides pair_decides reads"
    );
}

#[test]
fn on_gates_priority_and_after_outrank_the_class() {
    let rewrites = || Hook::at::<Spend>("rewrites").writer(|_, _, _| ());
    let early = says("reads", Permission::Allow).priority(-1);
    assert_eq!(stages(&set([rewrites(), early])), "reads rewrites");
    let after = rewrites().after(["reads"]);
    assert_eq!(stages(&set([after, says("reads", Permission::Allow)])), "reads rewrites");
}

#[test]
fn readers_of_one_priority_without_edges_are_one_stage() {
    let table: Vec<(Vec<Hook>, &str)> = vec![
        (vec![reads("a"), reads("b"), reads("c")], "[a b c]"),
        (vec![reads("a"), writes("w"), reads("b"), reads("c")], "a w [b c]"),
        (vec![writes("v"), writes("w")], "v w"),
        (vec![reads("a"), reads("b").priority(1), reads("c").priority(1)], "a [b c]"),
        (vec![reads("a"), reads("b").after(["a"]), reads("c")], "a [b c]"),
        (vec![reads("a").before(["c"]), reads("b"), reads("c")], "[a b] c"),
        (vec![reads("a"), reads("b").requires(["a"])], "a b"),
        (vec![reads("a"), waits("b", 1), reads("c")], "[a b c]"),
    ];
    for (hooks, expected) in table {
        assert_eq!(stages(&set(hooks)), expected);
    }
}

fn cycles(hooks: Vec<Hook>) -> Vec<Vec<String>> {
    let ids: Vec<String> = hooks.iter().map(|hook| hook.id().to_string()).collect();
    let error = registry(hooks).scope(&AgentDef::new("x").hooks(ids), None).unwrap_err();
    let spelt = error.problems().iter().map(|problem| {
        assert_eq!(problem.kind(), ProblemKind::Cycle, "{problem}");
        let text = problem.to_string();
        let (_, cycle) = text.split_once("wait for each other: ").unwrap();
        let (cycle, _) = cycle.split_once(';').unwrap();
        let mut ids: Vec<String> = cycle.split(" -> ").map(|step| step.split('`').nth(1).unwrap().to_owned()).collect();
        assert_eq!(ids.pop().as_ref(), ids.first(), "a cycle ends with its first hook");
        ids
    });
    spelt.collect()
}

#[test]
fn every_cycle_is_reported_in_full() {
    let table: Vec<(Vec<Hook>, Vec<Vec<&str>>)> = vec![
        (vec![writes("a").after(["a"])], vec![vec!["a"]]),
        (vec![writes("a").after(["b"]), writes("b").after(["a"])], vec![vec!["a", "b"]]),
        (
            vec![writes("a").after(["c"]), writes("b").after(["a"]), writes("c").requires(["b"])],
            vec![vec!["a", "b", "c"]],
        ),
        // Two cycles at once, and a hook after both that is in neither.
        (
            vec![
                writes("behind").after(["a", "c"]),
                writes("a").after(["b"]),
                writes("b").after(["a"]),
                writes("c").before(["d"]),
                writes("d").before(["c"]),
            ],
            vec![vec!["a", "b"], vec!["c", "d"]],
        ),
        // One cycle within another.
        (
            vec![writes("a").before(["b"]), writes("b").before(["c"]), writes("c").before(["b", "a"])],
            vec![vec!["a", "b", "c"], vec!["b", "c"]],
        ),
        // Two cycles that share a hook.
        (
            vec![writes("a").after(["b", "c"]), writes("b").after(["a"]), writes("c").after(["a"])],
            vec![vec!["a", "b"], vec!["a", "c"]],
        ),
    ];
    for (hooks, expected) in table {
        assert_eq!(cycles(hooks), expected);
    }
}

#[test]
fn a_cycle_is_an_error_with_the_place_of_each_hook() {
    let error = registry([writes("a").after(["b"]), writes("b").after(["a"])])
        .scope(&AgentDef::new("x").hooks(["a", "b"]), None)
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("at `step` these hooks wait for each other: `a` ("), "{error}");
    assert!(error.contains(") -> `a`; remove one `after`, `before` or `requires`"), "{error}");
    assert_eq!(error.matches("support.rs:").count(), 2, "{error}");
}

/// In a ladder, the number of paths doubles with each rung. A search that stops early must still report the error.
#[test]
fn a_cycle_before_a_ladder_of_many_paths_is_still_an_error() {
    let name = |side: char, rung: usize| -> &'static str { format!("{side}{rung:02}").leak() };
    let mut hooks = Vec::new();
    for rung in 0..40 {
        let below = match rung {
            0 => vec!["z"],
            _ => vec![name('l', rung - 1), name('r', rung - 1)],
        };
        hooks.push(writes(name('l', rung)).after(below.iter().copied()));
        hooks.push(writes(name('r', rung)).after(below.iter().copied()));
    }
    hooks.push(writes("z").after(["y"]));
    hooks.push(writes("y").after(["z"]));
    assert_eq!(cycles(hooks), [["z", "y"]]);
}

#[test]
fn a_cycle_through_a_ladder_of_many_paths_is_an_error() {
    let name = |side: char, rung: usize| -> &'static str { format!("{side}{rung:02}").leak() };
    let mut hooks = Vec::new();
    for rung in 0..40 {
        let below = match rung {
            0 => vec!["l39"],
            _ => vec![name('l', rung - 1), name('r', rung - 1)],
        };
        hooks.push(writes(name('l', rung)).after(below.iter().copied()));
        hooks.push(writes(name('r', rung)).after(below.iter().copied()));
    }
    // Of the many cycles, as many as a person may read.
    assert_eq!(cycles(hooks).len(), 32);
}

#[test]
fn a_cycle_of_thousands_of_hooks_is_an_error_and_does_not_overflow_the_stack() {
    let name = |i: usize| -> &'static str { format!("h{i:05}").leak() };
    let hooks = (0..5_000).map(|i| writes(name(i)).after([name((i + 4_999) % 5_000)])).collect();
    let found = cycles(hooks);
    assert_eq!((found.len(), found[0].len()), (1, 5_000));
}

#[test]
fn a_missing_requirement_is_an_error() {
    let registry = registry([writes("a").requires(["b"]), writes("b")]);
    let error = registry.scope(&AgentDef::new("x").hooks(["a"]), None).unwrap_err().to_string();
    assert!(error.contains("the hook `a` ("), "{error}");
    assert!(
        error.ends_with("requires `b`, but no list that applies contains it; add it to the list that contains `a`"),
        "{error}"
    );
    registry.set_app(AppDef::new("desk").hooks(["b"]));
    assert_eq!(stages(&registry.scope(&AgentDef::new("x").hooks(["a"]), None).unwrap()), "b a");
}

#[test]
fn an_id_twice_in_one_list_is_an_error() {
    let error = registry([writes("a")]).scope(&AgentDef::new("x").hooks(["a", "a"]), None).unwrap_err().to_string();
    assert_eq!(error, "agent `x` names the hook `a` twice; keep one");
}

#[test]
fn two_hooks_with_one_id_are_an_error() {
    let registry = registry([writes("a")]);
    let error = registry.register(writes("a")).unwrap_err().to_string();
    assert!(error.starts_with("two hooks have the id `a`: "), "{error}");
}
