//! Promise 7: no hook can change an event, and all hooks of a dispatch get the same one.

use std::sync::{Arc, Mutex};

use super::support::*;

#[tokio::test(start_paused = true)]
async fn all_hooks_receive_the_same_event() {
    let seen: Arc<Mutex<Vec<usize>>> = Arc::default();
    let note = |seen: &Arc<Mutex<Vec<usize>>>, event: &Seen| {
        seen.lock().unwrap().push(std::ptr::from_ref(event) as usize);
    };
    let (a, b, c) = (Arc::clone(&seen), Arc::clone(&seen), Arc::clone(&seen));
    let set = set([
        Hook::at::<Seen>("a").reader(move |_, event, ()| note(&a, event)),
        Hook::at::<Seen>("b").async_reader(move |_, event, ()| {
            let seen = Arc::clone(&b);
            Box::pin(async move {
                later(1, ()).await;
                note(&seen, event);
            })
        }),
        Hook::at::<Seen>("fails").reader::<_, (), _>(|_, _, ()| panic!("oh")),
        Hook::at::<Seen>("c").async_reader(move |_, event, ()| {
            note(&c, event);
            later(1, ())
        }),
    ]);
    assert_eq!(Seen::SEMANTICS, Semantics::Event);
    let event = Seen { number: 7 };
    let fired = set.fire(&cx(), &event, ()).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [std::ptr::from_ref(&event) as usize; 3]);
    assert_eq!((event.number, fired.report.failures.len()), (7, 1));
}

#[test]
fn hooks_receive_the_stored_row_without_a_copy() {
    let row = Message::new(Role::User, "hello");
    let expected = row.clone();
    let reads = |id: &str| {
        let expected = expected.clone();
        Hook::at::<AfterCreateMessage>(id).reader(move |_, event, ()| {
            assert!(std::ptr::eq(&raw const *event.message, &raw const *expected), "no copy");
        })
    };
    let fired = set([reads("a"), reads("b")]).fire_blocking(&cx(), &AfterCreateMessage::new(row), ()).unwrap();
    assert!(fired.report.failures.is_empty(), "{:?}", fired.report.failures);
}
