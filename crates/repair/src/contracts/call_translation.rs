//! Translation of a routine's preconditions into the terms of its call.

use mend_java::code::purity::is_pure;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SemanticModel, SymbolId};
use mend_java::{Code, closed};
use std::collections::HashMap;

/// Maximum length of an expression that may be repeated.
const LONGEST: usize = 60;

/// Words that mean the same everywhere.
const WORDS: [&str; 4] = ["true", "false", "null", "instanceof"];

/// A call, as it may be spoken of.
pub(super) struct CallTranslation<'a> {
    facts: &'a SemanticModel,
    /// The argument of each parameter; `None` if it must not be evaluated twice.
    given: HashMap<&'a str, Option<String>>,
    /// Receiver of the call.
    receiver: CallReceiver,
    /// The class of what is called.
    owner: Option<SymbolId>,
    /// True if private members of the receiver are accessible.
    is_at_home: bool,
}

/// Receiver of a call.
enum CallReceiver {
    Itself,
    Named(String),
    /// An expression that must not be evaluated twice.
    Unnamed,
}

impl<'a> CallTranslation<'a> {
    /// Creates the translation; `None` if the call does not have one argument per parameter.
    pub(super) fn new(code: &Code<'a>, call: NodeIndex, parameters: &'a [String]) -> Option<Self> {
        let children = code.children(call).into_iter();
        let arguments: Vec<_> =
            children.filter(|id| code.role(*id) == NodeRole::Argument).collect();
        if arguments.len() != parameters.len() {
            return None;
        }
        let said = arguments.into_iter().map(|id| repeatable_text(code, id));
        let given = parameters.iter().map(String::as_str).zip(said).collect();
        Some(Self { given, ..Self::of_object(code, call)? })
    }

    /// Creates the translation without arguments.
    pub(super) fn of_object(code: &Code<'a>, call: NodeIndex) -> Option<Self> {
        let callee =
            code.child(call, NodeRole::Callee).filter(|id| code.is(*id, NodeKind::MemberSelect));
        let receiver = match callee.and_then(|id| code.children(id).first().copied()) {
            _ if code.is(call, NodeKind::NewClass) => CallReceiver::Unnamed,
            None => CallReceiver::Itself,
            Some(object) => {
                repeatable_text(code, object).map_or(CallReceiver::Unnamed, CallReceiver::Named)
            }
        };
        let owner = code.symbol(call)?.owner;
        let homes = code.self_and_ancestors(call).filter(|id| code.is_type(*id));
        let is_at_home = homes.into_iter().any(|id| code.node(id).symbol == owner);
        Some(Self { facts: code.facts, given: HashMap::new(), receiver, owner, is_at_home })
    }

    /// Translates a condition by replacing parameters with arguments; `None` if that is not possible.
    pub(super) fn translated(&self, demand: &str) -> Option<String> {
        renamed(demand, |name| self.meaning(name))
    }

    /// Translates a precondition, with `own` as the name of one parameter.
    pub(super) fn translated_but(
        &self,
        demand: &str,
        parameter: &str,
        own: &str,
    ) -> Option<String> {
        renamed(
            demand,
            |name| {
                if name == parameter { Some(own.to_owned()) } else { self.meaning(name) }
            },
        )
    }

    fn meaning(&self, name: &str) -> Option<String> {
        if WORDS.contains(&name) {
            return Some(name.to_owned());
        }
        if let Some(given) = self.given.get(name) {
            return given.clone();
        }
        if name == "this" {
            return match &self.receiver {
                CallReceiver::Itself => Some(name.to_owned()),
                CallReceiver::Named(receiver) => Some(receiver.clone()),
                CallReceiver::Unnamed => None,
            };
        }
        let is_type = name.starts_with(char::is_uppercase);
        let members = self.facts.symbols().iter().filter(|one| one.owner == self.owner);
        let member = members.into_iter().find(|one| self.facts.text(one.name) == name);
        match (&self.receiver, member) {
            (_, None) => is_type.then(|| name.to_owned()),
            (_, Some(one)) if one.flags.access() == 0 && !self.is_at_home => None,
            (CallReceiver::Itself, Some(_)) => Some(name.to_owned()),
            (CallReceiver::Named(receiver), Some(_)) => Some(format!("{receiver}.{name}")),
            (CallReceiver::Unnamed, Some(_)) => None,
        }
    }
}

/// Returns the source text of a value, if it may be repeated.
fn repeatable_text(code: &Code<'_>, id: NodeIndex) -> Option<String> {
    let text = code.written(id);
    (is_pure(code, id) && text.len() <= LONGEST).then(|| closed(text))
}

/// Replaces each unqualified name in an expression; `None` if a name has no replacement.
pub(super) fn renamed(text: &str, other: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut said = String::new();
    for part in parts(text)? {
        match part {
            ExpressionPart::Name(name) => said.push_str(&other(name)?),
            ExpressionPart::Other(other) => said.push_str(other),
        }
    }
    Some(said)
}

/// Returns the unqualified names in an expression; `None` if it may declare names itself.
pub(crate) fn names(text: &str) -> Option<Vec<&str>> {
    let name = |part| match part {
        ExpressionPart::Name(name) => Some(name),
        ExpressionPart::Other(_) => None,
    };
    Some(parts(text)?.into_iter().filter_map(name).collect())
}

/// A piece of an expression.
#[derive(Debug, PartialEq, Eq)]
enum ExpressionPart<'a> {
    /// An unqualified name.
    Name(&'a str),
    Other(&'a str),
}

/// Splits an expression into its parts in order; `None` if it may declare names itself.
fn parts(text: &str) -> Option<Vec<ExpressionPart<'_>>> {
    if text.contains("->") || text.contains('\\') {
        return None;
    }
    let (mut parts, mut rest) = (Vec::new(), text);
    let mut is_asked = false;
    while let Some(first) = rest.chars().next() {
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let end = match first {
            '"' | '\'' => rest[1..].find(first)? + 2,
            _ if is_name(first) => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (piece, after) = rest.split_at(end);
        let is_free = is_name(first) && !first.is_ascii_digit() && !is_asked;
        parts.push(if is_free {
            ExpressionPart::Name(piece)
        } else {
            ExpressionPart::Other(piece)
        });
        is_asked = first == '.' || is_asked && first.is_whitespace();
        rest = after;
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_what_is_asked_of_them_and_from_text() {
        assert_eq!(names("a.size() > 3L && !\"b c\".equals(d)").unwrap(), ["a", "d"]);
        assert_eq!(names("this.all[i] != 'x'").unwrap(), ["this", "i"]);
        assert!(parts("all.stream().anyMatch(x -> x > 0)").is_none());
    }
}
