//! Folders of the test reports that POMs set.

use super::pom_model::{PomCache, PomContext, PomModel};
use super::reader::collect_models;
use super::settings::MavenSettings;
use super::test_settings::SUREFIRE_PLUGIN;
use crate::Environment;
use crate::project::LocalRepositories;
use crate::project::declared_report_folder::DeclaredReportFolder;
use std::path::Path;

const FAILSAFE_PLUGIN: &str = "maven-failsafe-plugin";

/// Feature release for profiles that depend on the JDK. That of the builds is unknown.
const ASSUMED_JDK: u32 = 17;

/// Returns the report folders that the POMs of a project set.
pub(in crate::project) fn read(
    root: &Path,
    environment: &Environment,
) -> Vec<DeclaredReportFolder> {
    let context = PomContext {
        repositories: &LocalRepositories::from_environment(environment),
        settings: &MavenSettings::from_environment(environment).with_project_settings(root),
        jdk: ASSUMED_JDK,
        cache: &PomCache::default(),
    };
    let mut models = Vec::new();
    collect_models(&root.join("pom.xml"), context, &mut models);
    models.iter().flat_map(report_folders).collect()
}

/// Returns the report folders that a POM and its parents set.
fn report_folders(model: &PomModel) -> Vec<DeclaredReportFolder> {
    let plugins = [SUREFIRE_PLUGIN, FAILSAFE_PLUGIN].into_iter();
    let configurations = plugins.flat_map(|plugin| model.configurations(plugin));
    configurations
        .filter_map(|configuration| configuration.text_at(&["reportsDirectory"]))
        .map(|text| DeclaredReportFolder {
            module: model.folder.clone(),
            path: model.interpolate(text),
        })
        .collect()
}
