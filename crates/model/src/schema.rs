//! JSON Schema of the settings: for editors, for the guide, and to check their keys.

use schemars::{JsonSchema, Schema, schema_for};
use serde_json::Value;

/// Returns the JSON Schema of settings.
pub fn schema_of<T: JsonSchema>() -> Schema {
    let mut schema = schema_for!(T);
    let keys = schema.get_mut("properties").and_then(Value::as_object_mut);
    for key in keys.into_iter().flat_map(|keys| keys.values_mut()).filter_map(Value::as_object_mut)
    {
        // TOML has no null: remove null defaults.
        key.retain(|name, value| name != "default" || !value.is_null());
    }
    schema
}

/// Returns the allowed keys of settings.
pub fn keys_of(schema: &Schema) -> Vec<String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(|properties| properties.keys().cloned()).collect()
}
