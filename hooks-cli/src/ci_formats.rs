//! Formats diagnostics for other programs.

use hooks_rules::Severity;
use serde_json::{Value, json};

use crate::diagnostics::Diagnostic;

/// Annotations of a GitHub workflow, one per line.
pub(crate) fn github(diagnostics: &[Diagnostic]) -> String {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let line = |one: &Diagnostic| {
        let level = level(one.severity, "notice");
        let (file, text) = (property(&one.file), data(&format!("{}\n{}", one.problem, one.help)));
        format!("::{level} file={file},line={},col={},title=hooks check::{text}", one.line.max(1), one.column.max(1))
    };
    diagnostics.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// SARIF 2.1.0, which code scanning reads.
pub(crate) fn sarif(diagnostics: &[Diagnostic]) -> Value {
    let result = |one: &Diagnostic| {
        json!({
            "ruleId": "hooks-check",
            "level": level(one.severity, "note"),
            "message": { "text": format!("{}; {}", one.problem, one.help) },
            "locations": [{ "physicalLocation": {
                "artifactLocation": { "uri": one.file },
                "region": { "startLine": one.line.max(1), "startColumn": one.column.max(1) },
            }}],
        })
    };
    let driver = json!({
        "name": "hooks", "version": env!("CARGO_PKG_VERSION"),
        "rules": [{ "id": "hooks-check", "shortDescription": { "text": "Rules that do not work as written" } }],
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "results": diagnostics.iter().map(result).collect::<Vec<_>>() }],
    })
}

/// The word for a severity. The formats differ in that for the lowest one.
fn level(severity: Severity, lowest: &'static str) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        _ => lowest,
    }
}
