//! Promise 24: a replay of an unchanged program has no differences, at every kind, with random plans and random
//! traffic.

use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::minimal::minimal;
use crate::support::*;

/// What a hook of the program does.
#[derive(Clone, Copy, Debug)]
enum Act {
    Keep,
    /// Rewrites every text of the subject.
    Edit,
    Fail,
    Panic,
    Halt,
    /// Rewrites only if the subject has this parity of bytes, like a filter on content.
    EditSome(usize),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        2 => Just(Act::Keep),
        3 => Just(Act::Edit),
        1 => Just(Act::Fail),
        1 => Just(Act::Panic),
        1 => Just(Act::Halt),
        2 => (0..2_usize).prop_map(Act::EditSome),
    ]
}

/// A hook at a kind: its number, its behaviour, whether it only reads or is async, and its position.
#[derive(Clone, Debug)]
struct Plan {
    kind: usize,
    act: Act,
    reads: bool,
    waits: bool,
    priority: i32,
}

fn plan() -> impl Strategy<Value = Plan> {
    (0..KINDS.len(), act(), any::<bool>(), any::<bool>(), -2..3_i32)
        .prop_map(|(kind, act, reads, waits, priority)| Plan { kind, act, reads, waits, priority })
}

/// Changes every text in a value, except those that determine the type of a block.
fn edit(value: &mut Value) {
    match value {
        Value::String(text) => text.push('!'),
        Value::Array(items) => items.iter_mut().for_each(edit),
        Value::Object(fields) => {
            let shape = ["type", "role", "id", "call_id", "status", "tool_use_id"];
            fields.iter_mut().filter(|(key, _)| !shape.contains(&&***key)).for_each(|(_, value)| edit(value));
        }
        _ => {}
    }
}

fn hook<K>(index: usize, plan: &Plan) -> Hook
where
    K: HookKind<Subject: Serialize + DeserializeOwned>,
{
    let (act, id) = (plan.act, format!("hook_{index}"));
    let run = move |subject: &mut K::Subject| -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let mut value = serde_json::to_value(&*subject)?;
        let edits = match act {
            Act::Keep => false,
            Act::Edit => true,
            Act::Fail => return Err("it does not work today".into()),
            Act::Panic => std::panic::resume_unwind(Box::new("broken")),
            Act::Halt => return Err(Halt::new("enough").into()),
            Act::EditSome(parity) => value.to_string().len() % 2 == parity,
        };
        if edits {
            edit(&mut value);
            *subject = serde_json::from_value(value)?;
        }
        Ok(())
    };
    let at = Hook::at::<K>(&id);
    let hook = match (plan.reads, plan.waits) {
        (true, true) => at.async_reader(move |_, _, subject| {
            let outcome = run(&mut subject.clone());
            Box::pin(async move {
                tokio::task::yield_now().await;
                outcome
            })
        }),
        (true, false) => at.reader(move |_, _, subject| run(&mut subject.clone())),
        (false, _) => at.writer(move |_, _, subject| run(subject)),
    };
    hook.priority(plan.priority)
}

macro_rules! table {
    ($($name:ident => $kind:ty),* $(,)?) => {
        const KINDS: &[(&str, fn(usize, &Plan) -> Hook)] = &[$((stringify!($name), hook::<$kind>)),*];
    };
}

hook_sdk::for_each_kind!(table);

/// A hook at every kind that changes nothing, so that every dispatch is recorded.
#[cfg(feature = "agent")]
pub(crate) fn watching() -> Vec<Hook> {
    let plan = |kind| Plan { kind, act: Act::Keep, reads: true, waits: false, priority: -100 };
    (0..KINDS.len()).map(|kind| KINDS[kind].1(1_000 + kind, &plan(kind))).collect()
}

/// `HOOKS_REPLAY_CASES` sets the number of programs. Each fires every kind twice.
fn cases() -> u32 {
    std::env::var("HOOKS_REPLAY_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(8)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_replay_of_an_unchanged_program_has_no_differences(
        plans in proptest::collection::vec(plan(), 1..60),
        text in "[a-z @.]{0,30}",
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let report = runtime.block_on(async {
            let hooks = Hooks(plans.iter().enumerate().map(|(index, plan)| KINDS[plan.kind].1(index, plan)).collect());
            let folder = Folder::new();
            let path = folder.path("traffic.jsonl");
            let registry = hooks.registry();
            registry.observe(Recorder::create(&path, "random", RecordLimits::default()).unwrap());
            let set = Hooks::scope(&registry).unwrap();
            for (fired, (name, _)) in KINDS.iter().chain(KINDS).enumerate() {
                let (event, mut subject) = minimal(name);
                if fired % 2 == 1 {
                    edit(&mut subject);
                }
                let cx = HookContext::builder().conversation(text.as_str()).build();
                let _ = set.fire_json(name, &cx, event, subject).await;
            }
            drop((set, registry));
            let recorded = Reader::open(&path).unwrap().count() - 1;
            let report = hooks.replay(&path).await;
            assert_eq!((report.replayed, report.failed), (recorded, 0), "{report}");
            report
        });
        prop_assert!(report.is_empty(), "{report}");
    }
}
