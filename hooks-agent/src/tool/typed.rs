use hook_sdk::HookContext;
use hook_sdk::data::{ToolInput, ToolResult};
use hook_sdk::hook::BoxFuture;
use hook_sdk::protocol::IntoToolResult;
use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;

use super::{AsyncTool, ToolSpec};

/// A tool whose input is a type: its schema is that of the type, and its description is the type's doc comment, unless
/// `spec` has one. An input that cannot be read is a failed call.
///
/// ```
/// use hook_sdk::prelude::*;
/// use hooks_agent::tool::{Tool, ToolSpec, typed};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// /// The weather of tomorrow in a city.
/// #[derive(Deserialize, JsonSchema)]
/// struct Forecast {
///     city: String,
/// }
///
/// let tool = typed(ToolSpec::new("forecast").parallel(), async |_cx, asked: Forecast| format!("{}: rain", asked.city));
/// assert_eq!(tool.spec().description, "The weather of tomorrow in a city.");
/// assert_eq!(tool.spec().schema["properties"]["city"]["type"], "string");
/// ```
pub fn typed<T, F, R>(
    spec: ToolSpec,
    run: F,
) -> AsyncTool<impl Fn(HookContext, ToolInput) -> BoxFuture<'static, ToolResult> + Send + Sync + 'static>
where
    T: JsonSchema + DeserializeOwned + 'static,
    F: Fn(HookContext, T) -> R + Send + Sync + 'static,
    R: Future<Output: IntoToolResult> + Send + 'static,
{
    AsyncTool::new(described::<T>(spec), move |cx, input: ToolInput| -> BoxFuture<'static, ToolResult> {
        match input.read::<T>() {
            Ok(input) => {
                let ran = run(cx, input);
                Box::pin(async move { ran.await.into_tool_result() })
            }
            Err(error) => {
                let error = ToolResult::error(error.to_string());
                Box::pin(async move { error })
            }
        }
    })
}

fn described<T: JsonSchema>(mut spec: ToolSpec) -> ToolSpec {
    let mut schema = SchemaGenerator::default().into_root_schema_for::<T>();
    for of_the_type in ["$schema", "title"] {
        schema.remove(of_the_type);
    }
    let description = schema.remove("description");
    if let (true, Some(text)) = (spec.description.is_empty(), description.as_ref().and_then(|text| text.as_str())) {
        text.clone_into(&mut spec.description);
    }
    spec.schema(schema.into())
}
