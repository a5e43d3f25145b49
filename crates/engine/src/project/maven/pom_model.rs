//! Effective POM: with parents, active profiles, properties and imported bills of materials.

use super::pom::XmlElement;
use super::profiles::ProfileActivation;
use crate::project::dependencies::dependency::Dependency;
use crate::project::dependencies::local_repositories::{
    Coordinates, LocalArtifact, LocalRepositories,
};
use crate::project::maven::settings::MavenSettings;
use regex::{Captures, Regex};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::LazyLock;

/// Maximum length of a chain of parents, imports or properties. A longer one is a cycle.
const MAX_CHAIN_LENGTH: usize = 32;

/// Name of the compiler plugin.
pub(crate) const COMPILER_PLUGIN: &str = "maven-compiler-plugin";

/// Group of plugins without one.
const DEFAULT_PLUGIN_GROUP: &str = "org.apache.maven.plugins";

const PLUGIN_PATH: [&str; 3] = ["build", "plugins", "plugin"];

/// Context in which a POM is interpreted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PomContext<'a> {
    pub(crate) repositories: &'a LocalRepositories,
    /// Maven settings outside the POM.
    pub(crate) settings: &'a MavenSettings,
    /// Feature release of the JDK, for profiles.
    pub(crate) jdk: u32,
    /// Cache of libraries and POMs.
    pub(crate) cache: &'a PomCache,
}

/// Cache of libraries and their POMs: most modules use the same ones.
#[derive(Debug, Default)]
pub(crate) struct PomCache {
    artifacts: RefCell<HashMap<Coordinates, Option<LocalArtifact>>>,
    models: RefCell<HashMap<PathBuf, Option<Rc<PomModel>>>>,
    dependencies: RefCell<HashMap<PathBuf, Rc<[Dependency]>>>,
}

impl PomContext<'_> {
    /// Finds a library like [`LocalRepositories::find`], with a cache.
    pub(crate) fn find(self, coordinates: &Coordinates) -> Option<LocalArtifact> {
        if let Some(artifact) = self.cache.artifacts.borrow().get(coordinates) {
            return artifact.clone();
        }
        let artifact = self.repositories.find(coordinates);
        self.cache.artifacts.borrow_mut().insert(coordinates.clone(), artifact.clone());
        artifact
    }

    /// Loads the model of a library's POM like [`PomModel::load`], with a cache.
    pub(crate) fn load_model(self, pom: &Path) -> Option<Rc<PomModel>> {
        if let Some(cached) = self.cache.models.borrow().get(pom) {
            return cached.clone();
        }
        let model = PomModel::load(pom, self).map(Rc::new);
        self.cache.models.borrow_mut().insert(pom.to_owned(), model.clone());
        model
    }

    /// Returns the dependencies in a library's POM.
    pub(crate) fn dependencies_of(self, pom: &Path) -> Rc<[Dependency]> {
        if let Some(cached) = self.cache.dependencies.borrow().get(pom) {
            return Rc::clone(cached);
        }
        let model = self.load_model(pom);
        let dependencies = model.map(|model| model.dependencies(self)).unwrap_or_default();
        let dependencies: Rc<[Dependency]> = dependencies.into();
        self.cache.dependencies.borrow_mut().insert(pom.to_owned(), Rc::clone(&dependencies));
        dependencies
    }
}

/// A POM together with its parents.
#[derive(Clone, Debug)]
pub(crate) struct PomModel {
    /// Folder of the POM.
    pub(crate) folder: PathBuf,
    /// POM, parents and their active profiles; nearer ones come first.
    layers: Vec<XmlElement>,
    properties: BTreeMap<String, String>,
    /// Notes on parts that could not be read.
    pub(crate) notes: Vec<String>,
}

impl PomModel {
    /// Reads a POM and its parents; `None` if it cannot be read itself.
    pub(crate) fn load(pom: &Path, context: PomContext<'_>) -> Option<Self> {
        let own_project = read_pom(pom)?;
        let mut model = Self {
            folder: pom.parent().unwrap_or(Path::new("")).to_owned(),
            layers: Vec::new(),
            properties: BTreeMap::new(),
            notes: Vec::new(),
        };
        model.set_coordinates(&own_project);
        let settings = context.settings;
        let folder = model.folder.clone();
        let activation = ProfileActivation { settings, jdk: context.jdk, folder: &folder };
        model.layers = activation.active_profiles(&settings.profiles.iter().collect::<Vec<_>>());
        for (name, value) in settings.properties() {
            model.properties.insert(name.clone(), value.clone());
        }
        let mut next = Some((pom.to_owned(), own_project));
        while let Some((path, project)) = next {
            next = model.find_parent(&path, &project, context);
            model
                .layers
                .extend(activation.active_profiles(&project.find_all(&["profiles", "profile"])));
            model.layers.push(project);
            if model.layers.len() > MAX_CHAIN_LENGTH {
                break;
            }
        }
        for layer in &model.layers {
            for property in layer.find_all(&["properties", "*"]) {
                let name = property.name.clone();
                model.properties.entry(name).or_insert_with(|| property.text.clone());
            }
        }
        model.set_default_properties();
        Some(model)
    }

    /// Creates the model of an effective POM, as written by Maven, with its properties.
    pub(crate) fn from_effective(
        folder: PathBuf,
        project: XmlElement,
        properties: BTreeMap<String, String>,
    ) -> Self {
        let mut model = Self { folder, layers: Vec::new(), properties, notes: Vec::new() };
        model.set_coordinates(&project);
        model.layers.push(project);
        model.set_default_properties();
        model
    }

    /// Sets the default properties of Maven.
    fn set_default_properties(&mut self) {
        let folder = self.folder.to_string_lossy().into_owned();
        let default_paths = [
            ("build.directory", "target"),
            ("build.outputDirectory", "target/classes"),
            ("build.testOutputDirectory", "target/test-classes"),
            ("build.sourceDirectory", "src/main/java"),
            ("build.testSourceDirectory", "src/test/java"),
        ];
        let mut values: Vec<(String, String)> = default_paths
            .map(|(name, path)| (name.to_owned(), format!("{folder}/{path}")))
            .to_vec();
        for name in ["name", "description", "url", "packaging", "inceptionYear"] {
            let own = self.layers.iter().find_map(|layer| layer.text_at(&[name]));
            values.extend(own.map(|text| (name.to_owned(), text.to_owned())));
        }
        let final_name = "${project.artifactId}-${project.version}";
        values.push(("build.finalName".to_owned(), final_name.to_owned()));
        for (name, text) in values {
            self.properties.entry(format!("project.{name}")).or_insert(text);
        }
        // The current time would make every variant different.
        let time = || "1970-01-01T00:00:00Z".to_owned();
        self.properties.entry("maven.build.timestamp".to_owned()).or_insert_with(time);
    }

    /// Returns all properties whose values can be resolved completely.
    pub(crate) fn resolved_properties(&self) -> impl Iterator<Item = (String, String)> {
        let properties =
            self.properties.iter().map(|(name, text)| (name.clone(), self.interpolate(text)));
        properties.filter(|(_, text)| !text.contains("${"))
    }

    /// Returns the environment variables that the POM, its parents or the user's profiles use as `env.NAME`.
    pub(crate) fn environment_variables(&self, settings: &MavenSettings) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let layers = self.layers.iter().chain(&settings.profiles);
        layers.for_each(|layer| collect_environment_variables(layer, &mut names));
        names
    }

    fn set_coordinates(&mut self, project: &XmlElement) {
        for name in ["groupId", "artifactId", "version"] {
            let inherited = project.text_at(&["parent", name]);
            if let Some(value) = project.text_at(&[name]).or(inherited) {
                for prefix in ["project.", "pom.", ""] {
                    self.properties.insert(format!("{prefix}{name}"), value.to_owned());
                }
            }
            if let Some(value) = inherited {
                self.properties.insert(format!("project.parent.{name}"), value.to_owned());
            }
        }
        let folder = self.folder.to_string_lossy().into_owned();
        for name in ["basedir", "project.basedir", "pom.basedir"] {
            self.properties.insert(name.to_owned(), folder.clone());
        }
    }

    fn find_parent(
        &mut self,
        path: &Path,
        project: &XmlElement,
        context: PomContext<'_>,
    ) -> Option<(PathBuf, XmlElement)> {
        let parent = project.child("parent")?;
        let artifact = parent.text_at(&["artifactId"])?;
        let relative = parent.child("relativePath").map_or("../pom.xml", |path| &path.text);
        let mut parent_path = path.parent()?.join(relative);
        if parent_path.is_dir() {
            parent_path.push("pom.xml");
        }
        let parent_project = read_pom(&parent_path).filter(|parent_project| {
            !relative.is_empty() && parent_project.text_at(&["artifactId"]) == Some(artifact)
        });
        if let Some(parent_project) = parent_project {
            return Some((parent_path, parent_project));
        }
        let coordinates = Coordinates {
            group: parent.text_at(&["groupId"])?.to_owned(),
            artifact: artifact.to_owned(),
            version: parent.text_at(&["version"]).map(str::to_owned),
            classifier: None,
        };
        let stored = context.find(&coordinates).and_then(|stored| stored.pom);
        let parent_pom = stored.and_then(|pom| read_pom(&pom).map(|project| (pom, project)));
        if parent_pom.is_none() {
            self.notes.push(format!("the parent POM {coordinates} is not on this machine"));
        }
        parent_pom
    }

    /// Returns `group:artifact`.
    pub(crate) fn name(&self) -> String {
        self.interpolate("${project.groupId}:${project.artifactId}")
    }

    /// Replaces `${…}` in a text; unknown names are kept.
    pub(crate) fn interpolate(&self, text: &str) -> String {
        static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"\$\{([^}]+)\}").unwrap_or_else(|_| unreachable!("a constant pattern"))
        });
        let mut text = text.to_owned();
        for _ in 0..MAX_CHAIN_LENGTH {
            let next = PLACEHOLDER.replace_all(&text, |place: &Captures<'_>| {
                self.properties.get(&place[1]).cloned().unwrap_or_else(|| place[0].to_owned())
            });
            if next == text {
                break;
            }
            text = next.into_owned();
        }
        text
    }

    /// Returns a property's value.
    pub(crate) fn property(&self, name: &str) -> Option<String> {
        let value = self.interpolate(self.properties.get(name)?);
        (!value.is_empty() && !value.contains("${")).then_some(value)
    }

    /// Returns the properties of the parents with their values, without those that the POM itself sets.
    pub(crate) fn inherited_properties(&self) -> impl Iterator<Item = (String, String)> {
        let own_layers = self.layers.iter().position(|layer| layer.name == "project");
        let (own, inherited) = self.layers.split_at(own_layers.map_or(0, |at| at + 1));
        let names = |layers: &[XmlElement]| -> BTreeSet<String> {
            let properties = layers.iter().flat_map(|layer| layer.find_all(&["properties", "*"]));
            properties.map(|property| property.name.clone()).collect()
        };
        let own = names(own);
        let inherited = names(inherited).into_iter().filter(move |name| !own.contains(name));
        inherited.filter_map(|name| Some((name.clone(), self.property(&name)?)))
    }

    /// Returns the text at a path in the nearest layer that has one.
    pub(crate) fn text_at(&self, path: &[&str]) -> Option<String> {
        let text = self.layers.iter().find_map(|layer| layer.text_at(path))?;
        Some(self.interpolate(text))
    }

    /// Returns the elements at a path in the nearest layer that has any.
    pub(crate) fn find_all(&self, path: &[&str]) -> Vec<&XmlElement> {
        let found = self.layers.iter().map(|layer| layer.find_all(path));
        found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Returns true unless the packaging is `pom`, which compiles nothing and which modules do not inherit.
    pub(crate) fn compiles_sources(&self) -> bool {
        let own = self.layers.iter().find(|layer| layer.name != "profile");
        own.and_then(|layer| layer.text_at(&["packaging"])) != Some("pom")
    }

    /// Returns the modules of the POM itself and its profiles.
    pub(crate) fn modules(&self) -> Vec<String> {
        let is_profile = |layer: &&XmlElement| layer.name == "profile";
        let profiles = self.layers.iter().take_while(is_profile).count();
        let own_layers = self.layers.iter().take(profiles + 1);
        own_layers
            .flat_map(|layer| layer.find_all(&["modules", "module"]))
            .map(|module| self.interpolate(&module.text))
            .collect()
    }

    /// Returns the configurations of a plugin and its executions, by decreasing precedence.
    pub(crate) fn configurations(&self, plugin: &str) -> Vec<&XmlElement> {
        let executions = self.executions(plugin).into_iter();
        let of_executions = executions.filter_map(|holder| holder.child("configuration"));
        self.plugin_configurations(plugin).into_iter().chain(of_executions).collect()
    }

    /// Returns the configurations of a plugin without those of its executions, by decreasing precedence.
    pub(crate) fn plugin_configurations(&self, plugin: &str) -> Vec<&XmlElement> {
        let declarations = self.plugin_declarations(plugin).into_iter();
        declarations.filter_map(|holder| holder.child("configuration")).collect()
    }

    /// Returns the executions of a plugin, by decreasing precedence.
    pub(crate) fn executions(&self, plugin: &str) -> Vec<&XmlElement> {
        let declarations = self.plugin_declarations(plugin).into_iter();
        declarations.flat_map(|plugin| plugin.find_all(&["executions", "execution"])).collect()
    }

    fn plugin_declarations(&self, plugin: &str) -> Vec<&XmlElement> {
        let paths: [&[&str]; 2] =
            [&PLUGIN_PATH, &["build", "pluginManagement", "plugins", "plugin"]];
        paths
            .iter()
            .flat_map(|path| self.layers.iter().flat_map(|layer| layer.find_all(path)))
            .filter(|found| found.text_at(&["artifactId"]) == Some(plugin))
            .collect()
    }

    /// Returns a plugin as `group:artifact` with its version, if the POM names one.
    pub(crate) fn plugin_version(&self, plugin: &str) -> Option<(String, String)> {
        let declarations = self.plugin_declarations(plugin);
        let text = |name: &str| declarations.iter().find_map(|one| one.text_at(&[name]));
        let group = text("groupId").unwrap_or(DEFAULT_PLUGIN_GROUP);
        Some((format!("{group}:{plugin}"), self.interpolate(text("version")?)))
    }

    /// Returns the names of the plugins of the build.
    pub(crate) fn plugins(&self) -> impl Iterator<Item = &str> {
        self.layers
            .iter()
            .flat_map(|layer| layer.find_all(&PLUGIN_PATH))
            .filter_map(|plugin| plugin.text_at(&["artifactId"]))
    }

    /// Returns the dependencies with managed versions, the POM's own before those of its parents.
    pub(crate) fn dependencies(&self, context: PomContext<'_>) -> Vec<Dependency> {
        let managed = self.managed_dependencies(context);
        let mut dependencies: Vec<Dependency> = Vec::new();
        for mut dependency in self.read_dependencies(&["dependencies", "dependency"]) {
            dependency.apply_managed(&managed);
            if !dependencies.iter().any(|other| other.key() == dependency.key()) {
                dependencies.push(dependency);
            }
        }
        dependencies
    }

    /// Returns the managed dependencies of the POM, including imports.
    pub(crate) fn managed_dependencies(&self, context: PomContext<'_>) -> Vec<Dependency> {
        self.collect_managed(context, 0)
    }

    fn collect_managed(&self, context: PomContext<'_>, depth: usize) -> Vec<Dependency> {
        let path = ["dependencyManagement", "dependencies", "dependency"];
        let (imports, mut managed): (Vec<_>, Vec<_>) =
            self.read_dependencies(&path).into_iter().partition(|d| d.scope == "import");
        if depth > MAX_CHAIN_LENGTH {
            return managed;
        }
        for import in imports {
            let artifact = context.find(&import.coordinates);
            let model = artifact.and_then(|artifact| context.load_model(&artifact.pom?));
            managed.extend(model.iter().flat_map(|m| m.collect_managed(context, depth + 1)));
        }
        managed
    }

    fn read_dependencies(&self, path: &[&str]) -> Vec<Dependency> {
        let found = self.layers.iter().flat_map(|layer| layer.find_all(path));
        found
            .filter_map(|element| Dependency::from_element(element, |text| self.interpolate(text)))
            .collect()
    }

    /// Returns the new coordinates of a relocated library.
    pub(crate) fn relocation(&self) -> Option<Coordinates> {
        let relocation =
            self.layers.first()?.child("distributionManagement")?.child("relocation")?;
        let coordinate = |name: &str| {
            let relocated = relocation.text_at(&[name]).map(|text| self.interpolate(text));
            relocated.or_else(|| self.property(&format!("project.{name}")))
        };
        Some(Coordinates {
            group: coordinate("groupId")?,
            artifact: coordinate("artifactId")?,
            version: coordinate("version"),
            classifier: None,
        })
    }
}

fn collect_environment_variables(element: &XmlElement, names: &mut BTreeSet<String>) {
    static ENVIRONMENT_VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\benv\.(\w+)").unwrap_or_else(|_| unreachable!("a constant pattern"))
    });
    names.extend(ENVIRONMENT_VARIABLE.captures_iter(&element.text).map(|name| name[1].to_owned()));
    element.children.iter().for_each(|child| collect_environment_variables(child, names));
}

fn read_pom(pom: &Path) -> Option<XmlElement> {
    let bytes = std::fs::read(pom).ok()?;
    XmlElement::parse(&String::from_utf8_lossy(&bytes)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_pom(folder: &Path, pom: &str, jdk: u32) -> PomModel {
        std::fs::write(folder.join("pom.xml"), pom).unwrap();
        let (repositories, settings) = <(LocalRepositories, MavenSettings)>::default();
        let settings = settings.with_project_settings(folder);
        let cache = &PomCache::default();
        let context = PomContext { repositories: &repositories, settings: &settings, jdk, cache };
        PomModel::load(&folder.join("pom.xml"), context).unwrap()
    }

    #[test]
    fn parent_property_uses_child_values() {
        let folder = tempfile::tempdir().unwrap();
        let parent = "<project><artifactId>p</artifactId><properties><lib>${v}.1</lib><v>1</v>\
            </properties></project>";
        std::fs::write(folder.path().join("pom.xml"), parent).unwrap();
        let child = folder.path().join("c");
        std::fs::create_dir(&child).unwrap();
        let model = load_pom(
            &child,
            "<project><parent><groupId>g</groupId><artifactId>p</artifactId><version>7</version>\
             </parent><artifactId>c</artifactId><properties><v>2</v></properties></project>",
            17,
        );
        assert_eq!(model.interpolate("${lib} ${project.version} ${none}"), "2.1 7 ${none}");
        assert_eq!(model.name(), "g:c");
    }

    #[test]
    fn jdk_profile_replaces_the_default_profile() {
        let folder = tempfile::tempdir().unwrap();
        let pom = "<project><artifactId>a</artifactId><properties><x>none</x></properties><profiles>\
            <profile><activation><activeByDefault>true</activeByDefault></activation>\
            <properties><x>default</x></properties></profile>\
            <profile><activation><jdk>[9,17)</jdk></activation><properties><x>new</x></properties>\
            </profile></profiles></project>";
        assert_eq!(load_pom(folder.path(), pom, 11).property("x").unwrap(), "new");
        assert_eq!(load_pom(folder.path(), pom, 17).property("x").unwrap(), "default");
    }

    #[test]
    fn command_line_property_overrides_the_pom() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".mvn")).unwrap();
        std::fs::write(folder.path().join(".mvn/maven.config"), "-Dx=given -Pp").unwrap();
        let pom = "<project><artifactId>a</artifactId><properties><x>pom</x></properties><profiles>\
            <profile><id>p</id><properties><x>profile</x><y>profile</y></properties></profile>\
            </profiles></project>";
        let model = load_pom(folder.path(), pom, 17);
        assert_eq!(model.property("x").unwrap(), "given");
        assert_eq!(model.property("y").unwrap(), "profile");
    }

    #[test]
    fn self_referential_property_terminates() {
        let folder = tempfile::tempdir().unwrap();
        let pom =
            "<project><artifactId>a</artifactId><properties><x>${x}</x></properties></project>";
        assert_eq!(load_pom(folder.path(), pom, 17).property("x"), None);
    }
}
