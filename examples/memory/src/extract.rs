//! Facts in what a person says. An app with a model would ask it; here a few rules do.

use crate::fact::Fact;

/// Facts that one prompt may teach.
pub const FACTS: usize = 8;

/// How a sentence begins that tells a fact, how the note of it begins, and the key; where none is given, the words of the
/// note are the key, so that there may be several.
const RULES: &[(&str, &str, Option<&str>)] = &[
    ("my name is ", "The person is called ", Some("name")),
    ("i live in ", "The person lives in ", Some("home")),
    ("i work as ", "The person works as ", Some("work")),
    ("i am allergic to ", "The person is allergic to ", None),
    ("i'm allergic to ", "The person is allergic to ", None),
    ("i like ", "The person likes ", None),
    ("i prefer ", "The person prefers ", None),
];

/// The facts in `said`, which was said in `turn`. Questions tell none, nor does what is to be forgotten.
pub fn facts(said: &str, turn: &str) -> Vec<Fact> {
    let said = said.replace('’', "'");
    let sentences = said.split_inclusive(['.', '!', '?', '\n', ';']).filter(|sentence| tells(sentence));
    // "…, and I live in Ghent" is a sentence of its own.
    let clauses = sentences.flat_map(|sentence| sentence.split(" and ").flat_map(|clause| clause.split(", ")));
    clauses.filter_map(|clause| fact(clause.trim_end_matches(['.', '!', ';', '\n', ',']), turn)).take(FACTS).collect()
}

fn tells(sentence: &str) -> bool {
    let lower = sentence.to_ascii_lowercase();
    let forgets = lower.contains("forget") && !lower.contains("n't forget") && !lower.contains("not forget");
    !forgets && !lower.ends_with('?')
}

fn fact(clause: &str, turn: &str) -> Option<Fact> {
    // Lower-case letters of ASCII stand where the others stood.
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

/// "My dog is called Nori": whatever the person owns.
fn owned(clause: &str, lower: &str, turn: &str) -> Option<Fact> {
    let from = find(lower, "my ")? + "my ".len();
    let verb = from + lower.get(from..)?.find(" is ")?;
    let (thing, rest) = (clause.get(from..verb)?, clause.get(verb..)?);
    // "my guess about the man next door is …" names nothing.
    (thing.split(' ').count() <= 3).then(|| Fact::new(thing, &format!("The person's {thing}{rest}."), turn))?
}

/// Where `lead` stands in `text` as words of their own.
fn find(text: &str, lead: &str) -> Option<usize> {
    let begins = |at: usize| !text.get(..at).is_some_and(|before| before.ends_with(char::is_alphanumeric));
    text.match_indices(lead).map(|(at, _)| at).find(|at| begins(*at))
}
