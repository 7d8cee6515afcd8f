//! Extracts facts from messages of a person. A real app would ask a model; this one uses a few rules.

use crate::fact::Fact;

/// The maximum number of facts per prompt.
pub const FACTS: usize = 8;

/// The beginning of a sentence that contains a fact, the beginning of its note, and its key. Without a key, the words
/// of the note are the key, so that there can be several.
const RULES: &[(&str, &str, Option<&str>)] = &[
    ("my name is ", "The person is called ", Some("name")),
    ("i live in ", "The person lives in ", Some("home")),
    ("i work as ", "The person works as ", Some("work")),
    ("i am allergic to ", "The person is allergic to ", None),
    ("i'm allergic to ", "The person is allergic to ", None),
    ("i like ", "The person likes ", None),
    ("i prefer ", "The person prefers ", None),
];

/// The facts in `said`, a message of `turn`. Questions contain none, and neither do requests to forget something.
pub fn facts(said: &str, turn: &str) -> Vec<Fact> {
    let said = said.replace('’', "'");
    let sentences = said.split_inclusive(['.', '!', '?', '\n', ';']).filter(|sentence| tells(sentence));
    // In "…, and I live in Ghent", the second clause is a sentence of its own.
    let clauses = sentences.flat_map(|sentence| sentence.split(" and ").flat_map(|clause| clause.split(", ")));
    clauses.filter_map(|clause| fact(clause.trim_end_matches(['.', '!', ';', '\n', ',']), turn)).take(FACTS).collect()
}

fn tells(sentence: &str) -> bool {
    let lower = sentence.to_ascii_lowercase();
    let forgets = lower.contains("forget") && !lower.contains("n't forget") && !lower.contains("not forget");
    !forgets && !lower.ends_with('?')
}

fn fact(clause: &str, turn: &str) -> Option<Fact> {
    // Lower-casing ASCII does not change the positions.
    let lower = clause.to_ascii_lowercase();
    for (lead, note, key) in RULES {
        if let Some(rest) = find(&lower, lead).and_then(|at| clause.get(at + lead.len()..)) {
            let text = format!("{note}{rest}.");
            let words = text.trim_start_matches("The person ").trim_start_matches("is ");
            return Fact::new(key.unwrap_or(words), &text, turn);
        }
    }
    owned(clause, &lower, turn)
}

/// "My dog is called Nori": something that the person owns.
fn owned(clause: &str, lower: &str, turn: &str) -> Option<Fact> {
    let from = find(lower, "my ")? + "my ".len();
    let verb = from + lower.get(from..)?.find(" is ")?;
    let (thing, rest) = (clause.get(from..verb)?, clause.get(verb..)?);
    // "my guess about the man next door is …" does not contain a fact.
    (thing.split(' ').count() <= 3).then(|| Fact::new(thing, &format!("The person's {thing}{rest}."), turn))?
}

/// The position of `lead` in `text`, as whole words.
fn find(text: &str, lead: &str) -> Option<usize> {
    let begins = |at: usize| !text.get(..at).is_some_and(|before| before.ends_with(char::is_alphanumeric));
    text.match_indices(lead).map(|(at, _)| at).find(|at| begins(*at))
}
