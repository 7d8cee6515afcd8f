//! The name of an event on the command line. Completion offers the known names.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};
use hooks_rules::Event;

/// Accepts any text, so that an unknown name can be answered with a suggestion.
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
