//! Checks a loop by what it does: the tools that it runs, what it sends, shows and stores.

use std::future::{Future, poll_fn};
use std::io::Write;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::task::AtomicWaker;
use hook_sdk::data::ModelRequest;
use hook_sdk::kinds::PreModelCall;
use hook_sdk::scope::{AgentDef, AppDef, HookUse};
use hook_sdk::{Hook, HookSet, Registry};

use crate::cases::{Case, all, declared};
use crate::check::NotConforming;
use crate::expect::malformed;
use crate::world::{Act, Acts, Person, World};

/// How long a turn may take.
const LONGEST: Duration = Duration::from_secs(10);

/// A loop under test.
///
/// ```
/// use hook_sdk::data::{Message, Role};
/// use hook_sdk::prelude::*;
/// use hooks_conformance::{AgentLoop, World};
///
/// /// A loop without tools.
/// struct Chat;
///
/// impl AgentLoop for Chat {
///     async fn turn(&self, hooks: &HookSet, world: &World) {
///         let cx = HookContext::new();
///         let step = hooks.prompt(&cx, world.prompt(), world.stored());
///         let Ok(mut messages) = step.store(async |row| world.store(&row)).await else { return };
///         let step = hooks.model_call(&cx, ModelRequest::new("You are a clerk."), &mut messages);
///         let Ok(answer) = step.run(async |request, messages| world.model(&request, &messages)).await else { return };
///         if let Ok(row) = hooks.store(&cx, answer, async |row| world.store(&row)).await {
///             world.show(&row.text());
///         }
///     }
/// }
/// ```
pub trait AgentLoop {
    /// Runs one turn in the conversation [`World::stored`], with `hooks` in force: submits [`World::prompt`], and uses the
    /// model, the tools, the person and the store of `world` in place of its own. Shows what the person sees with
    /// [`World::show`]: the answer, notices, the error of a turn that ended without an answer. A loop that compacts has
    /// to compact a conversation of 4,000 characters here.
    fn turn(&self, hooks: &HookSet, world: &World) -> impl Future<Output = ()> + Send;

    /// Whether the loop shows an answer while the model writes it, in [pieces](World::pieces). What was shown cannot be taken back, so the sentences
    /// about a whole answer are then tried with a hook that sets `defer_output`.
    fn streams(&self) -> bool {
        false
    }

    /// Whether the loop can ask a person. If not, what a gate asks about is denied, and the sentences in which a person answers
    /// are left out.
    fn asks(&self) -> bool {
        true
    }
}

/// Checks that a loop fires each built-in kind of a turn that the program declares with [`fires!`](hook_sdk::fires), and
/// acts on everything that hooks can answer there. Each sentence of the test runs one turn, or two; what must and must
/// not happen is read from what the loop did. A sentence that takes longer than ten seconds is the last one. For changes
/// of stored rows and all other kinds there is [`check`](crate::check).
///
/// # Errors
/// All breaches at once.
pub async fn check_turns(under_test: &impl AgentLoop) -> Result<(), NotConforming> {
    let kinds = Registry::empty().manifest().kinds;
    let mut breaches = Vec::new();
    if kinds.iter().all(|kind| kind.fired_at.is_none()) {
        let text = "nothing is declared: write `hook_sdk::fires![prompt, model_call, …];` next to the code that fires";
        breaches.push(text.to_owned());
    }
    for case in declared(&kinds).filter(|case| under_test.asks() || !case.needs_a_person()) {
        let Some((acts, ended)) = in_time(run(under_test, case), case).await else {
            let late = format!("the turn must end, and did not within {LONGEST:?}; nothing else was tried");
            breaches.push(format!("{case}: {late}"));
            break;
        };
        let mut wrong: Vec<String> = case.expect.iter().filter_map(|expect| expect.violation(&acts)).collect();
        // A call that waits has no result yet, and nothing is sent until it has one.
        wrong.extend(malformed(&acts, case.person == Person::Suspends && case.scenario.turns() == 1));
        wrong.extend(ended.err());
        breaches.extend(wrong.into_iter().map(|wrong| format!("{case}: {wrong}")));
    }
    NotConforming::unless_empty(breaches)
}

/// The output of `turns`, unless they take too long.
async fn in_time<T>(turns: impl Future<Output = T>, case: &Case) -> Option<T> {
    let late = Arc::new((AtomicBool::new(false), AtomicWaker::new()));
    let (over, waits) = channel::<()>();
    let (is_late, said) = (Arc::clone(&late), format!("{case}: the turn did not end within {LONGEST:?}\n"));
    // A thread, because the clock of the runtime may be paused, and the loop may never let go of it.
    std::thread::spawn(move || {
        if waits.recv_timeout(LONGEST) == Err(RecvTimeoutError::Timeout) {
            is_late.0.store(true, Ordering::Release);
            is_late.1.wake();
            let _closed = std::io::stderr().write_all(said.as_bytes());
        }
    });
    let mut turns = pin!(turns);
    let output = poll_fn(|cx| {
        late.1.register(cx.waker());
        match turns.as_mut().poll(cx) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending if late.0.load(Ordering::Acquire) => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    });
    let output = output.await;
    drop(over);
    output
}

/// What the loop did in its turns; the error is that of a turn without end, or of a panic.
async fn run(under_test: &impl AgentLoop, case: &Case) -> (Vec<Act>, Result<(), String>) {
    let acts = Acts::default();
    let registry = Registry::empty();
    let mut list = Vec::new();
    let defers = under_test.streams() && ["post_model_call", "stop", "before_create_message"].contains(&case.kind);
    let defer = defers.then(|| {
        Hook::at::<PreModelCall>("defers").writer(|_, _, request: &mut ModelRequest| request.defer_output = true)
    });
    for hook in (case.hooks)(&acts).into_iter().chain(defer) {
        list.push(HookUse::id(hook.id().as_str()));
        if let Err(error) = registry.register(hook) {
            return (Vec::new(), Err(error.to_string()));
        }
    }
    // The app's list, because it also applies to kinds outside of turns.
    registry.set_app(AppDef::new("conformance").hooks(list));
    let set = match registry.scope(&AgentDef::new("conformance"), None) {
        Ok(set) => set,
        Err(error) => return (Vec::new(), Err(error.to_string())),
    };
    let turns = async {
        for _ in 0..case.scenario.turns() {
            under_test.turn(&set, &World::new(case.scenario, case.person, acts.clone())).await;
        }
    };
    let ended = AssertUnwindSafe(turns).catch_unwind().await;
    let ended = ended.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        format!("the turn must end, and {}", text.unwrap_or("panicked"))
    });
    (acts.take(), ended)
}

/// The sentences of the test as data, for tests of loops in other languages: the kind, what its hook does, what the
/// model does first, what the person says, and what must follow.
pub fn sentences() -> serde_json::Value {
    let sentence = |case: &Case| {
        serde_json::json!({
            "kind": case.kind,
            "when": case.when,
            "scenario": case.scenario,
            "person": case.person,
            "expect": case.expect,
        })
    };
    all().map(sentence).collect()
}
