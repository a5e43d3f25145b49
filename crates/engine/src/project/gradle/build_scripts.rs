//! Scripts of a Gradle build.

use super::script::GradleScript;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Scripts of a Gradle build, without those of its modules.
pub(super) struct BuildScripts<'a> {
    root: &'a Path,
    /// Build script of the root; empty if there is none.
    pub(super) root_script: GradleScript,
    /// Paths of the modules, such as `a:b`; the empty path is the root.
    pub(super) module_paths: Vec<String>,
    /// Variables of the root script and of `gradle.properties`.
    variables: BTreeMap<String, String>,
}

/// Script of a module.
pub(super) struct ModuleScript {
    /// Folder of the module, relative to the root.
    pub(super) folder: PathBuf,
    /// Build script; `None` for the root and for modules without one.
    pub(super) script: Option<GradleScript>,
    /// Variables of the script and of the root.
    pub(super) variables: BTreeMap<String, String>,
}

impl<'a> BuildScripts<'a> {
    /// Reads the scripts of the build in a folder; `None` if there is none.
    pub(super) fn read(root: &'a Path) -> Option<Self> {
        let root_script = read_script(root, "build");
        let settings = read_script(root, "settings");
        if root_script.is_none() && settings.is_none() {
            return None;
        }
        let mut module_paths = vec![String::new()];
        module_paths.extend(settings.iter().flat_map(GradleScript::included_projects));
        let root_script = root_script.unwrap_or_else(|| GradleScript::new(""));
        let properties =
            std::fs::read_to_string(root.join("gradle.properties")).unwrap_or_default();
        let mut variables = GradleScript::new(&properties).variables();
        variables.extend(root_script.variables());
        Some(Self { root, root_script, module_paths, variables })
    }

    /// Reads the script of the module with a path.
    pub(super) fn read_module(&self, path: &str) -> ModuleScript {
        let folder = PathBuf::from(path.replace(':', "/"));
        let script =
            if path.is_empty() { None } else { read_script(&self.root.join(&folder), "build") };
        let mut variables = self.variables.clone();
        variables.extend(script.iter().flat_map(GradleScript::variables));
        ModuleScript { folder, script, variables }
    }
}

fn read_script(folder: &Path, name: &str) -> Option<GradleScript> {
    let texts = [".gradle", ".gradle.kts"]
        .map(|end| std::fs::read_to_string(folder.join(format!("{name}{end}"))));
    texts.into_iter().flatten().next().map(|text| GradleScript::new(&text))
}
