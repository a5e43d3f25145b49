//! Descriptions of the tools, with their schemas and annotations.

use crate::answer::Answer;
use crate::arguments::{
    CancelArguments, ExplainChangeArguments, ExploreSchedulesArguments, FindCulpritArguments,
    MinimisePatchArguments, RunTestArguments, StatusArguments, ValidatePatchesArguments,
};
use crate::results::StatusResult;
use crate::results::change::ChangeResult;
use crate::results::culprit::CulpritResult;
use crate::results::minimised::MinimisedResult;
use crate::results::patches::PatchesResult;
use crate::results::schedules::SchedulesResult;
use crate::results::tests::TestsResult;
use crate::tool_name::ToolName;
use rmcp::handler::server::tool::{schema_for_output, schema_for_type};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde_json::Value;
use std::sync::Arc;

/// Instructions for the client's model about all tools.
pub(crate) const INSTRUCTIONS: &str = "Tools for failing Java tests. They build and test versions of the project in scratch \
    folders and never change the work tree, index, branches or stash. Use find_culprit for a test that passed in an earlier \
    revision, explore_schedules for a test that fails only sometimes or uses threads, and validate_patches before you \
    propose a patch: it also reports patches that edit tests. A call returns within 45 seconds; if its state is `running`, \
    ask again with status and the run folder of the answer. `version` is HEAD unless given; `.` is the work tree with \
    uncommitted changes.";

/// Returns the description of a tool. `allows_commands` is true if a tool may run any command.
pub(crate) fn describe_tool(tool: ToolName, allows_commands: bool) -> Tool {
    let description = match tool {
        ToolName::RunTest => define::<RunTestArguments, TestsResult>(tool),
        ToolName::FindCulprit => define::<FindCulpritArguments, CulpritResult>(tool),
        ToolName::ExplainChange => define::<ExplainChangeArguments, ChangeResult>(tool),
        ToolName::ValidatePatches => define::<ValidatePatchesArguments, PatchesResult>(tool),
        ToolName::ExploreSchedules => define::<ExploreSchedulesArguments, SchedulesResult>(tool),
        ToolName::MinimisePatch => define::<MinimisePatchArguments, MinimisedResult>(tool),
        ToolName::Status => define::<StatusArguments, StatusResult>(tool),
        ToolName::Cancel => define::<CancelArguments, StatusResult>(tool),
    };
    description.with_annotations(annotations(tool, allows_commands))
}

/// Returns the title and the description of a tool.
fn title_and_description(tool: ToolName) -> (&'static str, &'static str) {
    match tool {
        ToolName::RunTest => (
            "Run tests",
            "Runs tests on one version and returns the failures with messages and stack traces. With `repeat`, shows \
             whether they are flaky.",
        ),
        ToolName::FindCulprit => (
            "Find the culprit of a failing test",
            "Finds the commit that broke a test, the minimal culprit in it (usually a few tokens), and a minimal fix, both \
             verified on a clean checkout. Needs a revision where the test passes, or looks for one.",
        ),
        ToolName::ExplainChange => (
            "Explain a change",
            "Splits the change between two versions into components, hunks that compile only together, and separates \
             refactorings from changes of behaviour. Runs no test.",
        ),
        ToolName::ValidatePatches => (
            "Validate patches",
            "Judges patches from any source: which failing tests each one fixes, which tests it breaks, whether it builds, \
             hangs, edits tests or is racy, and which part is superfluous. A plausible patch is verified in a clean build \
             and a fresh JVM. Edits of tests never count: the tests of the version are used.",
        ),
        ToolName::ExploreSchedules => (
            "Explore thread schedules",
            "Runs a test under many controlled thread schedules: finds races, deadlocks and lost signals, and a schedule to \
             replay. With `patch`, checks a patch for a concurrency bug and says how certain the result is.",
        ),
        ToolName::MinimisePatch => (
            "Minimise a patch",
            "Removes every part of a patch that is not needed to fix the failing tests, and verifies the rest.",
        ),
        ToolName::Status => (
            "Show a run",
            "Shows the progress or the result of a run, also of one that another server or the command line started. \
             Without `run`, lists the newest runs.",
        ),
        ToolName::Cancel => (
            "Cancel a run",
            "Stops a run and ends all its processes. Its folder stays. The tools with the argument `resume` can continue it.",
        ),
    }
}

fn define<Arguments: JsonSchema + 'static, Output: JsonSchema + 'static>(tool: ToolName) -> Tool {
    let (title, description) = title_and_description(tool);
    Tool::new(tool.as_str(), description, input_schema::<Arguments>())
        .with_title(title)
        .with_raw_output_schema(simplify(&schema_for_output::<Answer<Output>>()))
}

/// Removes what clients do not need or do not know from a schema: default values of null, and the formats of Rust's
/// integers.
fn simplify(schema: &Arc<JsonObject>) -> Arc<JsonObject> {
    fn simplify_value(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|key, field| match (key.as_str(), &*field) {
                    ("default", Value::Null) => false,
                    ("format", Value::String(format)) => !format.contains("int"),
                    _ => true,
                });
                fields.values_mut().for_each(simplify_value);
            }
            Value::Array(items) => items.iter_mut().for_each(simplify_value),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut value = Value::Object(schema.as_ref().clone());
    simplify_value(&mut value);
    match value {
        Value::Object(simplified) => Arc::new(simplified),
        _ => Arc::clone(schema),
    }
}

/// Returns the schema of arguments, which has no other keys.
fn input_schema<Arguments: JsonSchema + 'static>() -> Arc<JsonObject> {
    let mut schema = simplify(&schema_for_type::<Arguments>()).as_ref().clone();
    for name in ["title", "description"] {
        schema.remove(name);
    }
    schema.insert("additionalProperties".to_owned(), false.into());
    Arc::new(schema)
}

/// Returns the annotations of a tool, all explicit. Only `cancel` changes anything but run folders, and a tool that runs
/// any command may change everything. A build may download libraries, so tools that build are open to the world.
fn annotations(tool: ToolName, allows_commands: bool) -> ToolAnnotations {
    let runs_command = tool == ToolName::FindCulprit && allows_commands;
    let builds = !matches!(tool, ToolName::Status | ToolName::Cancel);
    ToolAnnotations::new()
        .read_only(tool != ToolName::Cancel && !runs_command)
        .destructive(runs_command)
        .idempotent(!runs_command)
        .open_world(builds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_explicit_annotations_and_both_schemas() {
        for name in ToolName::ALL {
            let tool = describe_tool(name, false);
            let hints = tool.annotations.unwrap();
            assert!(hints.read_only_hint.is_some() && hints.destructive_hint.is_some());
            assert!(hints.idempotent_hint.is_some() && hints.open_world_hint.is_some());
            assert_eq!(tool.input_schema["additionalProperties"], false, "{}", tool.name);
            let schemas =
                serde_json::to_string(&(&tool.input_schema, &tool.output_schema)).unwrap();
            assert!(!schemas.contains("\"format\"") && !schemas.contains("\"default\":null"));
            assert_eq!(tool.output_schema.unwrap()["type"], "object", "{}", tool.name);
        }
    }

    #[test]
    fn tool_that_runs_commands_is_not_read_only() {
        let hints = describe_tool(ToolName::FindCulprit, true).annotations.unwrap();
        assert_eq!((hints.read_only_hint, hints.destructive_hint), (Some(false), Some(true)));
        let hints = describe_tool(ToolName::RunTest, true).annotations.unwrap();
        assert_eq!((hints.read_only_hint, hints.destructive_hint), (Some(true), Some(false)));
    }

    #[test]
    fn every_argument_has_a_description() {
        for name in ToolName::ALL {
            let tool = describe_tool(name, false);
            for (key, property) in tool.input_schema["properties"].as_object().unwrap() {
                let description = property["description"].as_str().unwrap_or_default();
                assert!(description.len() > 8, "{}: {key}: {property}", tool.name);
            }
        }
    }
}
