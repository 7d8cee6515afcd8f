//! A rule: what happens with a call, depending on its arguments.

use std::cmp::Ordering;

use hook_sdk::data::json_type_name;
use hook_sdk::prelude::{Permission, ToolInput};
use hook_sdk::verdict::Question;
use serde_json::{Map, Number, Value, json};
use wildmatch::WildMatch;

use crate::fields::Field;
use crate::parameters::{Fields, unknown};

#[derive(Debug)]
pub(super) struct Rule {
    /// The call is denied if one of these holds.
    deny: Vec<(Field, Condition)>,
    /// A person is asked if one of these holds.
    ask: Vec<(Field, Condition)>,
    /// `allow`, `ask` or `deny`. `None`: no opinion. An allow would also be the person's, where a host asks one.
    otherwise: Option<&'static str>,
    reason: Option<String>,
    risk: Option<String>,
    choices: Vec<String>,
}

/// What a field is compared with, and whether the condition holds if it fits or if it does not.
#[derive(Debug)]
struct Condition {
    /// What it says: `above`, `is not`.
    word: String,
    test: Test,
    holds_if: bool,
}

#[derive(Debug)]
enum Test {
    Above(Number),
    Below(Number),
    OneOf(Vec<Value>),
    Matches(WildMatch),
}

const CONDITIONS: [&str; 10] =
    ["above", "at_most", "below", "at_least", "is", "is_not", "one_of", "not_one_of", "matches", "not_matches"];

impl Rule {
    /// Reads `"ask"`, or an object with conditions.
    pub(super) fn read(given: Value) -> Result<Self, String> {
        let mut fields = match given {
            Value::Object(fields) => Fields::new(fields),
            Value::String(word) => Fields::new(Map::from_iter([("else".to_owned(), word.into())])),
            other => {
                return Err(format!(
                    "expected `ask`, `deny`, `allow` or conditions, and found {}",
                    json_type_name(&other)
                ));
            }
        };
        let (deny, ask) = (conditions("deny", &mut fields), conditions("ask", &mut fields));
        // Without conditions, a rule with a reason alone asks.
        let decides = fields.has("else") || (deny.is_empty() && ask.is_empty());
        let otherwise = Some(fields.choice("else", ["ask", "allow", "deny"])).filter(|_| decides);
        let (reason, risk) = (fields.optional("reason"), fields.optional("risk"));
        let choices = fields.or("choices", Vec::new());
        fields.finish(Self { deny, ask, otherwise, reason, risk, choices })
    }

    /// A field that is missing or of another type is denied: nobody has to approve a call that cannot be judged.
    pub(super) fn judge(&self, tool: &str, input: &ToolInput) -> Permission {
        let mut asked = None;
        for (denies, conditions) in [(true, &self.deny), (false, &self.ask)] {
            for (field, condition) in conditions {
                match condition.holds(field, input) {
                    Err(expected) => return Permission::deny(expected),
                    Ok(Some(because)) if denies => return self.deny(&because),
                    Ok(because) => asked = asked.or(because),
                }
            }
        }
        match (asked, self.otherwise) {
            (Some(because), _) => self.ask(tool, &because, input),
            (None, None) => Permission::NoOpinion,
            (None, Some("allow")) => Permission::Allow,
            (None, Some("ask")) => self.ask(tool, "it needs approval", input),
            (None, Some(_)) => self.deny(&format!("`{tool}` may not be called")),
        }
    }

    fn deny(&self, because: &str) -> Permission {
        Permission::deny(self.reason.clone().unwrap_or_else(|| because.to_owned()))
    }

    fn ask(&self, tool: &str, because: &str, input: &ToolInput) -> Permission {
        let reason = self.reason.clone().unwrap_or_else(|| format!("`{tool}`: {because}"));
        let mut question = Question::new(reason).choices(self.choices.clone());
        question = question.details(json!({ "tool": tool, "because": because, "input": **input }));
        question.risk.clone_from(&self.risk);
        question.into()
    }
}

fn conditions(name: &'static str, fields: &mut Fields) -> Vec<(Field, Condition)> {
    let mut read = Vec::new();
    let Some(given) = fields.optional::<Map<String, Value>>(name) else { return read };
    if given.is_empty() {
        fields.problem(format_args!(r#"`{name}` holds conditions such as {{"/cents": {{"above": 5000}}}}"#));
    }
    for (name, given) in &given {
        let field = Field::parse(name);
        let Some(given) = given.as_object().filter(|given| !given.is_empty()) else {
            fields.problem(format_args!(r#"`{name}` holds a condition such as {{"above": 5000}}"#));
            continue;
        };
        for (word, value) in given {
            match Condition::read(word, value) {
                Ok(condition) => read.push((field.clone(), condition)),
                Err(problem) => fields.problem(format_args!("`{name}`: {problem}")),
            }
        }
    }
    read
}

impl Condition {
    fn read(word: &str, value: &Value) -> Result<Self, String> {
        let Some(place) = CONDITIONS.iter().position(|known| *known == word) else {
            return Err(unknown("condition", word, CONDITIONS.into_iter()));
        };
        let wrong = |expected: &str| format!("`{word}` takes {expected}, and not {}", json_type_name(value));
        let number = || value.as_number().cloned().ok_or_else(|| wrong("a number"));
        let test = match place / 2 {
            0 => Test::Above(number()?),
            1 => Test::Below(number()?),
            2 => Test::OneOf(vec![value.clone()]),
            3 => Test::OneOf(
                value.as_array().filter(|list| !list.is_empty()).cloned().ok_or_else(|| wrong("a list of values"))?,
            ),
            _ => Test::Matches(value.as_str().map(WildMatch::new).ok_or_else(|| wrong("a pattern"))?),
        };
        let said = format!("{} {value}", word.replace("not_matches", "does not match").replace('_', " "));
        let verb = if word.contains("matches") || word.starts_with("is") { "" } else { "is " };
        Ok(Self { word: format!("{verb}{said}"), test, holds_if: place % 2 == 0 })
    }

    /// Why the condition holds; `None` if it does not. With several values, it holds if it does for one of them.
    ///
    /// # Errors
    /// What was expected of the field.
    fn holds(&self, field: &Field, input: &Value) -> Result<Option<String>, String> {
        for value in field.values(input)? {
            let fits = self.test.fits(value).map_err(|expected| {
                format!("expected `{field}` to be {expected}, and found {}", json_type_name(value))
            })?;
            if fits == self.holds_if {
                return Ok(Some(format!("`{field}` {}", self.word)));
            }
        }
        Ok(None)
    }
}

impl Test {
    /// Whether a value fits.
    ///
    /// # Errors
    /// What was expected in its place.
    fn fits(&self, value: &Value) -> Result<bool, String> {
        let compared = |limit| value.as_number().map(|number| compare(number, limit)).ok_or("a number");
        match self {
            Self::Above(limit) => Ok(compared(limit)? == Ordering::Greater),
            Self::Below(limit) => Ok(compared(limit)? == Ordering::Less),
            Self::Matches(pattern) => Ok(pattern.matches(value.as_str().ok_or("a string")?)),
            Self::OneOf(others) => {
                let is_like = |other: &&Value| std::mem::discriminant(value) == std::mem::discriminant(*other);
                let mut like = others.iter().filter(is_like).peekable();
                like.peek().ok_or_else(|| format!("like one of {}", json!(others)))?;
                Ok(like.any(|other| match (value.as_number(), other.as_number()) {
                    (Some(number), Some(other)) => compare(number, other) == Ordering::Equal,
                    _ => value == other,
                }))
            }
        }
    }
}

/// Compares integers as integers: two ids of seventeen digits are one as floating-point numbers.
fn compare(one: &Number, other: &Number) -> Ordering {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => one.cmp(&other),
        // With 0.0 added, -0.0 is the same zero.
        _ => {
            let float = |number: &Number| number.as_f64().unwrap_or(f64::NAN) + 0.0;
            float(one).total_cmp(&float(other))
        }
    }
}
