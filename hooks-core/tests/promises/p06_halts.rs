//! Promise 6: a halt ends the turn. At a kind without a turn to end, it is a failure.

use hook_sdk::hook::OnFailure;
use hook_sdk::kinds::{ExitReason, TurnEnd};
use hook_sdk::record::{FailureKind, Status};

use super::support::*;

type Ends = Result<(), Halt>;

fn forms<K: HookKind<Subject = ()>>(id: &str) -> Vec<Hook> {
    vec![
        Hook::at::<K>(id).reader(|_, _, ()| -> Ends { Err(Halt::new("enough")) }),
        Hook::at::<K>(id).async_reader(|_, _, ()| later(0, Ends::Err(Halt::new("enough")))),
        Hook::at::<K>(id).async_reader(|_, _, ()| later(1, Ends::Err(Halt::new("enough")))),
    ]
}

async fn fire<K: HookKind<Subject = (), Verdict = ()>>(
    event: &K,
    hook: Hook,
) -> Result<Fired<K>, hook_sdk::DispatchError> {
    let registry = registry([hook]);
    registry.set_app(AppDef::new("app").hooks(["h"]));
    registry.scope(&AgentDef::new("a"), None).unwrap().fire(&cx(), event, ()).await
}

#[tokio::test(start_paused = true)]
async fn a_halt_without_a_turn_to_end_is_an_error() {
    let turn_end = TurnEnd::new(ExitReason::Error);
    for i in 0..3 {
        let over = fire(&turn_end, forms::<TurnEnd>("h").remove(i)).await.unwrap().report;
        let outside = fire(&Boot {}, forms::<Boot>("h").remove(i)).await.unwrap().report;
        for (kind, report) in [("turn_end", over), ("boot", outside)] {
            assert!(report.halt.is_none(), "{kind}: there is no turn to end");
            let [failure] = &report.failures[..] else { panic!("{kind}: {report:?}") };
            let expected =
                format!("it returned a `Halt` (enough), but there is no turn to end at `{kind}`; return another error");
            assert_eq!((failure.failure, &failure.cause), (FailureKind::Error, &expected));
            assert_eq!(report.record.as_ref().unwrap().runs[0].status, Status::Failed);
        }
        let required = forms::<TurnEnd>("h").remove(i).on_failure(OnFailure::Required);
        assert!(fire(&turn_end, required).await.is_err());
        let fallback = Hook::at::<TurnEnd>("other");
        let fallback = match i {
            0 => fallback.reader(|_, _, ()| Ends::Ok(())),
            _ => fallback.async_reader(|_, _, ()| later(1, Ends::Ok(()))),
        };
        let fell_back = fire(&turn_end, forms::<TurnEnd>("h").remove(i).fallback(&fallback)).await.unwrap();
        assert!(fell_back.report.failures[0].fell_back);
        // Within a turn, the halt ends the turn.
        let within = fire(&Seen { number: 1 }, forms::<Seen>("h").remove(i)).await.unwrap().report;
        assert!(within.halt.is_some() && within.failures.is_empty());
    }
}

/// A text outside a turn.
#[derive(Clone, Debug, HookKind)]
#[hook_kind(name = "loading", outside_turn, subject = String)]
struct Loading {}

type Loads = Result<(), Box<dyn std::error::Error + Send + Sync>>;

#[hook(kind = Loading)]
fn loads(text: &mut String) -> Loads {
    text.push('!');
    Err(Halt::new("enough").into())
}

#[hook(kind = Loading)]
async fn loads_later(text: &mut String) -> Loads {
    loads(text)
}

#[hook(kind = Loading, blocking)]
fn loads_blocking(text: &mut String) -> Loads {
    loads(text)
}

#[tokio::test]
async fn a_halt_in_an_error_without_a_turn_to_end_drops_what_the_hook_changed() {
    for hook in hooks![loads, loads_later, loads_blocking] {
        let registry = Registry::empty().with([hook]).unwrap();
        registry.set_app(AppDef::new("app").hooks([hook]));
        let set = registry.scope(&AgentDef::new("a"), None).unwrap();
        let fired = set.fire(&cx(), &Loading {}, "a text".to_owned()).await.unwrap();
        assert_eq!(fired.subject, "a text");
        assert!(fired.report.halt.is_none());
        assert_eq!(fired.report.failures[0].failure, FailureKind::Error);
    }
}

/// A gate with a verdict of the app.
#[derive(Clone, Debug, PartialEq, Verdict)]
enum Payment {
    #[verdict(neutral)]
    Unjudged,
    Allowed,
    #[verdict(deny)]
    Refused(hook_sdk::verdict::Denial),
}

#[derive(Debug, HookKind)]
#[hook_kind(name = "before_payment", subject = Trail, verdict = Payment)]
struct BeforePayment {}

#[tokio::test(start_paused = true)]
async fn a_halt_at_a_gate_denies_for_whoever_reads_only_the_verdict() {
    fn halts<T>() -> Result<T, Halt> {
        Err(Halt::new("enough"))
    }
    let forms = || {
        [
            Hook::at::<BeforePayment>("halts").reader(|_, _, _| halts::<Payment>()),
            Hook::at::<BeforePayment>("halts").writer(|_, _, _| halts::<Payment>()),
            Hook::at::<BeforePayment>("halts").replacer(|_, _, trail: Trail| (trail, Halt::new("enough"))),
            Hook::at::<BeforePayment>("halts").async_reader(|_, _, _| later(1, halts::<Payment>())),
            Hook::at::<BeforePayment>("halts").async_replacer(|_, _, _: Trail| later(1, halts::<Trail>())),
        ]
    };
    for (form, hook) in forms().into_iter().enumerate() {
        let before = Hook::at::<BeforePayment>("before").reader(|_, _, _| Payment::Allowed).priority(-1);
        let after = Hook::at::<BeforePayment>("after").writer(|_, _, trail| trail.0.push("after")).priority(1);
        let fired = set([before, hook, after]).fire(&cx(), &BeforePayment {}, Trail::default()).await.unwrap();
        let Payment::Refused(denial) = &fired.verdict else { panic!("{form}: {:?}", fired.verdict) };
        assert_eq!(
            (denial.reason.as_str(), denial.by.as_ref().map(hook_sdk::HookId::as_str)),
            ("enough", Some("halts")),
            "{form}"
        );
        assert_eq!(fired.report.halt.as_ref().map(|halt| halt.reason.as_str()), Some("enough"), "{form}");
        assert!(fired.subject.0.is_empty(), "{form}: a hook after the halt ran");
    }
    // A shadow hook has no effect.
    for hook in forms() {
        let fired = set([hook.mode(hook_sdk::hook::HookMode::Shadow)])
            .fire(&cx(), &BeforePayment {}, Trail::default())
            .await
            .unwrap();
        assert_eq!((fired.verdict, fired.report.halt.clone()), (Payment::Unjudged, None));
    }
}
