//! Promise 3 for annotated functions: without a listener they run in lanes, and with one they run step by step. The
//! outcome is the same.

use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::overrides::{Override, Overrides};
use hook_sdk::scope::HookRef;

use super::support::*;

#[hook(id = "lane_read", kind = Step)]
fn lane_read(trail: &Trail) {
    assert!(trail.0.len() < 100);
}

#[hook(id = "lane_lend", kind = Step)]
fn lane_lend(trail: &mut Trail) {
    trail.0.push("lend");
}

#[hook(id = "lane_own", kind = Step)]
fn lane_own(mut trail: Trail) -> Trail {
    trail.0.push("own");
    trail
}

#[hook(id = "lane_own_fails", kind = Step)]
fn lane_own_fails(mut trail: Trail) -> Result<Option<Trail>, String> {
    trail.0.push("of one that fails");
    Err("by value".to_owned())
}

#[hook(id = "lane_lend_panics", kind = Step)]
fn lane_lend_panics(trail: &mut Trail) {
    trail.0.push("of one that panics");
    panic!("half-way");
}

#[hook(id = "lane_lend_fails", kind = Step)]
fn lane_lend_fails(trail: &mut Trail) -> Result<(), &'static str> {
    trail.0.push("of one that fails");
    Err("in place")
}

#[hook(id = "lane_read_panics", kind = Step)]
fn lane_read_panics(trail: &Trail) {
    panic!("at {}", trail.0.len());
}

#[hook(id = "lane_halts", kind = Step)]
fn lane_halts(trail: &mut Trail) -> Halt {
    trail.0.push("halt");
    Halt::new("enough")
}

#[hook(id = "lane_second", kind = Step)]
fn lane_second(trail: &mut Trail) {
    trail.0.push("second");
}

#[hook(id = "lane_last", kind = Step)]
fn lane_last(trail: Trail) -> Option<Trail> {
    Some(trail).filter(|trail| !trail.0.contains(&"gone"))
}

/// The outcome of a dispatch, as text.
fn outcome(set: &HookSet, heard: bool, start: &'static str) -> String {
    let cx = HookContext::builder().keep_records(heard).build();
    let fired = set.fire_blocking(&cx, &step(), Trail(vec![start])).unwrap();
    assert_eq!(fired.report.record.is_some(), heard);
    let failed: Vec<String> = fired.report.failures.iter().map(ToString::to_string).collect();
    let halt = fired.report.halt.as_ref().and_then(|halt| halt.by.as_ref());
    format!("{:?} {failed:?} {halt:?} {:?}", fired.subject, fired.report.removed_by)
}

#[test]
fn all_forms_chain_with_and_without_a_listener() {
    let forms = || {
        hooks![
            lane_read,
            lane_lend,
            lane_own,
            lane_own_fails,
            lane_lend_panics,
            lane_lend_fails,
            lane_read_panics,
            lane_halts,
            lane_second,
            lane_last
        ]
    };
    // Every rotation, so that each form follows each other form and is first and last once.
    for turn in 0..forms().len() {
        let mut order: Vec<HookRef> = forms().into();
        order.rotate_left(turn);
        let registry = Registry::empty().with(order.iter().copied()).unwrap();
        let set = registry.scope(&AgentDef::new("a").hooks(order), None).unwrap();
        let unheard = outcome(&set, false, "start");
        assert_eq!(unheard, outcome(&set, true, "start"));
        for written in ["lend", "own", "halt", "second"] {
            assert_eq!(unheard.matches(&format!("\"{written}\"")).count(), 1, "{written} in {unheard}\n{set}");
        }
        assert!(!unheard.contains("\"of one that"), "{unheard}");
        assert_eq!(unheard.matches(" failed (").count(), 4, "{unheard}");
        assert!(unheard.contains("lane_halts"), "{unheard}");
        assert_eq!(outcome(&set, false, "gone"), outcome(&set, true, "gone"));
    }
}

#[hook(id = "lane_allows", kind = before_tool_call)]
fn lane_allows() -> Permission {
    Permission::Allow
}

#[hook(id = "lane_denies", kind = before_tool_call)]
fn lane_denies(input: &ToolInput) -> Permission {
    if input["stop"] == true { Permission::deny("told to") } else { Permission::NoOpinion }
}

#[hook(id = "lane_counts", kind = before_tool_call)]
fn lane_counts(cx: &HookContext) -> Result<(), MissingState> {
    cx.state::<std::sync::atomic::AtomicU32>()?.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    Ok(())
}

#[test]
fn a_denial_ends_a_lane_of_gates() {
    let order = || hooks![lane_allows, lane_denies, lane_counts];
    let registry = Registry::empty().with(order()).unwrap();
    let set = registry.scope(&AgentDef::new("a").hooks(order()), None).unwrap();
    for (stop, counted) in [(false, 1), (true, 0)] {
        let count = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
        let cx = HookContext::builder().shared_state(std::sync::Arc::clone(&count)).build();
        let call = ToolCall::new("1", "pay", serde_json::json!({ "stop": stop }));
        let input = call.input.clone();
        let fired = set.fire_blocking(&cx, &BeforeToolCall::new(call), input).unwrap();
        assert_eq!(fired.verdict.denial().is_some(), stop);
        assert_eq!(count.load(std::sync::atomic::Ordering::SeqCst), counted);
    }
}

/// The hooks that were called, in order.
#[derive(Default)]
struct Called(std::sync::Mutex<Vec<&'static str>>);

fn called(cx: &HookContext, who: &'static str) {
    cx.state::<Called>().unwrap().0.lock().unwrap().push(who);
}

#[hook(id = "lane_async_first", kind = before_tool_call)]
async fn lane_async_first(cx: &HookContext) {
    called(cx, "first");
}

#[hook(id = "lane_async_panics", kind = before_tool_call, on_failure = continue)]
async fn lane_async_panics(cx: &HookContext) {
    called(cx, "panics");
    panic!("half-way");
}

#[hook(id = "lane_async_waits", kind = before_tool_call)]
async fn lane_async_waits(cx: &HookContext) {
    tokio::task::yield_now().await;
    called(cx, "waited");
}

#[hook(id = "lane_async_last", kind = before_tool_call)]
async fn lane_async_last(cx: &HookContext) {
    called(cx, "last");
}

#[hook(id = "lane_async_filtered", kind = before_tool_call, tool = "refund")]
async fn lane_async_filtered(cx: &HookContext) {
    called(cx, "filtered");
}

#[tokio::test]
async fn each_waiting_reader_is_called_once_if_its_filter_matches_even_if_another_one_panics() {
    let lane = || hooks![lane_async_first, lane_async_panics, lane_async_waits, lane_async_last];
    let filtered = || hooks![lane_async_first, lane_async_filtered, lane_async_last];
    let cases: [(Vec<HookRef>, &[&str]); 2] =
        [(lane().into(), &["first", "panics", "last", "waited"]), (filtered().into(), &["first", "last"])];
    for (hooks, expected) in cases {
        let registry = Registry::empty().with(hooks.iter().copied()).unwrap();
        let set = registry.scope(&AgentDef::new("a").hooks(hooks), None).unwrap();
        for listens in [false, true] {
            let calls = std::sync::Arc::new(Called::default());
            let cx = HookContext::builder().shared_state(std::sync::Arc::clone(&calls)).keep_records(listens).build();
            let call = ToolCall::new("1", "pay", serde_json::json!({}));
            let input = call.input.clone();
            let fired = set.fire(&cx, &BeforeToolCall::new(call), input).await.unwrap();
            assert_eq!(calls.0.lock().unwrap()[..], *expected, "{listens}");
            assert_eq!(fired.report.failures.len(), usize::from(expected.contains(&"panics")), "{listens}");
        }
    }
}

#[hook(id = "waits_first", kind = Spend)]
async fn waits_first(trail: &Trail) -> Permission {
    assert!(trail.0 == ["fine"], "the writer wrote something else");
    Permission::NoOpinion
}

#[hook(id = "waits_second", kind = Spend)]
async fn waits_second(_trail: &Trail) -> Permission {
    Permission::deny("second")
}

#[hook(id = "waits_third", kind = Spend)]
async fn waits_third(_trail: &Trail) -> Permission {
    Permission::deny("third")
}

/// Readers that stand after a writer run as a loop over pointers, which goes on after a panic.
#[tokio::test]
async fn the_readers_after_a_writer_all_run() {
    for (written, failures) in [("fine", 0), ("else", 1)] {
        let registry = Registry::empty().with(hooks![waits_first, waits_second, waits_third]).unwrap();
        let writer = Hook::at::<Spend>("writer").writer(move |_, _, trail| trail.0.push(written)).priority(-1);
        registry.register(writer).unwrap();
        let continues = Override::new().on_failure(OnFailure::Continue);
        registry.set_overrides([Overrides::new("ops").set("waits_first", continues)]).unwrap();
        let agent = AgentDef::new("x").hooks(["writer", "waits_first", "waits_second", "waits_third"]);
        let set = registry.scope(&agent, None).unwrap();
        let fired = set.fire(&HookContext::new(), &spend(), Trail::default()).await.unwrap();
        assert_eq!(fired.verdict.denial().map(|denial| denial.reason.as_str()), Some("second"), "{written}");
        assert_eq!(fired.report.failures.len(), failures, "{written}");
    }
}
