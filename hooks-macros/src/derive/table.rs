//! The options of `#[hook_kind]`. To add one, add a row here and in `options.md`, and its effect on the kind.

use proc_macro2::Span;
use syn::LitStr;

use super::constructor;
use super::model::{KindDefinition, MatchField};
use crate::errors::Errors;
use crate::hook;
use crate::names;
use crate::options::{self, Known, Value, Words, Written, names_of, options, without_spaces};
use crate::private::Core;

/// All options, in the order in which they are listed.
pub(crate) const OPTIONS: &[Known<KindDefinition>] = options! { |kind: &mut KindDefinition, option, errors|
    "name = \"before_refund\"", "id kind event" =>
        kind.name = name(option, errors);
    "subject = Refund", "input payload value data ty" =>
        kind.subject = option.parse(errors, "a type, such as `subject = Refund`");
    "verdict = Permission", "output returns decision result gate" =>
        kind.verdict = option.parse(errors, "a type, such as `verdict = Permission`");
    "removable", "optional nullable removal" =>
        kind.removable = place(option, errors);
    "match(region)", "filter filters fields matcher" =>
        kind.fields = fields(option, errors);
    "check = path", "validate validator invariant" =>
        kind.check = option.parse(errors, "the path of a function of the subject before and after");
    "outside_turn", "" =>
        kind.outside_turn = option.flag(errors);
    "turn_over", "" =>
        kind.turn_over = option.flag(errors);
    "on_failure = required", "on_error failure_policy" =>
        kind.on_failure = POLICIES.one(option, errors);
    "new(region)", "constructor builder setters" =>
        kind.takes = constructor::read(option, errors).map(|takes| (option.key.clone(), takes));
    "json", "serde serialize" =>
        kind.json = place(option, errors);
    "crate = ::my_hooks", "" =>
        kind.core = Core::read(option, errors);
};

/// Words that are not options of a kind, with their equivalents.
const NO_OPTIONS: &[(&str, &str)] = &[("description doc", "the doc comment of the type")];

/// The policies that a kind may set for its hooks. `deny` is the default of gates, and `remove` is up to each hook.
const POLICIES: Words = Words { of: "OnFailure", known: "continue required", elsewhere: &[("required", "abort fail")] };

/// Reports an unknown option, with its equivalent or the known options.
pub(super) fn unknown(option: &Written, errors: &mut Errors) {
    let name = &option.name();
    let known = options::elsewhere(OPTIONS, name).map(|known| format!("`{}`", known.write));
    let others =
        NO_OPTIONS.iter().find(|(others, _)| names::contains(others, name)).map(|(_, here)| (*here).to_owned());
    let problem = match known.or(others) {
        Some(here) => format!("here, `{name}` is {here}"),
        None => format!("there is no option `{name}`; {}", names::hint(name, names_of(OPTIONS))),
    };
    errors.at(option.key.span(), problem);
}

fn place(option: &Written, errors: &mut Errors) -> Option<Span> {
    option.flag(errors).then(|| option.key.span())
}

fn name(option: &Written, errors: &mut Errors) -> Option<LitStr> {
    let name = option.parse::<LitStr>(errors, "a string, such as `name = \"before_refund\"`")?;
    names::check("a kind's name", &name, errors);
    Some(name)
}

fn fields(option: &Written, errors: &mut Errors) -> Vec<MatchField> {
    let Value::Of(tokens) = &option.value else {
        errors.at(option.value_span(), "`match` takes fields in parentheses, such as `match(tool = call.name)`");
        return Vec::new();
    };
    let mut fields: Vec<MatchField> = Vec::new();
    for part in options::split_at_commas(tokens.clone()) {
        let Ok(field) = syn::parse2::<MatchField>(part.clone()) else {
            errors.on(&part, "`match` takes fields, such as `match(tool)` or `match(tool = call.name)`");
            continue;
        };
        let name = field.text();
        if names_of(hook::OPTIONS).any(|known| known == name) {
            let path = without_spaces(&field.path.to_string());
            errors.on(
                &field.name,
                format!(
                    "`{name}` is an option of every hook; give the field another word: `match(of_{name} = {})`",
                    path.trim_start_matches("r#")
                ),
            );
        } else if fields.iter().any(|other| other.text() == name) {
            errors.on(&field.name, format!("`{name}` appears twice; keep one"));
        }
        fields.push(field);
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::tests::{assert_answers, assert_documented};

    #[test]
    fn the_documentation_lists_every_option() {
        assert_documented(include_str!("options.md"), OPTIONS);
    }

    #[test]
    fn names_of_options_are_unambiguous_and_errors_contain_them() {
        assert_answers(OPTIONS, NO_OPTIONS, KindDefinition::default);
    }
}
