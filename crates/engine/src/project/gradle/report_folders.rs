//! Folders of the test reports that Gradle scripts set.

use super::build_scripts::BuildScripts;
use super::script::GradleScript;
use crate::project::declared_report_folder::DeclaredReportFolder;
use std::path::Path;

/// Returns the report folders that the scripts of a project set. Those of the root script may apply to every module.
pub(in crate::project) fn read(root: &Path) -> Vec<DeclaredReportFolder> {
    let Some(scripts) = BuildScripts::read(root) else { return Vec::new() };
    let mut folders = Vec::new();
    for path in &scripts.module_paths {
        let module_script = scripts.read_module(path);
        let module = root.join(&module_script.folder);
        let mut values = module_script.variables;
        // The name is that of the test task.
        values.remove("name");
        let folder_values = [
            ("rootDir", root.display().to_string()),
            ("projectDir", module.display().to_string()),
            ("buildDir", module.join("build").display().to_string()),
        ];
        for (name, folder) in folder_values {
            values.entry(name.to_owned()).or_insert(folder);
        }
        let module_scripts: Vec<&GradleScript> =
            module_script.script.iter().chain([&scripts.root_script]).collect();
        let paths = module_scripts.into_iter().flat_map(|script| script.report_folders(&values));
        folders.extend(paths.map(|path| DeclaredReportFolder { module: module.clone(), path }));
    }
    folders
}
