//! Recordings as OTLP/JSON, for those who have no provider: a file that a collector reads, or that is sent to `/v1/traces`.

mod ids;
mod recording;

use std::io::{self, Write};

use hooks_replay::RecordingLine;
use opentelemetry::trace::SpanKind;
use opentelemetry::{Array, KeyValue, StringValue, Value};
use serde_json::{Value as Json, json};

use crate::names::CONVENTIONS;
use ids::SpanIds;
use recording::{Recording, Span};

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OtlpExport {
    /// The number of spans.
    pub spans: usize,
    /// The number of turns, calls and dispatches that were left out, because the recording has no times of them.
    pub undated: usize,
}

/// Writes the turns, calls and dispatches of a recording as one line of OTLP/JSON, without payloads. A recording has no ids of
/// spans; they follow from the ids of turns, so a second export has the same.
///
/// # Errors
/// If writing fails.
pub fn write_otlp(lines: impl IntoIterator<Item = RecordingLine>, mut to: impl Write) -> io::Result<OtlpExport> {
    let recording = Recording::of(lines);
    let resource = json!({ "attributes": [attribute(&KeyValue::new("service.name", recording.program.clone()))] });
    let scope = json!({ "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION"),
        "attributes": [attribute(&KeyValue::new("conventions", CONVENTIONS))] });
    // Span by span, because a recording can be large.
    write!(to, r#"{{"resourceSpans":[{{"resource":{resource},"scopeSpans":[{{"scope":{scope},"spans":["#)?;
    let mut export = OtlpExport::default();
    recording.each(&mut |span, ids, parent, links| {
        if span.at == 0 {
            export.undated += 1;
            return Ok(());
        }
        if export.spans > 0 {
            to.write_all(b",")?;
        }
        export.spans += 1;
        Ok(serde_json::to_writer(&mut to, &written(span, ids, parent, links))?)
    })?;
    to.write_all(b"]}]}]}\n")?;
    to.flush()?;
    Ok(export)
}

fn written(span: &Span, ids: &SpanIds, parent: Option<&SpanIds>, links: &[SpanIds]) -> Json {
    let nanos = |micros: u64| (u128::from(micros) * 1_000).to_string();
    let mut json = json!({
        "traceId": ids.trace, "spanId": ids.span, "name": span.name,
        "kind": if span.kind == SpanKind::Client { 3 } else { 1 },
        "startTimeUnixNano": nanos(span.at), "endTimeUnixNano": nanos(span.at.saturating_add(span.micros)),
        "attributes": span.attributes.iter().map(attribute).collect::<Vec<_>>(),
    });
    if let Some(parent) = parent {
        json["parentSpanId"] = (*parent.span).into();
    }
    if let Some(error) = &span.error {
        json["status"] = json!({ "code": 2, "message": error });
    }
    if !links.is_empty() {
        json["links"] = links.iter().map(|ids| json!({ "traceId": ids.trace, "spanId": ids.span })).collect();
    }
    json
}

/// In the JSON of OTLP, integers are texts.
fn attribute(pair: &KeyValue) -> Json {
    let text = |text: &StringValue| json!({ "stringValue": text.as_str() });
    let value = match &pair.value {
        Value::Bool(is) => json!({ "boolValue": is }),
        Value::I64(number) => json!({ "intValue": number.to_string() }),
        Value::Array(Array::String(texts)) => {
            json!({ "arrayValue": { "values": texts.iter().map(text).collect::<Vec<_>>() } })
        }
        other => json!({ "stringValue": other.as_str() }),
    };
    json!({ "key": pair.key.as_str(), "value": value })
}
