//! Checks the arguments of a call, and reports what is wrong with the nearest known name.

use mend_model::{Problem, keys_of, schema_of, suggest_name};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Invalid arguments of a call: a message and a help line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InvalidArguments {
    pub(crate) message: String,
    pub(crate) help: String,
}

impl InvalidArguments {
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }
}

impl From<Problem> for InvalidArguments {
    fn from(problem: Problem) -> Self {
        Self::new(problem.to_string(), problem.remedy())
    }
}

/// Parses the arguments of a call.
pub(crate) fn parse_arguments<T: DeserializeOwned + JsonSchema>(
    arguments: JsonObject,
) -> Result<T, InvalidArguments> {
    let known_keys = keys_of(&schema_of::<T>());
    let help = || format!("the arguments are {}", known_keys.join(", "));
    if let Some(key) = arguments.keys().find(|key| !known_keys.contains(key)) {
        let near = suggest_name(key, known_keys.iter().map(String::as_str));
        let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let shown: String = key.chars().take(60).collect();
        let message = format!("unknown argument `{}`{near}", shown.escape_debug());
        return Err(InvalidArguments::new(message, help()));
    }
    // A null is the same as an absent argument.
    let given = arguments.into_iter().filter(|(_, value)| !value.is_null()).collect();
    serde_json::from_value(Value::Object(given))
        .map_err(|error| InvalidArguments::new(shorten(&error.to_string()), help()))
}

/// Shortens a parser error, which quotes the input.
fn shorten(error: &str) -> String {
    let line = error.escape_debug().to_string();
    if line.chars().count() <= 200 {
        return line;
    }
    line.chars().take(200).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::RunTestArguments;
    use serde_json::json;

    fn error_of(arguments: &Value) -> InvalidArguments {
        let Value::Object(arguments) = arguments.clone() else { unreachable!() };
        parse_arguments::<RunTestArguments>(arguments).unwrap_err()
    }

    #[test]
    fn unknown_argument_gets_the_nearest_name() {
        let error = error_of(&json!({"tests": ["a.T"], "timeuot": "5s"}));
        assert_eq!(error.message, "unknown argument `timeuot`; did you mean `timeout`?");
        assert!(error.help.contains("wait_seconds"), "{}", error.help);
    }

    #[test]
    fn wrong_type_and_missing_argument_are_reported() {
        assert!(error_of(&json!({"tests": 7})).message.contains("invalid type: integer"));
        assert!(error_of(&json!({})).message.contains("missing field `tests`"));
        let long = error_of(&json!({"tests": "x".repeat(5000)}));
        assert!(long.message.len() < 300, "{}", long.message);
    }
}
