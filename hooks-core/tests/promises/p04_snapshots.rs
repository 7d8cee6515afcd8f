//! Promise 4: what a transaction allocates and clones.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::support::*;

/// The address of a history. It stays the same if nothing was copied.
fn address(messages: &Messages) -> *const Vec<Message> {
    std::ptr::from_ref(&**messages)
}

#[tokio::test(start_paused = true)]
async fn the_snapshot_of_an_untouched_history_does_not_copy_it() {
    let set = set((0..8).map(|i| {
        let id = format!("h{i}");
        match i % 3 {
            0 => Hook::at::<FilterMessages>(&id).writer(|_, _, messages| {
                messages.iter().filter(|message| message.role == Role::User).count();
            }),
            1 => Hook::at::<FilterMessages>(&id).replacer(|_, _, messages: Messages| messages),
            _ => Hook::at::<FilterMessages>(&id).async_replacer(|_, _, messages: Messages| later(1, messages)),
        }
    }));
    let history = Messages::from(vec![Message::new(Role::User, "hi"); 10_000]);
    let first = address(&history);
    let fired = set.fire(&HookContext::new(), &FilterMessages::new(), history).await.unwrap();
    assert_eq!(address(&fired.subject), first);
}

#[test]
fn the_snapshot_is_cloned_again_only_after_a_change_or_a_failure() {
    #[derive(Debug)]
    struct Counted(u32, Arc<AtomicUsize>);
    impl Clone for Counted {
        fn clone(&self) -> Self {
            self.1.fetch_add(1, Ordering::Relaxed);
            Self(self.0, Arc::clone(&self.1))
        }
    }
    impl PartialEq for Counted {
        fn eq(&self, other: &Self) -> bool {
            self.0 == other.0
        }
    }
    #[derive(Debug, HookKind)]
    #[hook_kind(name = "counted", subject = Counted)]
    struct CountedKind {}

    let table: [(&[i32], usize); 4] = [(&[0; 8], 1), (&[1; 8], 8), (&[0, 1, 0, 0], 2), (&[0, -1, 0], 2)];
    for (plan, clones) in table {
        let count = Arc::default();
        let set = set(plan.iter().enumerate().map(|(i, &what)| {
            Hook::at::<CountedKind>(&format!("h{i}")).writer(move |_, _, counted| {
                if what > 0 {
                    counted.0 += 1;
                }
                if what < 0 { Err(std::fmt::Error) } else { Ok(()) }
            })
        }));
        let _fired = set.fire_blocking(&HookContext::new(), &CountedKind {}, Counted(0, Arc::clone(&count))).unwrap();
        assert_eq!(count.load(Ordering::Relaxed), clones, "{plan:?}");
    }
}

#[test]
fn a_subject_in_an_arc_is_compared_by_address_if_its_content_is_eq() {
    static COMPARED: AtomicUsize = AtomicUsize::new(0);
    macro_rules! query {
        ($query:ident, $kind:ident, $name:literal $(, $eq:item)?) => {
            #[derive(Clone, Debug)]
            struct $query;
            impl PartialEq for $query {
                fn eq(&self, _: &Self) -> bool {
                    COMPARED.fetch_add(1, Ordering::Relaxed);
                    true
                }
            }
            $($eq)?
            #[derive(Debug, HookKind)]
            #[hook_kind(name = $name, subject = Arc<$query>)]
            struct $kind {}
        };
    }
    query!(Query, Search, "search", impl Eq for Query {});
    query!(Score, Rank, "rank");

    fn compared<K: HookKind<Subject = Arc<T>>, T: 'static>(event: &K, subject: T, run: fn(&mut Arc<T>)) -> usize {
        let writers = (0..8).map(|i| Hook::at::<K>(&format!("h{i}")).writer(move |_, _, value| run(value)));
        let before = COMPARED.load(Ordering::Relaxed);
        let _fired = set(writers).fire_blocking(&HookContext::new(), event, Arc::new(subject)).unwrap();
        COMPARED.load(Ordering::Relaxed) - before
    }
    assert_eq!(compared(&Search {}, Query, |_| ()), 0);
    assert_eq!(compared(&Rank {}, Score, |_| ()), 8);
    let touches = |query: &mut Arc<Query>| {
        Arc::make_mut(query);
    };
    assert_eq!(compared(&Search {}, Query, touches), 8, "a changed history has another address");
}
