//! GitHub's `OpenAPI` description, and the validation of requests and responses against it.

use super::routes::{ROUTES, Route};
use super::schema::{Strictness, validator};
use jsonschema::Validator;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

/// Operation that the fake serves.
pub(super) struct Operation {
    pub(super) route: &'static Route,
    method: String,
    /// Segments of the path. `{…}` matches any segment.
    template: Vec<String>,
    /// Description of the operation.
    description: Value,
    parameters: Vec<Parameter>,
    body_validator: OnceLock<Option<Validator>>,
    /// Validators of the responses, by status.
    response_validators: Mutex<BTreeMap<u16, Arc<Validator>>>,
}

/// Parameter of an operation, in its path or query.
struct Parameter {
    description: Value,
    validator: OnceLock<Validator>,
}

/// Operations that the fake serves, and the schemas that they refer to.
pub(super) struct Description {
    operations: Vec<Operation>,
    schemas: BTreeMap<String, Value>,
}

/// API description, read once per process.
pub(super) static DESCRIPTION: LazyLock<Description> = LazyLock::new(Description::read);

impl Description {
    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let path = "tests/npm/node_modules/@octokit/openapi/generated/api.github.com.json";
        let text = std::fs::read_to_string(root.join(path));
        assert!(text.is_ok(), "{path} is missing: run scripts/setup");
        // `parse` is compiled with serde_json, which is optimised; `from_str` would be compiled with the tests.
        let mut document: Value = text.unwrap().parse().unwrap();
        let schemas = document["components"]["schemas"].as_object_mut().map(std::mem::take);
        let schemas = schemas.unwrap().into_iter().collect();
        let shared_parameters = document["components"]["parameters"].take();
        let paths = document["paths"].as_object().unwrap();
        let mut operations = Vec::new();
        for (path, methods) in paths {
            for (method, described) in methods.as_object().unwrap() {
                let name = &described["operationId"];
                if let Some(route) = ROUTES.iter().find(|route| name == route.operation) {
                    operations.push(Operation::new(
                        route,
                        method,
                        path,
                        described,
                        &shared_parameters,
                    ));
                }
            }
        }
        assert_eq!(operations.len(), ROUTES.len(), "an operation that GitHub does not have");
        Self { operations, schemas }
    }

    /// Returns the operation of a request, and its path parameters. If several match, the one with the fewest
    /// parameters is selected.
    pub(super) fn find(
        &self,
        method: &str,
        path: &str,
    ) -> Option<(&Operation, BTreeMap<String, String>)> {
        let of_method = self.operations.iter().filter(|one| one.method == method);
        let matching = of_method.filter_map(|one| Some((one, one.match_path(path)?)));
        matching.min_by_key(|(_, segments)| segments.len())
    }
}

impl Operation {
    fn new(
        route: &'static Route,
        method: &str,
        path: &str,
        described: &Value,
        shared: &Value,
    ) -> Self {
        let list = described["parameters"].as_array().cloned().unwrap_or_default();
        let resolved = |one: Value| match one["$ref"].as_str() {
            Some(name) => shared[name.rsplit('/').next().unwrap()].clone(),
            None => one,
        };
        Self {
            route,
            method: method.to_uppercase(),
            template: path.trim_start_matches('/').split('/').map(str::to_owned).collect(),
            description: described.clone(),
            parameters: list.into_iter().map(resolved).map(Parameter::new).collect(),
            body_validator: OnceLock::new(),
            response_validators: Mutex::default(),
        }
    }

    /// Returns the path parameters, if the path matches. Names of branches may contain slashes.
    fn match_path(&self, path: &str) -> Option<BTreeMap<String, String>> {
        let is_long = matches!(self.template.last()?.as_str(), "{ref}" | "{basehead}")
            && !self.template.contains(&"commits".to_owned());
        let count = self.template.len();
        let max_parts = if is_long { count } else { usize::MAX };
        let parts: Vec<&str> = path.trim_start_matches('/').splitn(max_parts, '/').collect();
        if parts.len() != count {
            return None;
        }
        let mut segments = BTreeMap::new();
        for (name, part) in self.template.iter().zip(parts) {
            match name.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
                Some(name) => {
                    segments.insert(name.to_owned(), unescape(part));
                }
                None if name != part => return None,
                None => {}
            }
        }
        Some(segments)
    }

    /// Returns the errors of an invalid request.
    pub(super) fn request_errors(
        &self,
        path: &BTreeMap<String, String>,
        query: &BTreeMap<String, String>,
        body: Option<&Value>,
    ) -> Vec<String> {
        let mut all = self.parameter_errors("path", path);
        all.extend(self.parameter_errors("query", query));
        all.extend(self.body_errors(body));
        all
    }

    fn parameter_errors(
        &self,
        location: &str,
        parameters: &BTreeMap<String, String>,
    ) -> Vec<String> {
        let mut all = Vec::new();
        for (name, text) in parameters {
            match self.parameters.iter().find(|one| one.is_named(location, name)) {
                None => all.push(format!("there is no {location} parameter `{name}`")),
                Some(one) => {
                    let value = parse_parameter(text, one.schema());
                    all.extend(validation_errors(one.validator(), &value, name));
                }
            }
        }
        all
    }

    fn body_errors(&self, body: Option<&Value>) -> Vec<String> {
        let described = &self.description["requestBody"];
        let create_validator = || {
            let schema = described.pointer("/content/application~1json/schema")?;
            Some(validator(schema, DESCRIPTION.schemas_by_name(), Strictness::Whole))
        };
        match (self.body_validator.get_or_init(create_validator), body) {
            (None, Some(_)) => vec!["this takes no body".to_owned()],
            (Some(validator), Some(body)) => validation_errors(validator, body, "body"),
            (_, None) if described["required"] == true => vec!["the body is missing".to_owned()],
            (_, None) => Vec::new(),
        }
    }

    /// Returns the errors of an invalid response of the fake. It may omit fields.
    pub(super) fn response_errors(&self, status: u16, body: &Value) -> Vec<String> {
        let described = &self.description["responses"][status.to_string()];
        if described.is_null() && status < 300 {
            return vec![format!("GitHub does not answer {status}")];
        }
        match described.pointer("/content/application~1json/schema") {
            Some(schema) if status < 300 => {
                validation_errors(&self.response_validator(status, schema), body, "answer")
            }
            _ => Vec::new(),
        }
    }

    fn response_validator(&self, status: u16, schema: &Value) -> Arc<Validator> {
        let mut validators = self.response_validators.lock().unwrap();
        let create_validator =
            || validator(schema, DESCRIPTION.schemas_by_name(), Strictness::Partial).into();
        Arc::clone(validators.entry(status).or_insert_with(create_validator))
    }
}

impl Parameter {
    fn new(description: Value) -> Self {
        Self { description, validator: OnceLock::new() }
    }

    fn is_named(&self, location: &str, name: &str) -> bool {
        self.description["in"] == location && self.description["name"] == name
    }

    fn schema(&self) -> &Value {
        &self.description["schema"]
    }

    fn validator(&self) -> &Validator {
        let create_validator =
            || validator(self.schema(), DESCRIPTION.schemas_by_name(), Strictness::Whole);
        self.validator.get_or_init(create_validator)
    }
}

impl Description {
    fn schemas_by_name(&self) -> &BTreeMap<String, Value> {
        &self.schemas
    }
}

fn validation_errors(validator: &Validator, value: &Value, subject: &str) -> Vec<String> {
    let all = validator.iter_errors(value);
    all.map(|error| format!("{subject}{}: {error}", error.instance_path())).collect()
}

/// Converts the text of a parameter to the type in its schema.
fn parse_parameter(text: &str, schema: &Value) -> Value {
    let typed_value = match schema["type"].as_str() {
        Some("integer" | "number" | "boolean") => serde_json::from_str(text).ok(),
        None if schema.get("oneOf").is_some() => text.parse::<u64>().ok().map(Value::from),
        _ => None,
    };
    typed_value.unwrap_or_else(|| Value::String(text.to_owned()))
}

/// Decodes the percent-encoding of a path segment.
pub(super) fn unescape(text: &str) -> String {
    let pair = format!("x={}", text.replace('+', "%2B"));
    let (_, value) = url::form_urlencoded::parse(pair.as_bytes()).next().unwrap();
    value.into_owned()
}
