//! Properties that a POM inherits from its parents.

use super::pom_model::{PomCache, PomContext, PomModel};
use crate::Jdk;
use crate::project::ProjectOptions;
use std::path::Path;

/// Returns the properties that a POM inherits from its parents, with their values. Profiles of the user count as its own.
pub fn inherited_properties(
    pom: &Path,
    options: &ProjectOptions,
    jdk: &Jdk,
) -> Vec<(String, String)> {
    let ProjectOptions { repositories, maven: settings, .. } = options;
    let cache = &PomCache::default();
    let context = PomContext { repositories, settings, jdk: jdk.version, cache };
    let model = PomModel::load(pom, context);
    model.iter().flat_map(PomModel::inherited_properties).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LocalRepositories;

    #[test]
    fn properties_of_parents_that_the_pom_does_not_set_are_inherited() {
        let folder = tempfile::tempdir().unwrap();
        let parent = folder.path().join("r/g/parent/1/parent-1.pom");
        std::fs::create_dir_all(parent.parent().unwrap()).unwrap();
        let properties = "<a.version>1</a.version><b.version>${a.version}</b.version><own>x</own>";
        let pom = |head: &str, properties: &str| {
            format!("<project>{head}<properties>{properties}</properties></project>")
        };
        std::fs::write(&parent, pom("<artifactId>parent</artifactId>", properties)).unwrap();
        let head = "<parent><groupId>g</groupId><artifactId>parent</artifactId><version>1</version>\
            </parent><artifactId>child</artifactId>";
        let child = folder.path().join("pom.xml");
        std::fs::write(&child, pom(head, "<own>1</own>")).unwrap();
        let repositories =
            LocalRepositories { maven: vec![folder.path().join("r")], gradle: vec![] };
        let options = ProjectOptions { repositories, ..ProjectOptions::default() };
        let jdk = Jdk { home: "/jdk".into(), version: 17, full_version: "17".into() };
        let inherited = inherited_properties(&child, &options, &jdk);
        let property = |name: &str| (name.to_owned(), "1".to_owned());
        assert_eq!(inherited, [property("a.version"), property("b.version")]);
    }
}
