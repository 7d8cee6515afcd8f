//! The name of an event on the command line: any text, with the names that there are for completion.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};
use hooks_rules::Event;

/// Takes any text: what is no event gets an answer with the one that was likely meant.
#[derive(Clone, Debug)]
pub(crate) struct EventName;

impl TypedValueParser for EventName {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &std::ffi::OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Event::all().map(|event| PossibleValue::new(event.as_str()))))
    }
}
