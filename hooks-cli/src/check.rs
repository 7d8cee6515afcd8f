use std::fmt::Write as _;

use hooks_rules::Severity;
use serde_json::json;

use crate::args::{CheckArgs, Format};
use crate::ci_formats;
use crate::confidence::Confidence;
use crate::diagnostics::{self, Diagnostic, count};
use crate::exit::Exit;
use crate::inputs::{RuleInputs, usage_error};
use crate::output::{Output, json};
use crate::program::Program;
use crate::style::{BAD, DOUBTFUL, FAINT, GOOD, styled};

/// Reports every defect of the files.
pub(crate) fn check(program: &Program, args: &CheckArgs, as_json: bool) -> Output {
    let inputs = match RuleInputs::read(&args.files, &Confidence::By(None)) {
        Ok(inputs) if inputs.is_empty() => {
            return usage_error(
                "there are no settings and no plugins here; name the files, as in `hooks check hooks.json`",
            );
        }
        Ok(inputs) => inputs,
        Err(output) => return output,
    };
    let rules = inputs.rules();
    let mut diagnostics = inputs.diagnostics(program, &rules);
    diagnostics.extend(rules.inspect().into_iter().map(Diagnostic::from));
    if !program.tools.is_empty() {
        diagnostics.extend(rules.audit(&program.tools).into_iter().map(Diagnostic::from));
    }
    let number_of = |severity| diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    let (errors, warnings, hints) =
        (number_of(Severity::Error), number_of(Severity::Warning), number_of(Severity::Hint));
    let faulty = errors > 0 || (args.strict && warnings > 0);
    let exit = if faulty { Exit::FAILURE } else { Exit::SUCCESS };
    let number = rules.list().len();
    match args.format {
        Format::Github => return Output::new(ci_formats::github(&diagnostics), exit),
        Format::Sarif => return Output::new(json(ci_formats::sarif(&diagnostics)), exit),
        Format::Json | Format::Text => {}
    }
    if as_json || args.format == Format::Json {
        let report = json!({
            "version": 1, "files": inputs.count(), "rules": number, "errors": errors, "warnings": warnings, "hints": hints, "defects": diagnostics,
        });
        return Output::new(json(report), exit);
    }
    let mut out = diagnostics::all(&diagnostics);
    if !out.is_empty() {
        out.push_str("\n\n");
    }
    out.push_str(&summary(errors, warnings, hints));
    let _ = write!(out, "; {} in {}", count(number, "rule"), count(inputs.count(), "file"));
    Output::new(out, exit)
}

fn summary(errors: usize, warnings: usize, hints: usize) -> String {
    let parts = [(errors, "error", BAD), (warnings, "warning", DOUBTFUL), (hints, "hint", FAINT)];
    let parts = parts.into_iter().filter(|(number, _, _)| *number > 0);
    let counted = parts.map(|(number, what, style)| styled(style, count(number, what)));
    let fine = (errors + warnings == 0).then(|| styled(GOOD, "no errors or warnings"));
    fine.into_iter().chain(counted).collect::<Vec<_>>().join(", ")
}
