//! A rule: what happens with a call, depending on its arguments.

use hook_sdk::data::json_type_name;
use hook_sdk::prelude::{Permission, ToolInput};
use hook_sdk::verdict::Question;
use serde_json::{Map, Value, json};
use wildmatch::WildMatch;

use crate::fields::Field;
use crate::parameters::unknown;

/// What happens with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Allow,
    Ask,
    Deny,
}

#[derive(Debug)]
pub(super) struct Rule {
    /// The call is denied if one of these holds.
    deny: Vec<(Field, Condition)>,
    /// A person is asked if one of these holds.
    ask: Vec<(Field, Condition)>,
    /// `None`: no opinion. An allow would also be the person's, where a host asks one.
    otherwise: Option<Answer>,
    reason: Option<String>,
    risk: Option<String>,
    choices: Vec<String>,
}

/// What a field is compared with.
#[derive(Debug)]
enum Condition {
    Above(f64),
    Below(f64),
    AtLeast(f64),
    AtMost(f64),
    Is(Value),
    IsNot(Value),
    OneOf(Vec<Value>),
    NotOneOf(Vec<Value>),
    Matches(WildMatch),
    NotMatches(WildMatch),
}

const CONDITIONS: [&str; 10] =
    ["above", "below", "at_least", "at_most", "is", "is_not", "one_of", "not_one_of", "matches", "not_matches"];
const ANSWERS: [&str; 3] = ["allow", "ask", "deny"];
const FIELDS: [&str; 6] = ["ask", "deny", "else", "reason", "risk", "choices"];

impl Rule {
    /// Reads `"ask"`, or an object with conditions.
    pub(super) fn read(given: Value) -> Result<Self, Vec<String>> {
        let mut problems = Vec::new();
        let rule = match given {
            Value::String(word) => Self::always(answer(&word, &mut problems)),
            Value::Object(fields) => Self::from_fields(&fields, &mut problems),
            other => {
                problems.push(format!(
                    "expected `ask`, `deny`, `allow` or conditions, and found {}",
                    json_type_name(&other)
                ));
                Self::always(Answer::Deny)
            }
        };
        if problems.is_empty() { Ok(rule) } else { Err(problems) }
    }

    fn always(otherwise: Answer) -> Self {
        Self {
            deny: Vec::new(),
            ask: Vec::new(),
            otherwise: Some(otherwise),
            reason: None,
            risk: None,
            choices: Vec::new(),
        }
    }

    fn from_fields(fields: &Map<String, Value>, problems: &mut Vec<String>) -> Self {
        for name in fields.keys().filter(|name| !FIELDS.contains(&name.as_str())) {
            problems.push(unknown("field", name, FIELDS.into_iter()));
        }
        let mut word = |name: &str| {
            let value = fields.get(name)?;
            let text = value.as_str().map(str::to_owned);
            if text.is_none() {
                problems.push(format!("`{name}` is a text, and not {}", json_type_name(value)));
            }
            text
        };
        let (reason, risk, otherwise) = (word("reason"), word("risk"), word("else"));
        let conditions = |name: &str, problems: &mut Vec<String>| match fields.get(name) {
            None => Vec::new(),
            Some(Value::Object(given)) if !given.is_empty() => conditions(given, problems),
            Some(_) => {
                problems.push(format!(r#"`{name}` holds conditions such as {{"/cents": {{"above": 5000}}}}"#));
                Vec::new()
            }
        };
        let (deny, ask) = (conditions("deny", problems), conditions("ask", problems));
        let choices = match fields.get("choices").map(|choices| serde_json::from_value(choices.clone())) {
            None => Vec::new(),
            Some(Ok(choices)) => choices,
            Some(Err(error)) => {
                problems.push(format!("`choices`: {error}"));
                Vec::new()
            }
        };
        let otherwise = match otherwise {
            Some(word) => Some(answer(&word, problems)),
            // Without conditions, a rule with a reason alone asks.
            None if deny.is_empty() && ask.is_empty() => Some(Answer::Ask),
            None => None,
        };
        Self { deny, ask, otherwise, reason, risk, choices }
    }

    /// A field that is missing or of another type is denied: nobody has to approve a call that cannot be judged.
    pub(super) fn judge(&self, tool: &str, input: &ToolInput) -> Permission {
        let mut asked = None;
        for (answer, conditions) in [(Answer::Deny, &self.deny), (Answer::Ask, &self.ask)] {
            for (field, condition) in conditions {
                match condition.holds(field, input) {
                    Err(expected) => return Permission::deny(expected),
                    Ok(None) => {}
                    Ok(Some(because)) if answer == Answer::Deny => return self.deny(&because),
                    Ok(Some(because)) => asked = asked.or(Some(because)),
                }
            }
        }
        match (asked, self.otherwise) {
            (Some(because), _) => self.ask(tool, &because, input),
            (None, None) => Permission::NoOpinion,
            (None, Some(Answer::Allow)) => Permission::allow(),
            (None, Some(Answer::Ask)) => self.ask(tool, "it needs approval", input),
            (None, Some(Answer::Deny)) => self.deny(&format!("`{tool}` may not be called")),
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

fn answer(word: &str, problems: &mut Vec<String>) -> Answer {
    match word {
        "allow" => Answer::Allow,
        "ask" => Answer::Ask,
        "deny" => Answer::Deny,
        other => {
            problems.push(unknown("answer", other, ANSWERS.into_iter()));
            Answer::Deny
        }
    }
}

fn conditions(given: &Map<String, Value>, problems: &mut Vec<String>) -> Vec<(Field, Condition)> {
    let mut read = Vec::new();
    for (name, given) in given {
        let field = Field::parse(name);
        let Some(given) = given.as_object().filter(|given| !given.is_empty()) else {
            problems.push(format!(r#"`{name}` holds a condition such as {{"above": 5000}}"#));
            continue;
        };
        for (word, value) in given {
            match Condition::read(word, value) {
                Ok(condition) => read.push((field.clone(), condition)),
                Err(problem) => problems.push(format!("`{name}`: {problem}")),
            }
        }
    }
    read
}

impl Condition {
    fn read(word: &str, value: &Value) -> Result<Self, String> {
        let wrong = |expected: &str| format!("`{word}` takes {expected}, and not {}", json_type_name(value));
        let number = || value.as_f64().ok_or_else(|| wrong("a number"));
        let list = || value.as_array().cloned().ok_or_else(|| wrong("a list"));
        let pattern = || value.as_str().map(WildMatch::new).ok_or_else(|| wrong("a pattern"));
        Ok(match word {
            "above" => Self::Above(number()?),
            "below" => Self::Below(number()?),
            "at_least" => Self::AtLeast(number()?),
            "at_most" => Self::AtMost(number()?),
            "is" => Self::Is(value.clone()),
            "is_not" => Self::IsNot(value.clone()),
            "one_of" => Self::OneOf(list()?),
            "not_one_of" => Self::NotOneOf(list()?),
            "matches" => Self::Matches(pattern()?),
            "not_matches" => Self::NotMatches(pattern()?),
            other => return Err(unknown("condition", other, CONDITIONS.into_iter())),
        })
    }

    /// Why the condition holds; `None` if it does not. With several values, it holds if it does for one of them.
    ///
    /// # Errors
    /// What was expected of the field.
    fn holds(&self, field: &Field, input: &Value) -> Result<Option<String>, String> {
        for value in field.values(input)? {
            if let Some(because) = self.holds_for(field, value)? {
                return Ok(Some(because));
            }
        }
        Ok(None)
    }

    fn holds_for(&self, field: &Field, value: &Value) -> Result<Option<String>, String> {
        let expected = |what: &str| format!("expected `{field}` to be {what}, and found {}", json_type_name(value));
        let number = || value.as_f64().ok_or_else(|| expected("a number"));
        let text = || value.as_str().ok_or_else(|| expected("a string"));
        let same = |other: &Value| {
            if std::mem::discriminant(value) != std::mem::discriminant(other) {
                return Err(expected(&format!("like {other}")));
            }
            Ok(value == other || (value.is_number() && value.as_f64() == other.as_f64()))
        };
        let among = |others: &[Value]| -> Result<bool, String> {
            let readable = others.iter().filter_map(|other| same(other).ok()).collect::<Vec<_>>();
            if readable.is_empty() {
                Err(expected(&format!("one of {}", json!(others))))
            } else {
                Ok(readable.contains(&true))
            }
        };
        let holds = |holds: bool, because: String| Ok(holds.then_some(because));
        match self {
            Self::Above(limit) => holds(number()? > *limit, format!("`{field}` is above {limit}")),
            Self::Below(limit) => holds(number()? < *limit, format!("`{field}` is below {limit}")),
            Self::AtLeast(limit) => holds(number()? >= *limit, format!("`{field}` is at least {limit}")),
            Self::AtMost(limit) => holds(number()? <= *limit, format!("`{field}` is at most {limit}")),
            Self::Is(other) => holds(same(other)?, format!("`{field}` is {other}")),
            Self::IsNot(other) => holds(!same(other)?, format!("`{field}` is not {other}")),
            Self::OneOf(others) => holds(among(others)?, format!("`{field}` is one of {}", json!(others))),
            Self::NotOneOf(others) => holds(!among(others)?, format!("`{field}` is none of {}", json!(others))),
            Self::Matches(pattern) => holds(pattern.matches(text()?), format!("`{field}` matches `{pattern}`")),
            Self::NotMatches(pattern) => {
                holds(!pattern.matches(text()?), format!("`{field}` does not match `{pattern}`"))
            }
        }
    }
}
