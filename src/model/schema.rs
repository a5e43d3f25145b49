//! Settings as a schema describes them: for editors, for the guide, and to know their keys.

use schemars::{JsonSchema, Schema, schema_for};
use serde_json::Value;

/// The JSON Schema of settings.
pub fn schema_of<T: JsonSchema>() -> Schema {
    let mut schema = schema_for!(T);
    let keys = schema.get_mut("properties").and_then(Value::as_object_mut);
    for key in keys.into_iter().flat_map(|keys| keys.values_mut()).filter_map(Value::as_object_mut)
    {
        // What is not set has no value, rather than one that TOML cannot write.
        key.retain(|name, value| name != "default" || !value.is_null());
    }
    schema
}

/// The keys that settings may have.
pub fn keys_of(schema: &Schema) -> Vec<String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(|properties| properties.keys().cloned()).collect()
}
