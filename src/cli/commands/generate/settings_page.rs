//! Generates the guide page of the settings.

use super::line_wrapping::wrap;
use crate::cli::settings;
use serde_json::Value;
use std::fmt::Write as _;

const PAGE_INTRODUCTION: &str = "# Settings\n\n`.git-mend.toml` at the repository's root sets defaults for everyone who works on \
    the repository. Options on the command\nline override it. Paths are relative to the folder of the file. An unknown \
    key is an error that names the nearest known\nkey.\n\nEditors with TOML support complete and check the file with the \
    schema in\n[git-mend.schema.json](git-mend.schema.json), which `git mend generate schema` prints.\n";

/// Returns the page: each key with its description and an example, tables last.
pub(super) fn markdown() -> String {
    let schema = settings::settings_schema();
    let mut page = PAGE_INTRODUCTION.to_owned();
    let (tables, keys): (Vec<_>, Vec<_>) = schema_properties(schema.as_value())
        .partition(|(_, about)| about.get("properties").is_some());
    for (key, about) in keys {
        let _ = write!(
            page,
            "\n## `{key}`\n\n{}\n\n```toml\n{key} = {}\n```\n",
            describe_property(about),
            format_example(about)
        );
    }
    for (name, table) in tables {
        let _ = write!(page, "\n## Table `[{name}]`\n\n{}\n", describe_property(table));
        for (key, about) in self::schema_properties(table) {
            let example = format!("[{name}]\n{key} = {}", format_example(about));
            let _ = write!(
                page,
                "\n### `{key}`\n\n{}\n\n```toml\n{example}\n```\n",
                describe_property(about)
            );
        }
    }
    page
}

fn schema_properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// Returns the description, the possible values, the default and the overriding option of a key.
fn describe_property(property: &Value) -> String {
    let text = property.get("description").and_then(Value::as_str).unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let choices = property.get("enum").and_then(Value::as_array);
    let choices: Vec<String> =
        choices.into_iter().flatten().map(|one| format!("`{one}`")).collect();
    let choices =
        if choices.is_empty() { String::new() } else { format!(" One of {}.", choices.join(", ")) };
    let default =
        property.get("default").filter(|default| default.is_boolean() || default.get(0).is_some());
    let default = default.map_or(String::new(), |default| format!(" Default: `{default}`."));
    let description = match text.rsplit_once("; ") {
        Some((meaning, option)) => {
            format!("{meaning}.{choices}{default} On the command line: {option}.")
        }
        None => format!("{}.{choices}{default}", text.trim_end_matches('.')),
    };
    wrap(&description, "")
}

/// Returns an example value.
fn format_example(property: &Value) -> String {
    let examples = property.get("examples").and_then(Value::as_array);
    let example = examples.and_then(|examples| examples.first()).cloned();
    // The example of a boolean is the opposite of its default.
    let inverted_default =
        property.get("default").and_then(Value::as_bool).map(|usual| Value::Bool(!usual));
    example.or(inverted_default).map_or_else(|| "true".to_owned(), |example| format_toml(&example))
}

/// Formats a value. JSON texts, numbers and lists are also valid TOML.
fn format_toml(value: &Value) -> String {
    let Value::Object(fields) = value else { return value.to_string() };
    let field = |(key, value): (&String, &Value)| format!("{key} = {}", format_toml(value));
    format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
}
