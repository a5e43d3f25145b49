//! Annotation processors of a POM.

use super::pom_model::{COMPILER_PLUGIN, PomContext, PomModel};
use crate::compile::javac::joined;
use crate::project::dependencies::dependency::Dependency;
use crate::project::dependencies::resolution;

/// The processors of a module.
#[derive(Debug, Default)]
pub(crate) struct ProcessorConfig {
    /// Compiler options.
    pub(crate) options: Vec<String>,
    pub(crate) missing: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// Reads where a POM has processors looked for, which it names, and whether it has any run.
pub(crate) fn read(
    model: &PomModel,
    context: PomContext<'_>,
    managed: &[Dependency],
) -> ProcessorConfig {
    let configurations = model.configurations(COMPILER_PLUGIN);
    let all = |path: &[&str]| {
        let found = configurations.iter().map(|configuration| configuration.find_all(path));
        found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    };
    let text = |name: &str| all(&[name]).first().map(|one| model.interpolated(&one.text));
    if text("proc").as_deref() == Some("none") {
        return ProcessorConfig {
            options: vec!["-proc:none".to_owned()],
            ..ProcessorConfig::default()
        };
    }
    let mut processors = ProcessorConfig::default();
    let names = all(&["annotationProcessors", "annotationProcessor"]);
    if !names.is_empty() {
        let names: Vec<String> = names.iter().map(|name| model.interpolated(&name.text)).collect();
        processors.options.extend(["-processor".to_owned(), names.join(",")]);
    }
    let paths = all(&["annotationProcessorPaths", "*"]).into_iter();
    let mut paths: Vec<_> =
        paths.filter_map(|path| Dependency::read(path, |text| model.interpolated(text))).collect();
    if paths.is_empty() {
        return processors;
    }
    for path in &mut paths {
        path.fill_in(managed);
    }
    let resolved = resolution::resolve(context, &paths, managed);
    if !resolved.class_path.is_empty() {
        let path = joined(&resolved.class_path);
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

    fn processors(folder: &Path, configuration: &str) -> ProcessorConfig {
        let pom = format!(
            "<project><artifactId>a</artifactId><build><plugins><plugin>\
             <artifactId>maven-compiler-plugin</artifactId><configuration>{configuration}\
             </configuration></plugin></plugins></build></project>"
        );
        std::fs::write(folder.join("pom.xml"), pom).unwrap();
        let repositories = LocalRepositories { maven: vec![folder.join("r")], gradle: vec![] };
        let settings = &MavenSettings::default();
        let memo = &PomCache::default();
        let context = PomContext { repositories: &repositories, settings, jdk: 17, memo };
        read(&PomModel::load(&folder.join("pom.xml"), context).unwrap(), context, &[])
    }

    #[test]
    fn processors_are_looked_for_where_the_pom_says() {
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
        let found = processors(folder.path(), &configuration);
        let jar = jar.to_string_lossy().into_owned();
        assert_eq!(found.options, ["-processor", "p.Maker", "-processorpath", &jar]);
        assert_eq!(found.missing, ["p:gone:1"]);
    }

    #[test]
    fn a_pom_may_have_none_run() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(processors(folder.path(), "<proc>none</proc>").options, ["-proc:none"]);
        assert_eq!(processors(folder.path(), "").options, Vec::<String>::new());
    }
}
