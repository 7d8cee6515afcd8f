//! A string: everything, a list of exact names, or a regular expression that can match anywhere.

use serde_json::Value;

use crate::event::Event;
use crate::json_type::json_type_name;
use crate::matcher::{BadMatcher, Form, expression};

pub(super) fn read(event: Event, written: &Value) -> Result<Form, BadMatcher> {
    // At an event without a field to match, every rule runs regardless of its matcher.
    if event.spec().matched.is_none() {
        return Ok(Form::All);
    }
    let Value::String(pattern) = written else {
        return Err(BadMatcher::new(
            format!("a matcher in nested groups is a string, not {}", json_type_name(written)),
            "write the names, as in `\"matcher\": \"Edit|Write\"`",
        ));
    };
    if matches!(pattern.as_str(), "" | "*") {
        return Ok(Form::All);
    }
    let narrow = matches!(event, Event::FileChanged | Event::StopFailure);
    let plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '|') || (!narrow && matches!(c, '-' | ' ' | ','));
    if pattern.chars().all(plain) {
        let names = pattern.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty());
        return Ok(Form::Exact(names.map(str::to_owned).collect()));
    }
    expression(pattern).map(Form::Expression)
}
