//! Schemas of GitHub's description, made into such as a validator of JSON Schema takes, and as strict as they mean.

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

const PREFIX: &str = "#/components/schemas/";

/// Takes the schemas that others refer to by name.
pub(super) type Named<'a> = &'a BTreeMap<String, Value>;

/// A validator of what a schema says.
pub(super) fn validator(
    schema: &Value,
    named: Named<'_>,
    reading: Strictness,
) -> jsonschema::Validator {
    let mut making = SchemaConverter { reading, wanted: BTreeSet::new() };
    let mut whole = making.converted(schema, true);
    let mut made: Map<String, Value> = Map::new();
    while let Some(name) = making.wanted.iter().find(|name| !made.contains_key(*name)).cloned() {
        // What is a part of something else must leave room for the rest of it.
        let is_closed = !name.ends_with('*');
        let converted = making.converted(&named[name.trim_end_matches('*')], is_closed);
        made.insert(name, converted);
    }
    let definitions = Value::Object(made);
    if let Some(fields) = whole.as_object_mut() {
        fields.insert("$defs".to_owned(), definitions);
    }
    let options = jsonschema::options().should_validate_formats(true);
    options.with_draft(jsonschema::Draft::Draft202012).build(&whole).unwrap()
}

struct SchemaConverter {
    reading: Strictness,
    /// The named schemas that are referred to.
    wanted: BTreeSet<String>,
}

impl SchemaConverter {
    fn converted(&mut self, schema: &Value, is_closed: bool) -> Value {
        let Some(fields) = schema.as_object() else { return schema.clone() };
        if let Some(name) = fields.get("$ref").and_then(Value::as_str) {
            let star = if is_closed { "" } else { "*" };
            let name = format!("{}{star}", name.strip_prefix(PREFIX).unwrap());
            self.wanted.insert(name.clone());
            return json!({ "$ref": format!("#/$defs/{name}") });
        }
        let has_properties = fields.contains_key("properties");
        let is_joined = has_properties || fields.contains_key("allOf");
        let mut made = Map::new();
        for (key, value) in fields {
            self.keep(&mut made, key, value, is_closed && !is_joined);
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

    fn keep(&mut self, made: &mut Map<String, Value>, key: &str, value: &Value, is_closed: bool) {
        let is_partial = self.reading == Strictness::Partial;
        let (key, value) = match key {
            "required" if is_partial => return,
            "type" | "enum" | "required" | "pattern" | "format" | "minLength" | "maxLength"
            | "minItems" | "maxItems" | "minimum" | "maximum" | "minProperties"
            | "maxProperties" => (key, value.clone()),
            "properties" => (key, self.each(value)),
            "items" | "not" | "additionalProperties" => (key, self.converted(value, true)),
            // Without what is required, several may fit.
            "oneOf" if is_partial => ("anyOf", self.convert_all(value, is_closed)),
            "oneOf" | "anyOf" => (key, self.convert_all(value, is_closed)),
            "allOf" => (key, self.convert_all(value, false)),
            _ => return,
        };
        made.insert(key.to_owned(), value);
    }

    fn each(&mut self, properties: &Value) -> Value {
        let fields = properties.as_object().unwrap().iter();
        fields.map(|(name, inner)| (name.clone(), self.converted(inner, true))).collect()
    }

    fn convert_all(&mut self, schemas: &Value, is_closed: bool) -> Value {
        schemas.as_array().unwrap().iter().map(|one| self.converted(one, is_closed)).collect()
    }
}
