//! Recordings as OTLP/JSON, for those who have no provider: a file that a collector reads, or that is sent to `/v1/traces`.

mod recording;

use std::io::{self, Write};
use std::time::Duration;

use hooks_replay::RecordingLine;
use opentelemetry::trace::SpanKind;
use opentelemetry::{Array, KeyValue, StringValue, Value};
use serde_json::{Value as Json, json};

use crate::names::CONVENTIONS;
use recording::{Recording, SpanIds};

use crate::told::Told;

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
        if span.at.is_zero() {
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

fn written(span: &Told, ids: &SpanIds, parent: Option<&SpanIds>, links: &[SpanIds]) -> Json {
    let nanos = |time: Duration| time.as_nanos().to_string();
    let mut json = json!({
        "traceId": ids.trace.to_string(), "spanId": ids.span.to_string(), "name": span.name,
        "kind": if span.kind == SpanKind::Client { 3 } else { 1 },
        "startTimeUnixNano": nanos(span.at), "endTimeUnixNano": nanos(span.at + span.took),
        "attributes": span.attributes.iter().map(attribute).collect::<Vec<_>>(),
    });
    if let Some(parent) = parent {
        json["parentSpanId"] = parent.span.to_string().into();
    }
    if let Some(error) = &span.error {
        json["status"] = json!({ "code": 2, "message": error.as_str() });
    }
    if !links.is_empty() {
        let link = |ids: &SpanIds| json!({ "traceId": ids.trace.to_string(), "spanId": ids.span.to_string() });
        json["links"] = links.iter().map(link).collect();
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
