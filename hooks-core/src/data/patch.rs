use serde_json::Value;

/// Applies a partial change to a JSON object: absent keys keep their value, and `null` sets `null`.
///
/// The merge is one level deep: a value in `change` replaces the whole value in `base`. If either of them is not an
/// object, `change` replaces `base`.
///
/// ```
/// use hook_sdk::data::patch;
/// use serde_json::json;
///
/// let base = json!({"role": "user", "content": "hello", "name": "ada"});
/// let change = json!({"content": "hello there", "name": null});
/// assert_eq!(patch(base, change), json!({"role": "user", "content": "hello there", "name": null}));
/// ```
#[must_use]
pub fn patch(base: Value, change: Value) -> Value {
    match (base, change) {
        (Value::Object(mut base), Value::Object(change)) => {
            base.extend(change);
            Value::Object(base)
        }
        (_, change) => change,
    }
}
