//! Sources and resources that a build generated in a scratch copy of a tree.

use super::tool_report::ModuleOutputs;
use crate::jvm::java_program::create_folder;
use crate::project::placeholders::TREE_PLACEHOLDER;
use crate::project::unique::unique;
use crate::project::{Module, TestJvm};
use mend_model::{Problem, Result};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// Name of the folder of a copy. Gradle names a project after it, and accepts no name that starts with a dot.
pub(super) const COPY_FOLDER: &str = "project";

/// Copies a tree without git's data and build outputs, for a build to run in.
pub(super) fn copy_tree(tree: &Path, copy: &Path) -> Result<()> {
    let is_copied = |entry: &DirEntry| {
        entry.depth() == 0 || !(entry.file_name() == ".git" || entry.file_name() == "target")
    };
    for entry in WalkDir::new(tree).into_iter().filter_entry(is_copied).flatten() {
        let target = copy.join(entry.path().strip_prefix(tree).unwrap_or(entry.path()));
        let copied = if entry.file_type().is_dir() {
            std::fs::create_dir_all(&target)
        } else if entry.file_type().is_symlink() {
            std::fs::read_link(entry.path())
                .and_then(|link| std::os::unix::fs::symlink(link, &target))
        } else {
            std::fs::copy(entry.path(), &target).map(drop)
        };
        copied.map_err(|error| Problem::io(error, &target))?;
    }
    Ok(())
}

/// The scratch copy after the build, and the folder that keeps what it generated.
pub(super) struct GeneratedFiles<'a> {
    /// The tree as it was.
    pub(super) tree: &'a Path,
    /// The copy in which the build ran.
    pub(super) copy: &'a Path,
    /// Folder for the generated files.
    pub(super) kept: &'a Path,
    /// The same folder once it has its final name.
    pub(super) final_folder: &'a Path,
}

impl GeneratedFiles<'_> {
    /// Keeps what was generated for a module, whose paths are relative to the copy, and adds it to the module.
    pub(super) fn add_to(&self, module: Module, outputs: &ModuleOutputs) -> Result<Module> {
        let resources = [&module.resource_roots[..], &module.test_resource_roots].concat();
        let jvm_options = module.test_jvm.options.iter();
        let jvm_options = jvm_options
            .map(|option| self.keep_option_files(option, &[&outputs.main, &outputs.test]))
            .collect::<Result<_>>()?;
        let changed = outputs.has_changed_resources.then(|| self.keep_path(&outputs.main));
        let changed = changed.transpose()?.flatten();
        let main_output = match &changed {
            Some(_) => None,
            None => self.keep_output(&outputs.main, &resources)?,
        };
        let test_output = self.keep_output(&outputs.test, &resources)?;
        let with_generated = |folders: Vec<PathBuf>, output: Option<PathBuf>| {
            let build_folder = outputs.build_folder.as_os_str();
            let folders = folders.into_iter().map(|folder| self.keep_folder(folder, build_folder));
            let folders = folders.collect::<Result<Vec<_>>>()?;
            Ok::<_, Problem>(unique(folders.into_iter().flatten().chain(output)))
        };
        let resource_roots = with_generated(module.resource_roots, main_output)?;
        Ok(Module {
            main_roots: with_generated(module.main_roots, None)?,
            test_roots: with_generated(module.test_roots, None)?,
            // The first folder with a resource counts.
            resource_roots: changed.into_iter().chain(resource_roots).collect(),
            test_resource_roots: with_generated(module.test_resource_roots, test_output)?,
            test_jvm: TestJvm { options: jvm_options, ..module.test_jvm },
            ..module
        })
    }

    /// Keeps what the build added to a folder of sources or resources. Returns the folder if it is in the tree too, and
    /// the one with the additions. A folder that is the whole module also contains the outputs of the build.
    fn keep_folder(&self, folder: PathBuf, build_folder: &OsStr) -> Result<Vec<PathBuf>> {
        let is_in_build = |path: &Path| path.iter().any(|name| name == build_folder);
        let is_build_result = is_in_build(&folder);
        let is_new = |file: &Path| {
            (is_build_result || !is_in_build(file)) && !self.tree.join(&folder).join(file).exists()
        };
        let generated = self.keep_files(&folder, &folder, is_new)?;
        // Other trees with the same build may have a folder that this one lacks.
        let is_generated_only = generated.is_some() && !self.tree.join(&folder).is_dir();
        let original = (!is_generated_only).then_some(folder);
        Ok(original.into_iter().chain(generated).collect())
    }

    /// Keeps what the build wrote besides classes and copies of resources to its output folder.
    fn keep_output(&self, output: &Path, resources: &[PathBuf]) -> Result<Option<PathBuf>> {
        let is_resource =
            |file: &Path| resources.iter().any(|folder| self.copy.join(folder).join(file).exists());
        let is_class = |file: &Path| file.extension().is_some_and(|extension| extension == "class");
        self.keep_files(output, output, |file| !is_class(file) && !is_resource(file))
    }

    /// Keeps the modules and agents that the build made and an option of a JVM names. Returns the option with their new
    /// paths. Folders of classes are not kept: each variant has its own. Neither is what a system property or an `-X`
    /// option names: tests may write there.
    fn keep_option_files(&self, option: &str, class_folders: &[&Path]) -> Result<String> {
        if option.starts_with("-D") || option.starts_with("-X") {
            return Ok(option.to_owned());
        }
        let tree = format!("{TREE_PLACEHOLDER}/");
        let mut parts = option.split(&tree);
        let mut result = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (path, rest) = part.split_at(part.find([':', ',', ';', '=']).unwrap_or(part.len()));
            let is_kept = !self.tree.join(path).exists()
                && !class_folders
                    .iter()
                    .any(|folder| folder.starts_with(path) || Path::new(path).starts_with(folder));
            let kept = if is_kept { self.keep_path(Path::new(path))? } else { None };
            result += &kept.map_or_else(|| tree.clone() + path, |kept| path_text(&kept));
            result += rest;
        }
        Ok(result)
    }

    /// Copies a file or folder of the copy. Returns its new path if it exists.
    fn keep_path(&self, path: &Path) -> Result<Option<PathBuf>> {
        match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) if self.copy.join(path).is_file() => {
                let folder = self.keep_files(parent, parent, |file| file == Path::new(name))?;
                Ok(folder.map(|folder| folder.join(name)))
            }
            _ => self.keep_files(path, path, |_| true),
        }
    }

    /// Copies selected files of a folder of the copy. Returns the new folder, unless it is empty.
    fn keep_files(
        &self,
        folder: &Path,
        target: &Path,
        is_kept: impl Fn(&Path) -> bool,
    ) -> Result<Option<PathBuf>> {
        let source = self.copy.join(folder);
        let mut has_files = false;
        for entry in WalkDir::new(&source).into_iter().flatten() {
            let Ok(name) = entry.path().strip_prefix(&source) else { continue };
            if !entry.file_type().is_file() || !is_kept(name) {
                continue;
            }
            let copy = self.kept.join(target).join(name);
            create_folder(copy.parent().unwrap_or(&copy).to_owned())?;
            std::fs::copy(entry.path(), &copy).map_err(|error| Problem::io(error, &copy))?;
            has_files = true;
        }
        Ok(has_files.then(|| self.final_folder.join(target)))
    }
}

fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, file: &str) {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }

    #[test]
    fn generated_files_of_jvm_options_are_kept() {
        let [tree, copy, kept] = [(); 3].map(|()| tempfile::tempdir().unwrap());
        write(tree.path(), "etc/a.policy");
        for file in ["modules/a.jar", "modules/b/c.jar", "agent.jar", "classes/A.class"] {
            write(&copy.path().join("target"), file);
        }
        write(copy.path(), "etc/a.policy");
        let files = GeneratedFiles {
            tree: tree.path(),
            copy: copy.path(),
            kept: kept.path(),
            final_folder: Path::new("/kept"),
        };
        let keep = |option: &str| {
            let option = option.replace('@', TREE_PLACEHOLDER);
            let class_folders = [Path::new("target/classes")];
            let result = files.keep_option_files(&option, &class_folders).unwrap();
            result.replace(TREE_PLACEHOLDER, "@")
        };
        for (option, expected) in [
            ("@/target/modules", "/kept/target/modules"),
            ("@/target/absent:@/target/modules/b", "@/target/absent:/kept/target/modules/b"),
            ("-javaagent:@/target/agent.jar=a=@/b", "-javaagent:/kept/target/agent.jar=a=@/b"),
            (
                "a=@/target/classes,@/target,@/etc/a.policy",
                "a=@/target/classes,@/target,@/etc/a.policy",
            ),
            ("-Xlog:gc:@/target/agent.jar", "-Xlog:gc:@/target/agent.jar"),
            ("-Dscratch=@/target/modules", "-Dscratch=@/target/modules"),
        ] {
            assert_eq!(keep(option), expected);
        }
        assert!(kept.path().join("target/modules/b/c.jar").is_file());
        assert!(!kept.path().join("target/classes").exists());
    }

    #[test]
    fn only_generated_files_are_kept() {
        let [tree, copy, kept] = [(); 3].map(|()| tempfile::tempdir().unwrap());
        write(tree.path(), "src/main/java/A.java");
        write(tree.path(), "src/main/resources/a.txt");
        write(tree.path(), "target/old.txt");
        copy_tree(tree.path(), copy.path()).unwrap();
        assert!(!copy.path().join("target").exists());
        let generated =
            ["generated-sources/p/P.java", "classes/a.txt", "classes/A.class", "classes/zone.data"];
        for file in generated {
            write(&copy.path().join("target"), file);
        }
        let module = Module {
            main_roots: vec!["src/main/java".into(), "target/generated-sources/p".into()],
            resource_roots: ["src/main/resources", "src/main/absent", ""].map(PathBuf::from).into(),
            ..Module::default()
        };
        let outputs = ModuleOutputs {
            build_folder: "target".into(),
            main: "target/classes".into(),
            test: "target/test-classes".into(),
            has_changed_resources: false,
        };
        let final_folder = Path::new("/kept");
        let files = GeneratedFiles {
            tree: tree.path(),
            copy: copy.path(),
            kept: kept.path(),
            final_folder,
        };
        let module = files.add_to(module, &outputs).unwrap();
        let paths = |all: &[&str]| all.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(
            module.main_roots,
            paths(&["src/main/java", "/kept/target/generated-sources/p"])
        );
        let resources = ["src/main/resources", "src/main/absent", "", "/kept/target/classes"];
        assert_eq!(module.resource_roots, paths(&resources));
        let names: Vec<_> =
            std::fs::read_dir(kept.path().join("target/classes")).unwrap().collect();
        assert_eq!(names.len(), 1);
    }
}
