//! Converts the schemas of GitHub's API description to JSON Schema, and makes them strict.

use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Strictness of a schema check.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strictness {
    /// Request: all required fields are present, and no unknown ones.
    Whole,
    /// Response of the fake: no unknown fields, and no fields of another type.
    Partial,
}

const SCHEMA_REFERENCE_PREFIX: &str = "#/components/schemas/";

/// Named schemas, to which other schemas refer.
pub(super) type Named<'a> = &'a BTreeMap<String, Value>;

/// Creates a validator of a schema.
pub(super) fn validator(
    schema: &Value,
    schemas: Named<'_>,
    strictness: Strictness,
) -> jsonschema::Validator {
    let mut converter = SchemaConverter { strictness, referenced_schemas: BTreeSet::new() };
    let mut converted_schema = converter.convert(schema, true);
    let mut converted_schemas: Map<String, Value> = Map::new();
    while let Some(name) = converter
        .referenced_schemas
        .iter()
        .find(|name| !converted_schemas.contains_key(*name))
        .cloned()
    {
        // A part of a composed schema must allow the fields of the other parts.
        let is_closed = !name.ends_with('*');
        let converted = converter.convert(&schemas[name.trim_end_matches('*')], is_closed);
        converted_schemas.insert(name, converted);
    }
    let definitions = Value::Object(converted_schemas);
    if let Some(fields) = converted_schema.as_object_mut() {
        fields.insert("$defs".to_owned(), definitions);
    }
    let options = jsonschema::options().should_validate_formats(true);
    options.with_draft(jsonschema::Draft::Draft202012).build(&converted_schema).unwrap()
}

struct SchemaConverter {
    strictness: Strictness,
    /// Names of the schemas that are referred to.
    referenced_schemas: BTreeSet<String>,
}

impl SchemaConverter {
    fn convert(&mut self, schema: &Value, is_closed: bool) -> Value {
        let Some(fields) = schema.as_object() else { return schema.clone() };
        if let Some(name) = fields.get("$ref").and_then(Value::as_str) {
            let star = if is_closed { "" } else { "*" };
            let name = format!("{}{star}", name.strip_prefix(SCHEMA_REFERENCE_PREFIX).unwrap());
            self.referenced_schemas.insert(name.clone());
            return json!({ "$ref": format!("#/$defs/{name}") });
        }
        let has_properties = fields.contains_key("properties");
        let is_joined = has_properties || fields.contains_key("allOf");
        let mut made = Map::new();
        for (key, value) in fields {
            self.convert_keyword(&mut made, key, value, is_closed && !is_joined);
        }
        if is_closed && is_joined && !fields.contains_key("additionalProperties") {
            made.insert("unevaluatedProperties".to_owned(), false.into());
        }
        let made = Value::Object(made);
        if fields.get("nullable") == Some(&Value::Bool(true)) {
            return json!({ "anyOf": [made, { "type": "null" }] });
        }
        made
    }

    fn convert_keyword(
        &mut self,
        made: &mut Map<String, Value>,
        key: &str,
        value: &Value,
        is_closed: bool,
    ) {
        let is_partial = self.strictness == Strictness::Partial;
        let (key, value) = match key {
            "required" if is_partial => return,
            "type" | "enum" | "required" | "pattern" | "format" | "minLength" | "maxLength"
            | "minItems" | "maxItems" | "minimum" | "maximum" | "minProperties"
            | "maxProperties" => (key, value.clone()),
            "properties" => (key, self.convert_properties(value)),
            "items" | "not" | "additionalProperties" => (key, self.convert(value, true)),
            // Without required fields, a value may match several alternatives.
            "oneOf" if is_partial => ("anyOf", self.convert_all(value, is_closed)),
            "oneOf" | "anyOf" => (key, self.convert_all(value, is_closed)),
            "allOf" => (key, self.convert_all(value, false)),
            _ => return,
        };
        made.insert(key.to_owned(), value);
    }

    fn convert_properties(&mut self, properties: &Value) -> Value {
        let fields = properties.as_object().unwrap().iter();
        fields.map(|(name, inner)| (name.clone(), self.convert(inner, true))).collect()
    }

    fn convert_all(&mut self, schemas: &Value, is_closed: bool) -> Value {
        schemas.as_array().unwrap().iter().map(|one| self.convert(one, is_closed)).collect()
    }
}
