//! Groups: several hooks with one id, one entry in a list, and one `with`.

use std::cell::Cell;

use hook_sdk::diagnostics::{FindingKind, ProblemKind};
use hook_sdk::overrides::{Override, Overrides};
use hook_sdk::scope::HookUse;
use serde_json::json;

use super::support::*;

thread_local! {
    static READ: Cell<usize> = const { Cell::new(0) };
}

/// The word that members of the group leave in the trail.
#[derive(Debug, serde::Deserialize)]
#[serde(from = "Word")]
struct Mark {
    loud: bool,
}

#[derive(serde::Deserialize)]
struct Word {
    loud: bool,
}

impl From<Word> for Mark {
    fn from(Word { loud }: Word) -> Self {
        READ.set(READ.get() + 1);
        Self { loud }
    }
}

hook_sdk::group! {
    /// Marks what passes.
    ///
    /// Everywhere.
    pub(crate) mark_all
}

mod members {
    use super::*;

    #[hook(group = mark_all, kind = Step, on_failure = required, priority = 5)]
    pub(super) fn steps(mark: &With<Mark>, trail: &mut Trail) {
        trail.0.push(if mark.loud { "STEP" } else { "step" });
    }

    #[hook(group = super::mark_all, kind = [Spend, Seen], topic = "gold")]
    #[cfg(any())]
    fn never() {}

    // Not `snake_case`: the name of a member is not an id.
    #[allow(non_snake_case)]
    #[hook(group = super::mark_all, kind = Spend, topic = "gold")]
    pub(super) async fn Spends(mark: &With<Mark>) -> Permission {
        if mark.loud { Permission::deny("LOUD") } else { Permission::NoOpinion }
    }

    #[hook(group = super::mark_all, kind = Seen)]
    fn sees() {}
}

hook_sdk::group! {
    pub(crate) on_one_line
}

macro_rules! made_on_one_line {
    ($($name:ident at $kind:ident,)*) => { $(#[hook(group = on_one_line, kind = $kind)] fn $name() {})* };
}

mod made {
    use super::*;

    hook_sdk::group! { pub(super) echo }

    macro_rules! of_one_id {
        ($($name:ident at $kind:ident)*) => {
            #[hook(group = echo, kind = TurnEnd)]
            fn member() {}
            $(#[hook(id = "echo", kind = $kind)] pub(super) fn $name() {})*
        };
    }

    of_one_id! { early at SessionStart late at SessionEnd }
    made_on_one_line! { charlie at TurnEnd, alpha at SessionEnd, delta at Shutdown, bravo at SessionStart, }
}

/// A macro puts all of its hooks on one line, but they are not copies of one hook, as those of a crate that is linked twice.
#[test]
fn two_hooks_of_one_macro_with_one_id_are_reported() {
    for [one, other] in [
        hooks![made::early, made::late],
        hooks![made::late, made::early],
        hooks![made::echo, made::late],
        hooks![made::late, made::echo],
    ] {
        let error = Registry::empty().with([one, other]).unwrap_err();
        let [problem] = error.problems() else { panic!("{error}") };
        assert_eq!((problem.kind(), problem.about()), (ProblemKind::DuplicateId, "echo"));
        Registry::empty().with([one, one]).unwrap();
    }
}

fn agent(loud: bool) -> AgentDef {
    AgentDef::new("a").hooks([HookUse::id("mark_all").with(json!({ "loud": loud }))])
}

fn all() -> Registry {
    Registry::empty().with(hooks![mark_all]).unwrap()
}

/// The linker puts them into one order in one build, and into another in the next.
#[test]
fn hooks_of_a_group_on_one_line_are_in_the_order_of_their_names() {
    let registry = Registry::empty().with(hooks![on_one_line]).unwrap();
    let kinds: Vec<&str> = registry.hooks()[0].kinds().collect();
    assert_eq!(kinds, ["session_end", "session_start", "turn_end", "shutdown"]);
}

#[tokio::test]
async fn one_entry_of_a_list_puts_all_hooks_of_a_group_in_force_with_one_set_of_parameters() {
    let registry = all();
    let before = READ.get();
    let set = registry.scope(&agent(true), None).unwrap();
    assert_eq!(READ.get(), before + 1);
    assert_eq!(set.fire_blocking(&cx(), &step(), Trail::default()).unwrap().subject, Some(Trail(vec!["STEP"])));
    let fired = set.fire(&cx(), &Spend { topic: "gold".to_owned() }, Trail::default()).await.unwrap();
    assert_eq!(fired.verdict.denial().unwrap().by.as_ref().map(ToString::to_string).as_deref(), Some("mark_all"));
    // The filter of one member is not that of the others.
    let fired = set.fire(&cx(), &spend(), Trail::default()).await.unwrap();
    assert!(fired.verdict.denial().is_none());
    let record = set.fire_blocking(&cx(), &Seen { number: 1 }, ()).unwrap().report.record.clone().unwrap();
    assert_eq!((record.kind, record.runs[0].hook.as_str(), record.runs.len()), ("seen", "mark_all", 1));
}

#[test]
fn the_plan_has_one_line_for_the_group_at_each_kind_with_the_options_of_its_hook() {
    let set = all().scope(&agent(false), None).unwrap();
    let lines = |kind: &str| set.plan(kind).map(|hook| hook.to_string()).collect::<Vec<_>>();
    let of = |kind: &str, text: &str| {
        let lines = lines(kind);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].starts_with("mark_all ") && lines[0].contains(text), "{lines:?}");
    };
    of("step", "writes priority 5; on failure required; with parameters;");
    of("spend", "reads  async, within 30s; priority 0; on failure deny; with parameters; only topic gold;");
    of("seen", "reads  priority 0; on failure continue; with parameters;");
    let manifest = all().manifest();
    let [hook] = &manifest.hooks[..] else { panic!("{:?}", manifest.hooks) };
    assert_eq!(hook.description, "Marks what passes.\n\nEverywhere.");
    assert_eq!(
        hook.at.iter().map(|at| (at.kind, at.options.priority)).collect::<Vec<_>>(),
        [("step", 5), ("spend", 0), ("seen", 0)]
    );
}

#[test]
fn a_member_names_its_group() {
    let registry = Registry::empty().with(hooks![members::steps, mark_all]).unwrap();
    assert_eq!(registry.hooks().len(), 1);
    let list = hooks![members::steps, members::Spends];
    let error = registry.scope(&AgentDef::new("a").hooks(list), None).unwrap_err().to_string();
    assert!(error.contains("names the hook `mark_all` twice"), "{error}");
    let [first, ..] = list.map(HookUse::from);
    assert_eq!(serde_json::to_value(first).unwrap(), json!("mark_all"));
}

#[test]
fn missing_and_invalid_parameters_of_a_group_are_one_problem() {
    for (list, text) in [
        (AgentDef::new("a").hooks(["mark_all"]), "without its required parameters (`with`): missing field `loud`"),
        (AgentDef::new("a").hooks([HookUse::id("mark_all").with(json!({ "loud": 1 }))]), "invalid type: integer `1`"),
    ] {
        let error = all().scope(&list, None).unwrap_err();
        assert_eq!(error.problems().len(), 1, "{error}");
        assert!(error.to_string().contains("`mark_all`") && error.to_string().contains(text), "{error}");
    }
}

#[test]
fn other_hooks_are_ordered_by_the_id_of_the_group_wherever_it_runs() {
    let registry = all();
    registry.register(writes("early").before(["mark_all"]).priority(9)).unwrap();
    registry.register(writes("late").after(["mark_all"]).priority(-9)).unwrap();
    let set = registry.scope(&agent(false).hooks(["late", "early"]), None).unwrap();
    let fired = set.fire_blocking(&cx(), &step(), Trail::default()).unwrap();
    assert_eq!(fired.subject, Some(Trail(vec!["early", "step", "late"])));
    registry.register(Hook::at::<Boot>("elsewhere").reader(|_, _, ()| ()).after(["mark_all"])).unwrap();
    registry.set_app(AppDef::new("app").hooks(["elsewhere"]));
    let error = registry.scope(&agent(false), None).unwrap_err().to_string();
    assert!(error.contains("`mark_all`") && error.contains("does not run at `boot`"), "{error}");
}

#[test]
fn a_value_joins_hooks_that_keep_their_options() {
    let counts = |cx: &HookContext| cx.with::<Mark>().map(|mark| mark.loud);
    let group = Hook::group(
        "joined",
        [
            Hook::at::<Step>("a").writer(move |cx, _, trail| {
                trail.0.push(if counts(cx).unwrap() { "LOUD" } else { "quiet" });
            }),
            Hook::at::<Spend>("b")
                .reader(|_, _, _| Permission::deny("no"))
                .only("topic", "gold")
                .on_failure(OnFailure::Continue),
        ],
    );
    let registry = registry([group.parameters::<Mark>(), writes("first")]);
    let list = AgentDef::new("a").hooks([HookUse::id("joined").with(json!({ "loud": true }))]).hooks(["first"]);
    let set = registry.scope(&list, None).unwrap();
    assert_eq!(
        set.fire_blocking(&cx(), &step(), Trail::default()).unwrap().subject,
        Some(Trail(vec!["LOUD", "first"]))
    );
    let gold = set.fire_blocking(&cx(), &Spend { topic: "gold".to_owned() }, Trail::default()).unwrap();
    assert!(gold.verdict.denial().is_some());
    assert!(set.plan("spend").next().unwrap().to_string().contains("on failure continue"));
}

#[test]
fn what_is_wrong_with_a_group_is_reported_at_once() {
    let step = || Hook::at::<Step>("x").reader(|_, _, _| ());
    let error = Registry::empty()
        .register(Hook::group(
            "twice",
            [step().parameters::<Mark>(), step(), Hook::at::<Seen>("y").reader(|_, _, ()| ()).parameters::<Word>()],
        ))
        .unwrap_err();
    assert!(
        error.problems().iter().all(|problem| problem.kind() == ProblemKind::BadGroup && problem.about() == "twice")
    );
    let text = error.to_string();
    assert!(text.contains("two hooks of the group `twice` run at `step`; a group has one for each kind"), "{text}");
    assert!(
        text.contains("take different parameters") && text.contains("Mark>` and `&With<") && text.contains("Word>`")
    );
    let empty = Registry::empty().register(Hook::group("empty", [])).unwrap_err().to_string();
    assert!(empty.ends_with("the group `empty` has no hooks"), "{empty}");
}

#[test]
fn an_operator_changes_and_disables_a_group_as_a_whole() {
    let registry = all();
    registry.set_overrides([Overrides::new("ops").set("mark_all", Override::new().priority(7))]).unwrap();
    let set = registry.scope(&agent(false), None).unwrap();
    for kind in ["step", "spend", "seen"] {
        let line = set.plan(kind).next().unwrap().to_string();
        assert!(line.contains("priority 7;") && line.contains("priority from 0 and 5 by ops"), "{line}");
    }
    registry.disable("mark_all").unwrap();
    let set = registry.scope(&agent(false), None).unwrap();
    assert_eq!(set.kinds().count(), 0);
}

#[test]
fn a_group_that_no_list_names_is_one_finding() {
    let registry = all();
    let set = registry.scope(&AgentDef::new("a").hooks(Vec::<&str>::new()), None).unwrap();
    let unnamed = |finding: &&hook_sdk::diagnostics::Finding| finding.kind() == FindingKind::UnnamedHook;
    let findings = registry.audit([&set]);
    let about: Vec<_> = findings.iter().filter(unnamed).map(|finding| finding.about().to_owned()).collect();
    assert_eq!(about, ["mark_all"]);
}
