//! The settings: for editors as a schema, for people as a page of the guide.

use crate::cli::settings;
use crate::model::Result;
use anyhow::Context as _;
use serde_json::Value;
use std::fmt::Write as _;

const HEAD: &str = "# Settings\n\n`.git-mend.toml` at the repository's root sets defaults for everybody who works on it; options win \
    over it. Paths are meant\nfrom where the file is. A key that is not known is refused, and the nearest one is named.\n\n\
    An editor that knows TOML completes and checks the file with the schema in\n[git-mend.schema.json](git-mend.schema.json), \
    which `git mend generate schema` prints.\n";

/// As JSON Schema.
pub(super) fn schema() -> Result<String> {
    Ok(serde_json::to_string_pretty(&settings::schema()).context("writing the schema")? + "\n")
}

/// The page: for each key an example, and what it means.
pub(super) fn markdown() -> String {
    let schema = settings::schema();
    let keys = schema.get("properties").and_then(Value::as_object);
    let mut page = HEAD.to_owned();
    for (key, about) in keys.into_iter().flatten() {
        let _ = write!(
            page,
            "\n## `{key}`\n\n{}\n\n```toml\n{key} = {}\n```\n",
            meaning(about),
            example(about)
        );
    }
    page
}

/// The meaning, and the option that wins over it.
fn meaning(about: &Value) -> String {
    let text = about.get("description").and_then(Value::as_str).unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let choices = about.get("enum").and_then(Value::as_array);
    let choices: Vec<String> =
        choices.into_iter().flatten().map(|one| format!("`{one}`")).collect();
    let choices =
        if choices.is_empty() { String::new() } else { format!(" One of {}.", choices.join(", ")) };
    match text.rsplit_once("; ") {
        Some((meaning, option)) => format!("{meaning}.{choices} On the command line: {option}."),
        None => format!("{text}.{choices}"),
    }
}

/// JSON's texts, numbers and lists are TOML's as well.
fn example(about: &Value) -> String {
    let examples = about.get("examples").and_then(Value::as_array);
    let example = examples.and_then(|examples| examples.first());
    example.or(about.get("default")).map_or_else(|| "true".to_owned(), Value::to_string)
}
