//! Translation of a callee's preconditions to a call site.

use mend_java::code::purity::is_pure;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SemanticModel, SymbolId};
use mend_java::{Code, parenthesise};
use std::collections::HashMap;

/// Maximum length of an expression that may be repeated.
const MAX_REPEATED_LEN: usize = 60;

/// Literals and operators, which have no other meaning at a call site.
const RESERVED_WORDS: [&str; 4] = ["true", "false", "null", "instanceof"];

/// Translation of conditions to one call site.
pub(super) struct CallTranslation<'a> {
    facts: &'a SemanticModel,
    /// The argument of each parameter; `None` if it must not be evaluated twice.
    arguments: HashMap<&'a str, Option<String>>,
    /// Receiver of the call.
    receiver: CallReceiver,
    /// Class that declares the callee.
    owner: Option<SymbolId>,
    /// True if private members of the receiver are accessible.
    has_private_access: bool,
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
        let argument_texts = arguments.into_iter().map(|id| repeatable_text(code, id));
        let arguments_by_parameter =
            parameters.iter().map(String::as_str).zip(argument_texts).collect();
        Some(Self { arguments: arguments_by_parameter, ..Self::without_arguments(code, call)? })
    }

    /// Creates the translation without arguments.
    pub(super) fn without_arguments(code: &Code<'a>, call: NodeIndex) -> Option<Self> {
        let callee = code
            .child(call, NodeRole::Callee)
            .filter(|id| code.has_kind(*id, NodeKind::MemberSelect));
        let receiver = match callee.and_then(|id| code.children(id).first().copied()) {
            _ if code.has_kind(call, NodeKind::NewClass) => CallReceiver::Unnamed,
            None => CallReceiver::Itself,
            Some(object) => {
                repeatable_text(code, object).map_or(CallReceiver::Unnamed, CallReceiver::Named)
            }
        };
        let owner = code.symbol(call)?.owner;
        let enclosing_types =
            code.self_and_ancestors(call).filter(|id| code.is_type_declaration(*id));
        let is_at_home = enclosing_types.into_iter().any(|id| code.node(id).symbol == owner);
        Some(Self {
            facts: code.facts,
            arguments: HashMap::new(),
            receiver,
            owner,
            has_private_access: is_at_home,
        })
    }

    /// Translates a condition by replacing parameters with arguments; `None` if that is not possible.
    pub(super) fn translate(&self, condition: &str) -> Option<String> {
        replace_names(condition, |name| self.translate_name(name))
    }

    /// Translates a precondition, with `parameter_name` as the name of one parameter.
    pub(super) fn translate_naming_parameter(
        &self,
        condition: &str,
        parameter: &str,
        parameter_name: &str,
    ) -> Option<String> {
        replace_names(condition, |name| {
            if name == parameter {
                Some(parameter_name.to_owned())
            } else {
                self.translate_name(name)
            }
        })
    }

    fn translate_name(&self, name: &str) -> Option<String> {
        if RESERVED_WORDS.contains(&name) {
            return Some(name.to_owned());
        }
        if let Some(given) = self.arguments.get(name) {
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
            (_, Some(one)) if one.flags.access_level() == 0 && !self.has_private_access => None,
            (CallReceiver::Itself, Some(_)) => Some(name.to_owned()),
            (CallReceiver::Named(receiver), Some(_)) => Some(format!("{receiver}.{name}")),
            (CallReceiver::Unnamed, Some(_)) => None,
        }
    }
}

/// Returns the source text of a value, if it may be repeated.
fn repeatable_text(code: &Code<'_>, id: NodeIndex) -> Option<String> {
    let text = code.source_text(id);
    (is_pure(code, id) && text.len() <= MAX_REPEATED_LEN).then(|| parenthesise(text))
}

/// Replaces each unqualified name in an expression; `None` if a name has no replacement.
pub(super) fn replace_names(
    text: &str,
    replacement: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let mut replaced = String::new();
    for part in split_expression(text)? {
        match part {
            ExpressionPart::Name(name) => replaced.push_str(&replacement(name)?),
            ExpressionPart::Other(replacement) => replaced.push_str(replacement),
        }
    }
    Some(replaced)
}

/// Returns the unqualified names in an expression; `None` if it may declare names itself.
pub(crate) fn unqualified_names(text: &str) -> Option<Vec<&str>> {
    let name = |part| match part {
        ExpressionPart::Name(name) => Some(name),
        ExpressionPart::Other(_) => None,
    };
    Some(split_expression(text)?.into_iter().filter_map(name).collect())
}

/// A piece of an expression.
#[derive(Debug, PartialEq, Eq)]
enum ExpressionPart<'a> {
    /// An unqualified name.
    Name(&'a str),
    Other(&'a str),
}

/// Splits an expression into its parts in order; `None` if it may declare names itself.
fn split_expression(text: &str) -> Option<Vec<ExpressionPart<'_>>> {
    if text.contains("->") || text.contains('\\') {
        return None;
    }
    let (mut parts, mut rest) = (Vec::new(), text);
    let mut is_after_dot = false;
    while let Some(first) = rest.chars().next() {
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let end = match first {
            '"' | '\'' => rest[1..].find(first)? + 2,
            _ if is_name(first) => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        let is_unqualified_name = is_name(first) && !first.is_ascii_digit() && !is_after_dot;
        parts.push(if is_unqualified_name {
            ExpressionPart::Name(token)
        } else {
            ExpressionPart::Other(token)
        });
        is_after_dot = first == '.' || is_after_dot && first.is_whitespace();
        rest = after;
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_exclude_members_and_string_literals() {
        assert_eq!(unqualified_names("a.size() > 3L && !\"b c\".equals(d)").unwrap(), ["a", "d"]);
        assert_eq!(unqualified_names("this.all[i] != 'x'").unwrap(), ["this", "i"]);
        assert!(split_expression("all.stream().anyMatch(x -> x > 0)").is_none());
    }
}
