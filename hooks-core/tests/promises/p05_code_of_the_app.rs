//! Promise 5: a panic in code of the app that a dispatch calls between the hooks is contained too.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::support::*;

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_app_s_clone_eq_or_check_is_contained() {
    #[derive(Debug)]
    struct Touchy(&'static str);
    impl Clone for Touchy {
        fn clone(&self) -> Self {
            assert!(self.0 != "clone", "in clone");
            Self(self.0)
        }
    }
    impl PartialEq for Touchy {
        fn eq(&self, other: &Self) -> bool {
            assert!(self.0 != "compare", "in compare");
            self.0 == other.0
        }
    }
    fn check(before: &Touchy, _: &Touchy) -> Result<(), hook_sdk::Violation> {
        assert!(before.0 != "check", "in check");
        Ok(())
    }
    #[derive(Debug, HookKind)]
    #[hook_kind(name = "touchy", subject = Touchy, check = check)]
    struct TouchyKind {}

    let forms = || {
        [
            Hook::at::<TouchyKind>("lend").writer(|_, _, touchy| touchy.0 = "changed"),
            Hook::at::<TouchyKind>("own").replacer(|_, _, _: Touchy| Touchy("changed")),
            Hook::at::<TouchyKind>("now").async_replacer(|_, _, _: Touchy| later(0, Touchy("changed"))),
            Hook::at::<TouchyKind>("later").async_replacer(|_, _, _: Touchy| later(1, Touchy("changed"))),
        ]
    };
    for at in ["clone", "compare", "check"] {
        for hook in forms() {
            let fired = set([hook]).fire(&cx(), &TouchyKind {}, Touchy(at)).await.unwrap();
            assert_eq!(fired.subject.0, at);
            assert_eq!(fired.report.failures.len(), 1);
            assert_eq!(fired.report.failures[0].cause, format!("in {at}"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_app_s_verdict_is_contained() {
    #[derive(Clone, Debug, Default)]
    struct Bid(u32);
    impl From<()> for Bid {
        fn from((): ()) -> Self {
            Self(0)
        }
    }
    impl Verdict for Bid {
        const SEMANTICS: Option<Semantics> = Some(Semantics::Control);
        fn merge(&mut self, later: Self) {
            assert!(later.0 != 13, "no thirteen");
            self.0 = self.0.max(later.0);
        }
    }
    #[derive(Debug, HookKind)]
    #[hook_kind(name = "auction", verdict = Bid)]
    struct Auction {}

    let hooks = [
        Hook::at::<Auction>("bad").reader(|_, _, ()| Bid(13)),
        Hook::at::<Auction>("bad").async_reader(|_, _, ()| later(0, Bid(13))),
        Hook::at::<Auction>("bad").async_reader(|_, _, ()| later(1, Bid(13))),
        Hook::at::<Auction>("bad").async_replacer(|_, _, ()| later(1, ((), Bid(13)))),
    ];
    for bad in hooks {
        let good = Hook::at::<Auction>("good").reader(|_, _, ()| Bid(7));
        let fired = set([bad, good]).fire(&cx(), &Auction {}, ()).await.unwrap();
        assert_eq!((fired.verdict.0, fired.report.failures.len()), (7, 1));
        assert_eq!(fired.report.failures[0].cause, "no thirteen");
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_is_final_is_contained() {
    #[derive(Clone, Debug)]
    struct Asked(bool);
    impl From<()> for Asked {
        fn from((): ()) -> Self {
            Self(false)
        }
    }
    impl Verdict for Asked {
        const SEMANTICS: Option<Semantics> = Some(Semantics::Control);
        fn merge(&mut self, later: Self) {
            self.0 |= later.0;
        }
        fn is_final(&self) -> bool {
            assert!(!self.0, "no end");
            false
        }
    }
    #[derive(Debug, HookKind)]
    #[hook_kind(name = "asks_whether_final", verdict = Asked)]
    struct AsksWhetherFinal {}

    for turns in [0, 1] {
        let first = Hook::at::<AsksWhetherFinal>("first").async_reader(|_, _, ()| later(2, Asked(false)));
        let bad = Hook::at::<AsksWhetherFinal>("bad").async_reader(move |_, _, ()| later(turns, Asked(true)));
        let fired = set([first, bad]).fire(&cx(), &AsksWhetherFinal {}, ()).await.unwrap();
        assert_eq!(fired.report.failures.len(), 1);
        assert_eq!(fired.report.failures[0].cause, "no end");
    }
}

#[tokio::test(start_paused = true)]
async fn a_partially_changed_subject_may_panic_when_it_is_dropped() {
    #[derive(Debug, PartialEq)]
    struct Fuse(bool);
    impl Clone for Fuse {
        fn clone(&self) -> Self {
            Self(false)
        }
    }
    impl Drop for Fuse {
        fn drop(&mut self) {
            assert!(!self.0 || std::thread::panicking(), "in drop");
        }
    }
    #[derive(Debug, HookKind)]
    #[hook_kind(name = "fuse", subject = Fuse)]
    struct FuseKind {}

    let bad = Hook::at::<FuseKind>("bad").writer(|_, _, fuse| {
        fuse.0 = true;
        assert!(!fuse.0, "first");
    });
    let fired = set([bad]).fire(&cx(), &FuseKind {}, Fuse(false)).await.unwrap();
    assert_eq!(fired.report.failures[0].cause, "first");
}

#[test]
fn a_panic_in_an_observer_affects_no_hook_and_no_other_observer() {
    let registry = registry([writes("a")]);
    let heard = Arc::new(AtomicUsize::new(0));
    registry.observe(|_: &hook_sdk::record::Record| panic!("observer"));
    let count = Arc::clone(&heard);
    registry.observe(move |_: &hook_sdk::record::Record| {
        count.fetch_add(1, Ordering::SeqCst);
    });
    let set = registry.scope(&AgentDef::new("x").hooks(["a"]), None).unwrap();
    let fired = set.fire_blocking(&cx(), &step(), Trail::default()).unwrap();
    assert_eq!(fired.subject.unwrap().0, ["a"]);
    assert_eq!(heard.load(Ordering::SeqCst), 1);
}
