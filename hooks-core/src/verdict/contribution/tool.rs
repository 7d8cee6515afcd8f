//! Declarations of tools by hooks.

use crate::tables::{conversions, setters};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The declaration of a harness's tool for the model. A name alone declares the tool as the harness does.
///
/// ```
/// use hook_sdk::prelude::*;
/// use hook_sdk::verdict::ToolDeclaration;
/// use serde_json::json;
///
/// #[hook(id = "small_refunds", kind = pre_tool_materialization)]
/// fn small_refunds() -> Contribution {
///     let schema = json!({"type": "object", "properties": {"cents": {"type": "integer", "maximum": 5000}}});
///     let refund = ToolDeclaration::new("refund_small").description("Refunds up to 50.").schema(schema).route("refund");
///     Contribution::tool_bundle("refunds", [refund])
/// }
/// ```
///
/// Hooks see a call of `refund_small` as a call of `refund`, the tool that runs, so that another name does not bypass a
/// guard. [`ToolCall::declared_as`](crate::data::ToolCall::declared_as) is the name that the model used. The schema
/// only tells the model what to write; it is not a guard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "DeclarationForm", into = "DeclarationForm")]
#[non_exhaustive]
pub struct ToolDeclaration {
    /// The name that the model uses.
    pub name: String,
    /// The description; the default is the harness's.
    pub description: Option<String>,
    /// The JSON Schema of the input; the default is the harness's.
    pub schema: Option<Value>,
    /// The harness's tool that runs; the default is the tool of the same name.
    pub route: Option<String>,
}

impl ToolDeclaration {
    /// Declares the tool `name` as the harness does.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), description: None, schema: None, route: None }
    }

    /// The harness's tool that runs.
    pub fn runs(&self) -> &str {
        self.route.as_deref().unwrap_or(&self.name)
    }

    /// Why the declaration is invalid.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        if self.name.trim().is_empty() || self.runs().trim().is_empty() {
            return Some("has no name");
        }
        let no_schema = self.schema.as_ref().is_some_and(|schema| !schema.is_object());
        no_schema.then_some("has a schema that is not an object")
    }
}

setters!(ToolDeclaration {
    /// Sets the description.
    description: impl Into<String> => Some,
    /// Sets the JSON Schema of the input, which must be an object.
    schema: Value => Some,
    /// The harness's tool that runs.
    route: impl Into<String> => Some,
});

conversions!(ToolDeclaration {
    DeclarationForm => |form| match form {
        DeclarationForm::Name(name) => Self::new(name),
        DeclarationForm::Fields { name, description, schema, route } => Self { name, description, schema, route },
    },
    &str => |name| Self::new(name),
    String => |name| Self::new(name),
});

/// The JSON form: a plain name if nothing else is set.
#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected the name of a tool, or an object with `name`, `description`, `schema` and `route`"
)]
enum DeclarationForm {
    Name(String),
    Fields {
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        schema: Option<Value>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        route: Option<String>,
    },
}

impl From<ToolDeclaration> for DeclarationForm {
    fn from(ToolDeclaration { name, description, schema, route }: ToolDeclaration) -> Self {
        if description.is_none() && schema.is_none() && route.is_none() {
            Self::Name(name)
        } else {
            Self::Fields { name, description, schema, route }
        }
    }
}
