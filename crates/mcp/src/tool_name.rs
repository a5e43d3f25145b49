//! Names of the tools.

use mend_model::suggest_name;
use serde::{Deserialize, Serialize};

/// Tool of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToolName {
    /// Runs tests on one version.
    RunTest,
    /// Finds the culprit commit of a failing test.
    FindCulprit,
    /// Splits a change into components.
    ExplainChange,
    /// Validates patches.
    ValidatePatches,
    /// Runs tests under controlled thread schedules.
    ExploreSchedules,
    /// Minimises a patch.
    MinimisePatch,
    /// Shows a run.
    Status,
    /// Stops a run.
    Cancel,
}

impl ToolName {
    /// All tools, in the order of the list that clients see.
    pub(crate) const ALL: [Self; 8] = [
        Self::RunTest,
        Self::FindCulprit,
        Self::ExplainChange,
        Self::ValidatePatches,
        Self::ExploreSchedules,
        Self::MinimisePatch,
        Self::Status,
        Self::Cancel,
    ];

    /// Returns the name in the protocol.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::RunTest => "run_test",
            Self::FindCulprit => "find_culprit",
            Self::ExplainChange => "explain_change",
            Self::ValidatePatches => "validate_patches",
            Self::ExploreSchedules => "explore_schedules",
            Self::MinimisePatch => "minimise_patch",
            Self::Status => "status",
            Self::Cancel => "cancel",
        }
    }

    /// Returns the tool with this name, or an error message with the nearest name.
    pub(crate) fn parse(name: &str) -> Result<Self, String> {
        let names = || Self::ALL.map(Self::as_str);
        Self::ALL.into_iter().find(|tool| tool.as_str() == name).ok_or_else(|| {
            let near = suggest_name(name, names());
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            let shown: String = name.chars().take(60).collect();
            format!("there is no tool `{}`{near}", shown.escape_debug())
        })
    }

    /// Returns the tool that shows the runs of a command, if there is one.
    pub(crate) fn from_command(command: &str) -> Option<Self> {
        Some(match command {
            "test" => Self::RunTest,
            "bisect" => Self::FindCulprit,
            "validate" => Self::ValidatePatches,
            "explore" => Self::ExploreSchedules,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_found_by_its_name() {
        for tool in ToolName::ALL {
            assert_eq!(ToolName::parse(tool.as_str()), Ok(tool));
            assert_eq!(serde_json::to_value(tool).unwrap(), tool.as_str());
        }
    }

    #[test]
    fn unknown_tool_gets_the_nearest_name() {
        let message = ToolName::parse("validate_patch").unwrap_err();
        assert_eq!(message, "there is no tool `validate_patch`; did you mean `validate_patches`?");
        assert!(!ToolName::parse("zzzzz").unwrap_err().contains("did you mean"));
    }
}
