//! Annotation processors configured in a POM.

use super::pom_model::{COMPILER_PLUGIN, PomContext, PomModel};
use crate::compile::javac::join_class_path;
use crate::project::dependencies::dependency::Dependency;
use crate::project::dependencies::resolution;

/// Annotation processors of a module.
#[derive(Debug, Default)]
pub(crate) struct ProcessorConfig {
    /// Compiler options.
    pub(crate) options: Vec<String>,
    pub(crate) missing: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// Reads the processor path and the processors of a POM, and whether it disables processors.
pub(crate) fn read_processors(
    model: &PomModel,
    context: PomContext<'_>,
    managed: &[Dependency],
) -> ProcessorConfig {
    let configurations = model.configurations(COMPILER_PLUGIN);
    let find_all = |path: &[&str]| {
        let found = configurations.iter().map(|configuration| configuration.find_all(path));
        found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    };
    let text = |name: &str| find_all(&[name]).first().map(|one| model.interpolate(&one.text));
    if text("proc").as_deref() == Some("none") {
        return ProcessorConfig {
            options: vec!["-proc:none".to_owned()],
            ..ProcessorConfig::default()
        };
    }
    let mut processors = ProcessorConfig::default();
    let names = find_all(&["annotationProcessors", "annotationProcessor"]);
    if !names.is_empty() {
        let names: Vec<String> = names.iter().map(|name| model.interpolate(&name.text)).collect();
        processors.options.extend(["-processor".to_owned(), names.join(",")]);
    }
    let paths = find_all(&["annotationProcessorPaths", "*"]).into_iter();
    let mut paths: Vec<_> = paths
        .filter_map(|path| Dependency::from_element(path, |text| model.interpolate(text)))
        .collect();
    if paths.is_empty() {
        return processors;
    }
    for path in &mut paths {
        path.apply_managed(managed);
    }
    let resolved = resolution::resolve(context, &paths, managed);
    if !resolved.class_path.is_empty() {
        let path = join_class_path(&resolved.class_path);
        processors.options.extend(["-processorpath".to_owned(), path]);
    }
    ProcessorConfig { missing: resolved.missing, notes: resolved.notes, ..processors }
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
        assert_eq!(config.missing, ["p:gone:1"]);
    }

    #[test]
    fn proc_none_disables_processors() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read_configured(folder.path(), "<proc>none</proc>").options, ["-proc:none"]);
        assert_eq!(read_configured(folder.path(), "").options, Vec::<String>::new());
    }
}
