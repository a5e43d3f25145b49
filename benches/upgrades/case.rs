//! Cases of the bench.

use serde_json::Value;

/// Breaking releases, and upgrades that break nothing.
pub(crate) struct Cases {
    pub(crate) cases: Vec<Case>,
    harmless: Vec<Upgrade>,
}

/// Library with its versions before and after.
#[derive(Clone)]
pub(crate) struct Upgrade {
    /// `group:artifact`.
    pub(crate) library: String,
    pub(crate) versions: [String; 2],
}

/// Library that breaks the test.
pub(crate) struct Breaker {
    pub(crate) library: String,
    pub(crate) first_failing: String,
}

/// Upgrades that break a test of a client.
pub(crate) struct Case {
    pub(crate) name: String,
    /// Upgrades in the build file.
    pub(crate) declared: Vec<Upgrade>,
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
            culprits: texts("culprits").map(Breaker::parse_all).collect(),
            tests: texts("tests").map(|text| text.as_str().unwrap().to_owned()).collect(),
            throws: case["throws"].as_str().unwrap_or("Exception").to_owned(),
        }
    }

    pub(crate) fn is_declared(&self, library: &str) -> bool {
        self.declared.iter().any(|one| one.library == library)
    }
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
        let parse = |text: &Value| {
            let words: Vec<_> = text.as_str().unwrap().split(' ').map(str::to_owned).collect();
            let [library, old, new] = words.try_into().unwrap();
            Self { library, versions: [old, new] }
        };
        texts.as_array().unwrap().iter().map(parse).collect()
    }
}
