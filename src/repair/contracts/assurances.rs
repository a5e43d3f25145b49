//! What routines promise: what holds of what they give, and of the object, where they end.

use super::jml::java;
use super::terms::renamed;
use crate::facts::Facts;
use crate::repair::purity::only_asks;

/// What a routine gives, in its assurances.
pub(in crate::repair) const RESULT: &str = "resultOfGitMend";

/// What was kept where a routine began, in its assurances: this and a number.
pub(in crate::repair) const KEPT: &str = "keptByGitMend";

/// What a routine promises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::repair) struct Assurance {
    /// As it is written.
    pub(in crate::repair) said: String,
    /// As Java says it of parameters, members, [`RESULT`] and what was [`KEPT`].
    pub(in crate::repair) condition: String,
    /// What is kept, by number.
    pub(in crate::repair) kept: Vec<String>,
}

impl Assurance {
    /// Of an annotation of a result; `name` is how people call it.
    pub(super) fn of_result(condition: String) -> Self {
        let said = condition.replace(RESULT, "result");
        Self { said, condition, kept: Vec::new() }
    }

    /// Of a clause of JML; `None` if Java cannot say it.
    pub(super) fn of_jml(clause: &str) -> Option<Self> {
        let (mut text, mut kept) = (clause.replace("\\result", RESULT), Vec::new());
        while let Some(at) = ["\\old(", "\\pre("].iter().find_map(|word| text.find(word)) {
            let start = at + "\\old(".len();
            let end = start + closing(&text[start..])?;
            kept.push(java(text[start..end].trim())?);
            text.replace_range(at..=end, &format!("{KEPT}{}", kept.len() - 1));
        }
        Some(Self { said: clause.to_owned(), condition: java(&text)?, kept })
    }

    /// Of a clause of Cofoja, which has names for what JML has signs for.
    pub(super) fn of_cofoja(clause: &str) -> Option<Self> {
        let text = renamed(clause, |name| match name {
            "result" => Some("\\result".to_owned()),
            "old" => Some("\\old".to_owned()),
            name => Some(name.to_owned()),
        })?;
        Some(Self { said: clause.to_owned(), ..Self::of_jml(&text)? })
    }

    /// Whether it is about the object alone, as it is at any time.
    pub(in crate::repair) fn is_of_state(&self) -> bool {
        self.kept.is_empty() && !self.condition.contains(RESULT)
    }

    /// The same with other names; `None` if it may have names of its own.
    pub(super) fn renamed(&self, name: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let kept = self.kept.iter().map(|text| renamed(text, &name)).collect::<Option<_>>()?;
        Some(Self { said: self.said.clone(), condition: renamed(&self.condition, &name)?, kept })
    }

    /// Whether asking for it changes nothing, as far as the names of what it calls tell.
    pub(super) fn only_asks(&self, facts: &Facts) -> bool {
        std::iter::once(&self.condition).chain(&self.kept).all(|text| only_asks(facts, text))
    }
}

/// Where the parenthesis ends that was opened right before a text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1_usize;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(assurance: Option<Assurance>) -> (String, Vec<String>) {
        let Assurance { condition, kept, .. } = assurance.unwrap();
        (condition, kept)
    }

    #[test]
    fn results_and_what_was_before_have_names_of_their_own() {
        let wanted =
            ("resultOfGitMend == keptByGitMend0 + 1".to_owned(), vec!["size(f(a))".to_owned()]);
        assert_eq!(of(Assurance::of_jml("\\result == \\old(size(f(a))) + 1")), wanted);
        assert_eq!(of(Assurance::of_cofoja("result == old(size(f(a))) + 1")), wanted);
        let wanted = ("keptByGitMend0 != keptByGitMend1", ["a", "b.old"].map(str::to_owned));
        let found = of(Assurance::of_cofoja("old(a) != old(b.old)"));
        assert_eq!((&*found.0, &found.1[..]), (wanted.0, &wanted.1[..]));
    }

    #[test]
    fn what_java_cannot_say_is_no_assurance() {
        for clause in ["\\old(\\old(a)) > 0", "(\\forall int i; i < \\result)", "\\old(a > 0"] {
            assert_eq!(Assurance::of_jml(clause), None, "{clause}");
        }
    }
}
