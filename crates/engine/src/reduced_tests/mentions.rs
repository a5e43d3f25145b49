//! Names that a piece of Java code mentions.

use mend_java::{NodeId, ParsedSource};
use std::collections::BTreeSet;

/// Names that a piece of code mentions. Two declarations with one name are not distinguished.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mentions {
    /// Names of types, variables and packages.
    pub(crate) words: BTreeSet<String>,
    /// Called methods.
    calls: BTreeSet<MentionedCall>,
    /// Words of string literals without spaces, which may be names for reflection.
    texts: BTreeSet<String>,
}

/// A call of a method, or a reference to one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct MentionedCall {
    receiver: Receiver,
    method: String,
}

/// Object or class of a call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Receiver {
    /// None, `this` or `super`.
    Own,
    /// A variable or class with a simple name.
    Name(String),
    /// Any other expression.
    Expression,
}

impl Mentions {
    /// Adds the names of a node, without those of the nodes in it.
    pub(crate) fn add_node(&mut self, parsed: &ParsedSource, node: NodeId) {
        match parsed.kind_name(node) {
            "method_invocation" => {
                let receiver = parsed.child_by_name(node, "object");
                if let Some(name) = parsed.child_by_name(node, "name") {
                    self.add_call(parsed, receiver, name);
                }
            }
            "method_reference" => {
                let parts: Vec<_> = parsed.named_children(node).collect();
                if let [receiver, .., name] = parts[..] {
                    self.add_call(parsed, Some(receiver), name);
                }
            }
            "identifier" if is_method_name(parsed, node) => {}
            "identifier" | "type_identifier" => {
                self.words.insert(parsed.str_of(node).to_owned());
            }
            "scoped_identifier" | "scoped_type_identifier" => {
                self.words.extend(identifiers(parsed.str_of(node)).map(str::to_owned));
            }
            kind if kind.ends_with("string_literal") => self.add_text(parsed.str_of(node)),
            _ => {}
        }
    }

    fn add_call(&mut self, parsed: &ParsedSource, receiver: Option<NodeId>, name: NodeId) {
        let receiver = match receiver.map(|node| (parsed.kind_name(node), parsed.str_of(node))) {
            None | Some(("this" | "super", _)) => Receiver::Own,
            Some((_, text)) if matches!(text.rsplit('.').next(), Some("this" | "super")) => {
                Receiver::Own
            }
            Some(("identifier" | "type_identifier", name)) => Receiver::Name(name.to_owned()),
            Some(_) => Receiver::Expression,
        };
        self.calls.insert(MentionedCall { receiver, method: parsed.str_of(name).to_owned() });
    }

    fn add_text(&mut self, literal: &str) {
        let is_word = |text: &str| !text.contains(char::is_whitespace);
        if is_word(literal) {
            self.texts.extend(identifiers(literal).map(str::to_owned));
        }
    }

    /// Adds the names of another piece of code.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.words.extend(other.words.iter().cloned());
        self.calls.extend(other.calls.iter().cloned());
        self.texts.extend(other.texts.iter().cloned());
    }

    /// Returns true if a type or variable with this name is mentioned.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.words.contains(name) || self.texts.contains(name)
    }

    /// Returns true if a method with this name is called on any object.
    pub(crate) fn has_call(&self, method: &str) -> bool {
        self.texts.contains(method) || self.calls.iter().any(|call| call.method == method)
    }

    /// Returns true if a method with this name is called on the current object or on one of these classes.
    pub(crate) fn has_own_call(&self, method: &str, classes: &BTreeSet<String>) -> bool {
        let is_own = |call: &MentionedCall| match &call.receiver {
            Receiver::Own => true,
            Receiver::Name(name) => classes.contains(name),
            Receiver::Expression => false,
        };
        self.texts.contains(method)
            || self.calls.iter().any(|call| call.method == method && is_own(call))
    }
}

/// Returns the identifiers of a text.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    words.filter(|word| !word.is_empty())
}

/// Returns true if an identifier is the name in a call.
fn is_method_name(parsed: &ParsedSource, node: NodeId) -> bool {
    let parent = parsed.node(node).parent;
    parsed.kind_name(parent) == "method_invocation"
        && parsed.child_by_name(parent, "name") == Some(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mentions_of(body: &str) -> Mentions {
        let text = format!("class T {{ void m() {{ {body} }} }}");
        let parsed = ParsedSource::parse(text.into_bytes().into()).unwrap();
        let mut mentions = Mentions::default();
        (0..parsed.nodes().len()).for_each(|node| mentions.add_node(&parsed, node));
        mentions
    }

    #[test]
    fn calls_are_distinguished_by_receiver() {
        let own = ["a();", "this.a();", "super.a();", "U.this.a();", "f(this::a);", "T.a();"];
        let classes = BTreeSet::from(["T".to_owned()]);
        for body in own {
            assert!(mentions_of(body).has_own_call("a", &classes), "{body}");
        }
        for body in ["x.a();", "f().a();", "f(U::a);", "int a = 1;"] {
            assert!(!mentions_of(body).has_own_call("a", &classes), "{body}");
        }
        assert!(mentions_of("f().a();").has_call("a") && !mentions_of("int a = 1;").has_call("a"));
    }

    #[test]
    fn names_include_words_of_literals_without_spaces() {
        let mentions = mentions_of("Foo.Bar x = y.z; call(\"p.Q#r()\", \"two words\");");
        for name in ["Foo", "Bar", "x", "y", "z", "Q", "r"] {
            assert!(mentions.has_name(name), "{name}");
        }
        for name in ["call", "two", "words"] {
            assert!(!mentions.has_name(name), "{name}");
        }
    }
}
