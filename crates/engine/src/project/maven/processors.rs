//! Annotation processors configured in a POM.

use super::pom::XmlElement;
use super::pom_model::{COMPILER_PLUGIN, PomContext, PomModel};
use crate::compile::javac::join_class_path;
use crate::project::dependencies::dependency::Dependency;
use crate::project::dependencies::resolution::{self, ResolvedLibraries};
use std::path::PathBuf;

/// Annotation processors of a module.
#[derive(Debug, Default)]
pub(crate) struct ProcessorConfig {
    /// Compiler options.
    pub(crate) options: Vec<String>,
    /// Libraries of the processors.
    pub(crate) resolved: ResolvedLibraries,
}

/// Reads the processor path and the processors of a POM, and whether it disables processors.
pub(crate) fn read_processors(
    model: &PomModel,
    context: PomContext<'_>,
    managed: &[Dependency],
) -> ProcessorConfig {
    let paths = find_all(model, &["annotationProcessorPaths", "*"]).into_iter();
    let mut paths: Vec<_> = paths
        .filter_map(|path| Dependency::from_element(path, |text| model.interpolate(text)))
        .collect();
    for path in &mut paths {
        path.apply_managed(managed);
    }
    let resolved = if paths.is_empty() || is_processing_disabled(model) {
        ResolvedLibraries::default()
    } else {
        resolution::resolve(context, &paths, managed)
    };
    let options = processor_options(model, &resolved.class_path);
    ProcessorConfig { options, resolved }
}

/// Returns the compiler options for annotation processors on a path of their own; an empty path is the class path.
pub(crate) fn processor_options(model: &PomModel, path: &[PathBuf]) -> Vec<String> {
    if is_processing_disabled(model) {
        return vec!["-proc:none".to_owned()];
    }
    let mut options = Vec::new();
    let names = find_all(model, &["annotationProcessors", "annotationProcessor"]);
    if !names.is_empty() {
        let names: Vec<String> = names.iter().map(|name| model.interpolate(&name.text)).collect();
        options.extend(["-processor".to_owned(), names.join(",")]);
    }
    if !path.is_empty() {
        options.extend(["-processorpath".to_owned(), join_class_path(path)]);
    }
    options
}

fn is_processing_disabled(model: &PomModel) -> bool {
    let configured = find_all(model, &["proc"]).first().map(|one| model.interpolate(&one.text));
    configured.or_else(|| model.property("maven.compiler.proc")).as_deref() == Some("none")
}

/// Returns the elements at a path in the first configuration of the compiler that has any.
fn find_all<'a>(model: &'a PomModel, path: &[&str]) -> Vec<&'a XmlElement> {
    let configurations = model.configurations(COMPILER_PLUGIN).into_iter();
    let mut found = configurations.map(|configuration| configuration.find_all(path));
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::maven::pom_model::PomCache;
    use crate::{LocalRepositories, MavenSettings};
    use std::path::Path;

    fn read_configured(folder: &Path, configuration: &str) -> ProcessorConfig {
        let pom = format!(
            "<project><artifactId>a</artifactId><build><plugins><plugin>\
             <artifactId>maven-compiler-plugin</artifactId><configuration>{configuration}\
             </configuration></plugin></plugins></build></project>"
        );
        std::fs::write(folder.join("pom.xml"), pom).unwrap();
        let repositories = LocalRepositories { maven: vec![folder.join("r")], gradle: vec![] };
        let settings = &MavenSettings::default();
        let cache = &PomCache::default();
        let context = PomContext { repositories: &repositories, settings, jdk: 17, cache };
        read_processors(&PomModel::load(&folder.join("pom.xml"), context).unwrap(), context, &[])
    }

    #[test]
    fn processor_paths_of_the_pom_are_used() {
        let folder = tempfile::tempdir().unwrap();
        let jar = folder.path().join("r/p/maker/1/maker-1.jar");
        std::fs::create_dir_all(jar.parent().unwrap()).unwrap();
        std::fs::write(&jar, "").unwrap();
        let path = |artifact: &str| {
            format!(
                "<path><groupId>p</groupId><artifactId>{artifact}</artifactId><version>1</version></path>"
            )
        };
        let configuration = format!(
            "<annotationProcessorPaths>{}{}</annotationProcessorPaths><annotationProcessors>\
             <annotationProcessor>p.Maker</annotationProcessor></annotationProcessors>",
            path("maker"),
            path("gone")
        );
        let config = read_configured(folder.path(), &configuration);
        let jar = jar.to_string_lossy().into_owned();
        assert_eq!(config.options, ["-processor", "p.Maker", "-processorpath", &jar]);
        assert_eq!(config.resolved.missing, ["p:gone:1"]);
    }

    #[test]
    fn proc_none_disables_processors() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read_configured(folder.path(), "<proc>none</proc>").options, ["-proc:none"]);
        assert_eq!(read_configured(folder.path(), "").options, Vec::<String>::new());
    }
}
