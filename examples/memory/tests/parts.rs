//! The parts that the hooks use: the notes, the rules, the worker.
#![allow(clippy::unwrap_used, reason = "tests unwrap to assert")]

use std::collections::BTreeSet;
use std::fs;

use crate::support::{keep, notes};
use memory::extract::{self, facts};
use memory::fact::{Fact, slug, words};
use memory::hooks::EXTRACT;
use memory::store::{Store, StoreError};
use memory::topics::topics;
use memory::worker::{JobError, Worker};
use serde_json::json;

fn keys(facts: &[Fact]) -> Vec<&str> {
    facts.iter().map(|fact| fact.key.as_str()).collect()
}

#[test]
fn statements_of_a_person_about_themselves_are_facts() {
    for (said, expected) in [
        ("My dog is called Nori.", &["dog = The person's dog is called Nori."][..]),
        (
            "hello, my name is Ada and I live in Ghent",
            &["name = The person is called Ada.", "home = The person lives in Ghent."],
        ),
        (
            "I’m allergic to nuts; I like tea!",
            &["allergic_to_nuts = The person is allergic to nuts.", "likes_tea = The person likes tea."],
        ),
        ("Is my dog is called Nori?", &[]),
        ("Forget that my dog is called Nori.", &[]),
        ("Don't forget that my dog is called Nori.", &["dog = The person's dog is called Nori."]),
        ("The enemy is near, army is on its way", &[]),
        ("My guess about the man next door is bad.", &[]),
        ("My is .", &[]),
        ("İ my café is Ünlü", &["café = The person's café is Ünlü."]),
        ("", &[]),
    ] {
        let found: Vec<_> = facts(said, "t").iter().map(|fact| format!("{} = {}", fact.key, fact.text)).collect();
        assert_eq!(found, expected, "{said}");
    }
    let many: Vec<_> = (0..100).map(|number| format!("My thing{number} is red.")).collect();
    assert_eq!(facts(&many.join(" "), "t").len(), extract::FACTS);
}

#[test]
fn words_topics_and_keys_are_derived_from_text() {
    assert_eq!(
        words("What is the DOG'S name, and my Café?"),
        BTreeSet::from(["café", "dog", "name"].map(str::to_owned))
    );
    assert_eq!(topics("Cook for the cat"), BTreeSet::from(["food", "pets"].map(str::to_owned)));
    assert_eq!(slug("  The Spare-Key! "), "the_spare_key");
    assert_eq!(slug(&"abc ".repeat(40)).chars().count(), 40 - 1);
    assert_eq!(Fact::new("?!", "text", "t"), None);
    assert_eq!(Fact::new("key", " \n ", "t"), None);
}

#[test]
fn a_replaced_or_deleted_fact_is_no_longer_found() {
    let (_folder, store) = notes();
    keep(&store, "pet", "A dog called Nori.");
    keep(&store, "pet", "A cat called Miso.");
    let on = |topic: &str| store.on(&BTreeSet::from([topic.to_owned()]), 9).unwrap().len();
    assert_eq!(keys(&store.about(&words("dog Nori"), 9).unwrap()), [""; 0]);
    assert_eq!((keys(&store.about(&words("Miso"), 9).unwrap()), on("pets")), (vec!["pet"], 1));
    assert_eq!(store.update(|notes| notes.forget("pet")).unwrap().unwrap().text, "A cat called Miso.");
    assert_eq!((store.about(&words("pet Miso"), 9).unwrap(), on("pets"), store.count().unwrap()), (vec![], 0, 0));
    assert_eq!(store.update(|notes| notes.forget("pet")).unwrap(), None);
}

#[test]
fn a_change_that_fails_is_undone() {
    let (folder, store) = notes();
    let (one, other) = (Fact::new("one", "1", "t").unwrap(), folder.path().join("other"));
    let failed = store.update(|notes| {
        notes.keep(&one)?;
        Store::open(&other.join("nowhere")).map(drop)
    });
    assert!(matches!(failed, Err(StoreError::Open { .. })), "{failed:?}");
    assert_eq!(store.get("one").unwrap(), None);
}

#[test]
fn a_file_that_contains_no_notes_is_rejected_and_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("letter.txt");
    fs::write(&file, "Dear Ada,".repeat(1_000)).unwrap();
    let error = Store::open(&file).unwrap_err().to_string();
    assert!(error.contains("letter.txt: the notes cannot be opened: "), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "Dear Ada,".repeat(1_000));
}

#[tokio::test]
async fn a_worker_runs_its_jobs_and_rejects_others() {
    let (_folder, store) = notes();
    let worker = Worker::start(store.clone());
    let input = json!({ "said": "My dog is called Nori.", "turn": "s1:1" });
    assert_eq!(keys(&worker.hand(EXTRACT, &input).unwrap().done().await.unwrap()), ["dog"]);
    assert!(matches!(worker.hand("send.mail", &input), Err(JobError::Unknown(job)) if job == "send.mail"));
    for input in [json!(null), json!({ "said": 1, "turn": "" }), json!({ "said": "", "turn": "", "to": "" })] {
        assert!(matches!(worker.hand(EXTRACT, &input), Err(JobError::Input(_))), "{input}");
    }
    worker.close().await;
    assert_eq!(store.count().unwrap(), 1);
}

#[tokio::test]
async fn a_full_queue_rejects_new_jobs_and_runs_the_accepted_ones() {
    let (_folder, store) = notes();
    let worker = Worker::start(store.clone());
    let mut taken = 0;
    // While the notes are locked, the worker cannot finish a job.
    store
        .update(|_| {
            let full = loop {
                let input = json!({ "said": format!("My thing{taken} is red."), "turn": "s1:1" });
                match worker.hand(EXTRACT, &input) {
                    Ok(_) => taken += 1,
                    Err(error) => break error,
                }
            };
            assert!(matches!(full, JobError::Full), "{full}");
            Ok(())
        })
        .unwrap();
    assert!((64..=65).contains(&taken), "{taken}");
    worker.close().await;
    assert_eq!(store.count().unwrap(), taken);
}
