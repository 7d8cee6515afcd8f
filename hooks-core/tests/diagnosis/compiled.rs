//! What does not compile. Shows the first lines of the compiler messages that `hooks-derive-tests` checks.

use crate::Way;

/// The first message of a program that must not compile, without its `error` prefix.
fn first(program: &str) -> String {
    let file = format!("{}/../hooks-derive-tests/tests/ui/fail/{program}.stderr", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let line = text.lines().find(|line| line.starts_with("error")).unwrap();
    line.split_once(": ").unwrap().1.replace("evaluation panicked: ", "")
}

pub(crate) fn ways() -> Vec<Way> {
    [
        ("its kind is misspelt", "kind_unknown"),
        ("its kind is written with the name that another system uses", "kind_elsewhere"),
        ("an option is misspelt", "option_unknown"),
        ("another hook has its id (with `setup!()`)", "duplicate_ids"),
        ("`hooks![…]` misspells its name", "hooks_list"),
        ("it filters by a field that the kind does not have", "filter"),
        ("its kind ignores what it returns", "return_verdict"),
        ("it should decide, but runs detached", "run_returns"),
        ("`fires![…]` names something that is not a kind", "fires_no_kind"),
    ]
    .map(|(because, program)| Way::new(because, "the compiler", first(program)))
    .into()
}
