//! What executions of `build-helper-maven-plugin` add to a build. It only reads paths from the POM, so it need not run.

use super::pom::XmlElement;
use super::pom_model::PomModel;

/// Returns the elements at a path in the configurations of all executions of a goal.
pub(crate) fn configured_elements<'a>(
    model: &'a PomModel,
    goal: &str,
    path: &[&str],
) -> Vec<&'a XmlElement> {
    let has_goal = |execution: &&XmlElement| {
        execution.find_all(&["goals", "goal"]).iter().any(|one| one.text == goal)
    };
    let executions = model.executions("build-helper-maven-plugin").into_iter().filter(has_goal);
    let configurations = executions.filter_map(|execution| execution.child("configuration"));
    configurations.flat_map(|configuration| configuration.find_all(path)).collect()
}

/// Returns the source folders that `add-source` or `add-test-source` adds.
pub(crate) fn source_folders(model: &PomModel, goal: &str) -> Vec<String> {
    let sources = configured_elements(model, goal, &["sources", "source"]);
    sources.into_iter().map(|source| model.interpolate(&source.text)).collect()
}
