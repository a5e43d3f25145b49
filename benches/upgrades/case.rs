//! Cases of the bench.

use serde_json::Value;

/// Breaking releases, and upgrades that break nothing.
pub(crate) struct Cases {
    pub(crate) cases: Vec<Case>,
    harmless: Vec<Upgrade>,
}

/// Library or plugin with its versions before and after.
#[derive(Clone)]
pub(crate) struct Upgrade {
    /// `group:artifact`.
    pub(crate) library: String,
    pub(crate) versions: [String; 2],
}

/// Library, plugin or `Java` that breaks the test.
pub(crate) struct Breaker {
    pub(crate) library: String,
    pub(crate) first_failing: String,
}

/// Upgrades that break a test of a client.
pub(crate) struct Case {
    pub(crate) name: String,
    /// Upgrades in the build file.
    pub(crate) declared: Vec<Upgrade>,
    /// Upgrades of plugins that generate code, and their goals.
    pub(crate) plugins: Vec<(Upgrade, String)>,
    /// Versions of Java.
    pub(crate) java: [String; 2],
    /// Libraries that stay as they are, `group:artifact VERSION`.
    pub(crate) unchanged: Vec<String>,
    /// Further files, by path.
    pub(crate) files: Vec<(String, String)>,
    /// Sets of libraries that break the test only together.
    pub(crate) culprits: Vec<Vec<Breaker>>,
    /// Bodies of the test methods.
    pub(crate) tests: Vec<String>,
    /// Exception that they declare.
    pub(crate) throws: String,
}

impl Cases {
    pub(crate) fn read() -> Self {
        let list: Value = toml::from_str(include_str!("list.toml")).unwrap();
        let cases = list["case"].as_array().unwrap().iter().map(Case::parse).collect();
        Self { cases, harmless: Upgrade::parse_all(&list["harmless"]) }
    }

    /// Returns 10 to 30 upgrades that break nothing, for a case by its number. None is of a library of the case.
    pub(crate) fn choose_harmless(&self, number: usize) -> Vec<Upgrade> {
        let case = &self.cases[number];
        let breakers = case.culprits.iter().flatten().map(|one| &one.library);
        let libraries: Vec<_> =
            case.declared.iter().map(|one| &one.library).chain(breakers).collect();
        let start = number * 5 % self.harmless.len();
        let (end, begin) = self.harmless.split_at(start);
        let others = begin.iter().chain(end).filter(|one| !libraries.contains(&&one.library));
        others.take(10 + number * 8 % 21).cloned().collect()
    }
}

impl Case {
    fn parse(case: &Value) -> Self {
        let texts = |name: &str| case[name].as_array().unwrap().iter();
        Self {
            name: case["name"].as_str().unwrap().to_owned(),
            declared: Upgrade::parse_all(&case["declared"]),
            plugins: Upgrade::parse_plugins(&case["plugins"]),
            java: parse_versions(case["java"].as_str().unwrap_or("11 11")),
            unchanged: optional_texts(&case["unchanged"]),
            files: parse_files(&case["files"]),
            culprits: texts("culprits").map(Breaker::parse_all).collect(),
            tests: texts("tests").map(|text| text.as_str().unwrap().to_owned()).collect(),
            throws: case["throws"].as_str().unwrap_or("Exception").to_owned(),
        }
    }

    pub(crate) fn is_declared(&self, library: &str) -> bool {
        let plugins = self.plugins.iter().map(|(plugin, _)| plugin);
        library == "Java" || self.declared.iter().chain(plugins).any(|one| one.library == library)
    }
}

fn optional_texts(list: &Value) -> Vec<String> {
    let list = list.as_array().into_iter().flatten();
    list.map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn parse_files(files: &Value) -> Vec<(String, String)> {
    let files = files.as_object().into_iter().flatten();
    files.map(|(path, text)| (path.clone(), text.as_str().unwrap().to_owned())).collect()
}

fn parse_versions(text: &str) -> [String; 2] {
    let (old, new) = text.split_once(' ').unwrap();
    [old.to_owned(), new.to_owned()]
}

impl Breaker {
    /// Parses texts such as `g:a 2.0`.
    fn parse_all(texts: &Value) -> Vec<Self> {
        let parse = |text: &Value| {
            let (library, first_failing) = text.as_str().unwrap().split_once(' ').unwrap();
            Self { library: library.to_owned(), first_failing: first_failing.to_owned() }
        };
        texts.as_array().unwrap().iter().map(parse).collect()
    }
}

impl Upgrade {
    /// Parses texts such as `g:a 1.0 2.0`.
    fn parse_all(texts: &Value) -> Vec<Self> {
        optional_texts(texts).iter().map(|text| Self::parse(text)).collect()
    }

    fn parse(text: &str) -> Self {
        let (library, versions) = text.split_once(' ').unwrap();
        Self { library: library.to_owned(), versions: parse_versions(versions) }
    }

    /// Parses texts such as `g:a:goal 1.0 2.0`.
    fn parse_plugins(texts: &Value) -> Vec<(Self, String)> {
        let parse = |text: &String| {
            let Self { library, versions } = Self::parse(text);
            let (library, goal) = library.rsplit_once(':').unwrap();
            (Self { library: library.to_owned(), versions }, goal.to_owned())
        };
        optional_texts(texts).iter().map(parse).collect()
    }
}
