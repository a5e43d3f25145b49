//! The settings: for editors as a schema, for people as a page of the guide.

use crate::cli::settings;
use crate::model::Result;
use anyhow::Context as _;
use serde_json::Value;
use std::fmt::Write as _;

const HEAD: &str = "# Settings\n\n`.git-mend.toml` at the repository's root sets defaults for everybody who works on it; \
    options win over it. Paths\nare meant from where the file is. A key that is not known is refused, and the nearest one \
    is named.\n\nAn editor that knows TOML completes and checks the file with the schema in\n\
    [git-mend.schema.json](git-mend.schema.json), which `git mend generate schema` prints.\n";

/// As JSON Schema.
pub(super) fn schema() -> Result<String> {
    Ok(serde_json::to_string_pretty(&settings::schema()).context("writing the schema")? + "\n")
}

/// The page: for each key an example, and what it means; tables after the keys of the file itself.
pub(super) fn markdown() -> String {
    let schema = settings::schema();
    let mut page = HEAD.to_owned();
    let (tables, keys): (Vec<_>, Vec<_>) =
        keys(schema.as_value()).partition(|(_, about)| about.get("properties").is_some());
    for (key, about) in keys {
        let _ = write!(
            page,
            "\n## `{key}`\n\n{}\n\n```toml\n{key} = {}\n```\n",
            meaning(about),
            example(about)
        );
    }
    for (name, table) in tables {
        let _ = write!(page, "\n## Table `[{name}]`\n\n{}\n", meaning(table));
        for (key, about) in self::keys(table) {
            let example = format!("[{name}]\n{key} = {}", example(about));
            let _ =
                write!(page, "\n### `{key}`\n\n{}\n\n```toml\n{example}\n```\n", meaning(about));
        }
    }
    page
}

fn keys(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// The meaning, what it may be, what it is unless it is set, and the option that wins over it.
fn meaning(about: &Value) -> String {
    let text = about.get("description").and_then(Value::as_str).unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let choices = about.get("enum").and_then(Value::as_array);
    let choices: Vec<String> =
        choices.into_iter().flatten().map(|one| format!("`{one}`")).collect();
    let choices =
        if choices.is_empty() { String::new() } else { format!(" One of {}.", choices.join(", ")) };
    let usual = about.get("default").filter(|usual| usual.is_boolean() || usual.get(0).is_some());
    let usual = usual.map_or(String::new(), |usual| format!(" Unless it is set: `{usual}`."));
    let told = match text.rsplit_once("; ") {
        Some((meaning, option)) => {
            format!("{meaning}.{choices}{usual} On the command line: {option}.")
        }
        None => format!("{}.{choices}{usual}", text.trim_end_matches('.')),
    };
    textwrap::fill(&told, super::WIDTH)
}

/// JSON's texts, numbers and lists are TOML's as well.
fn example(about: &Value) -> String {
    let examples = about.get("examples").and_then(Value::as_array);
    let example = examples.and_then(|examples| examples.first()).cloned();
    // Of what is on or off the other one is worth an example.
    let other = about.get("default").and_then(Value::as_bool).map(|usual| Value::Bool(!usual));
    example.or(other).map_or_else(|| "true".to_owned(), |example| example.to_string())
}
