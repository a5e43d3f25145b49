//! Expansion of a call: the body of the callee, with arguments in place of parameters.

use crate::refactorings::sources::file_outline::{Member, child_in_field, named_children};
use crate::refactorings::sources::token_range::{TokenRange, TokenTexts};
use crate::refactorings::sources::versioned_sources::{DirectedChange, FileVersion};
use mend_java::NodeId;
use std::collections::HashMap;
use std::ops::Range;

/// A method whose calls are expanded.
pub(crate) struct Callee<'v, 'a> {
    pub(crate) file: &'v FileVersion<'a>,
    pub(crate) member: &'v Member,
    pub(crate) statements: Vec<NodeId>,
}

/// A call of the method.
#[derive(Clone, Copy)]
pub(crate) struct CallRef {
    pub(crate) file: usize,
    pub(crate) node: NodeId,
}

/// Replacement of a variable.
struct ArgumentValue<'a> {
    text: TokenTexts<'a>,
    /// True if the value binds less tightly than possible operators around it.
    is_composite: bool,
    /// True if the value can be evaluated any number of times.
    is_repeatable: bool,
}

type ArgumentValues<'a> = HashMap<usize, ArgumentValue<'a>>;

impl<'v, 'a> Callee<'v, 'a> {
    pub(crate) fn from_member(file: &'v FileVersion<'a>, member: &'v Member) -> Option<Self> {
        let body = member.body.filter(|body| file.kind(*body) == "block")?;
        Some(Self { file, member, statements: named_children(file.source, body) })
    }

    /// Returns the returned value, and the statements before the return.
    fn returned_value(&self) -> Option<(NodeId, &[NodeId])> {
        let (last, before) = self.statements.split_last()?;
        (self.file.kind(*last) == "return_statement").then_some(())?;
        Some((*named_children(self.file.source, *last).first()?, before))
    }

    /// Returns the field that the method only returns or sets.
    pub(crate) fn accessed_field(&self) -> Option<&'a [u8]> {
        let [only] = self.statements[..] else { return None };
        let file = self.file;
        let tokens = file.tokens(only);
        let body = tokens.start..tokens.end - 1;
        let words: Vec<&[u8]> = file.texts(body);
        let words = match words.strip_prefix(&[&b"return"[..]]) {
            Some(rest) => rest.to_vec(),
            None => {
                words.split_last_chunk::<2>().filter(|(_, [mark, _])| *mark == b"=")?.0.to_vec()
            }
        };
        let name = *words.strip_prefix(&[&b"this"[..], b"."]).unwrap_or(&words).first()?;
        let at = tokens.clone().find(|token| file.text(*token) == name)?;
        let definition = file.definition(at)?;
        (words.len() == 1 || words.len() == 3).then_some(())?;
        (definition.kind == mend_java::DefinitionKind::Field).then_some(name)
    }

    /// Returns the class of which the method only creates an instance.
    pub(crate) fn created_class(&self) -> Option<&'a [u8]> {
        let [_] = self.statements[..] else { return None };
        let (value, _) = self.returned_value()?;
        (self.file.kind(value) == "object_creation_expression").then_some(())?;
        let created_type = child_in_field(self.file.source, value, "type")?;
        Some(self.file.text(self.file.tokens(created_type).start))
    }

    pub(crate) fn is_static(&self) -> bool {
        let modifiers = crate::refactorings::sources::file_outline::modifier_tokens(
            self.file.source,
            self.member.node,
        );
        self.file.contains_token(modifiers, &["static"])
    }

    /// Returns the possible texts in place of a call: each surrounding unit with its expansion.
    pub(crate) fn expand_call(
        &self,
        change: &DirectedChange<'_, 'a>,
        call: CallRef,
    ) -> Option<Vec<(TokenRange, TokenTexts<'a>)>> {
        let file = change.to.file(call.file)?;
        let values = self.argument_values(file, call.node)?;
        let receiver = self.field_receiver(file, call.node)?;
        let range_of = |node: NodeId| TokenRange { file: call.file, tokens: file.tokens(node) };
        let mut rewrites = Vec::new();
        let parent = file.source.node(call.node).parent;
        if let Some((value, [])) = self.returned_value() {
            let text = self.substitute(self.file.tokens(value), &values)?;
            rewrites.push((range_of(call.node), qualify_with_receiver(&receiver, text)));
        }
        let prefix = file.tokens(parent).start..file.tokens(call.node).start;
        match file.kind(parent) {
            "expression_statement" => {
                let text = self.statement_text(&self.statements, &values)?;
                rewrites.push((range_of(parent), qualify_with_receiver(&receiver, text)));
            }
            "return_statement" if receiver.is_empty() => {
                let tokens = self.statement_tokens(&self.statements)?;
                rewrites.push((range_of(parent), self.substitute(tokens, &values)?));
            }
            "assignment_expression" | "variable_declarator" if receiver.is_empty() => {
                let statement = file.source.node(parent).parent;
                let start = file.tokens(statement).start;
                let prefix = file.texts(start..prefix.end);
                let texts = self.expand_with_result(&prefix, values)?;
                rewrites.extend(texts.into_iter().map(|text| (range_of(statement), text)));
            }
            _ => {}
        }
        Some(rewrites)
    }

    /// Returns the body before the result, and the result after a prefix such as `int x =`. If the result is a body
    /// variable with the prefix's name, the body without the prefix is also returned.
    fn expand_with_result(
        &self,
        prefix: &[&'a [u8]],
        values: ArgumentValues<'a>,
    ) -> Option<Vec<TokenTexts<'a>>> {
        let (value, before) = self.returned_value()?;
        if before.is_empty() {
            return None;
        }
        let mut text = self.statement_text(before, &values)?;
        text.extend(prefix);
        text.extend(self.substitute(self.file.tokens(value), &values)?);
        text.push(b";");
        let mut texts = vec![text];
        let returned_variable = self.file.definition(self.file.tokens(value).start);
        let [.., name, _] = prefix[..] else { return Some(texts) };
        if let Some(local) = returned_variable.filter(|_| self.file.tokens(value).len() == 1) {
            let own_value =
                ArgumentValue { text: vec![name], is_composite: false, is_repeatable: true };
            let mut renamed = values;
            renamed.insert(local.token, own_value);
            texts.push(self.text_with_renamed_variable(before, &renamed, local.token, name)?);
        }
        Some(texts)
    }

    fn text_with_renamed_variable(
        &self,
        statements: &[NodeId],
        values: &ArgumentValues<'a>,
        local: usize,
        name: &'a [u8],
    ) -> Option<TokenTexts<'a>> {
        let tokens = self.statement_tokens(statements)?;
        if !tokens.contains(&local) || self.has_return(statements) {
            return None;
        }
        let head = self.substitute(tokens.start..local, values)?;
        let tail: TokenTexts<'a> = (local + 1..tokens.end)
            .map(|token| {
                let meaning = self.file.definition(token).map(|one| one.token);
                if meaning == Some(local) {
                    Some(vec![name])
                } else {
                    self.substitute_token(token, values)
                }
            })
            .collect::<Option<Vec<_>>>()?
            .concat();
        Some(head.into_iter().chain([name]).chain(tail).collect())
    }

    /// Returns the text of statements that do not leave the method.
    fn statement_text(
        &self,
        statements: &[NodeId],
        values: &ArgumentValues<'a>,
    ) -> Option<TokenTexts<'a>> {
        (!self.has_return(statements)).then_some(())?;
        self.substitute(self.statement_tokens(statements)?, values)
    }

    fn has_return(&self, statements: &[NodeId]) -> bool {
        self.statement_tokens(statements)
            .is_some_and(|tokens| self.file.contains_token(tokens, &["return"]))
    }

    fn statement_tokens(&self, statements: &[NodeId]) -> Option<Range<usize>> {
        let (first, last) = (*statements.first()?, *statements.last()?);
        Some(self.file.tokens(first).start..self.file.tokens(last).end)
    }

    /// Replaces parameters by argument values; `None` if that changes the meaning.
    fn substitute(
        &self,
        tokens: Range<usize>,
        values: &ArgumentValues<'a>,
    ) -> Option<TokenTexts<'a>> {
        let texts: Option<Vec<TokenTexts<'a>>> =
            tokens.map(|token| self.substitute_token(token, values)).collect();
        Some(texts?.concat())
    }

    fn substitute_token(
        &self,
        token: usize,
        values: &ArgumentValues<'a>,
    ) -> Option<TokenTexts<'a>> {
        let file = self.file;
        let meaning = file
            .resolution
            .definition_of(token)
            .and_then(|at| file.symbol_index.definitions.get(at));
        let Some(value) = meaning.and_then(|definition| values.get(&definition.token)) else {
            return Some(vec![file.text(token)]);
        };
        let (before, after) = (file.text(token - 1), file.text(token + 1));
        let is_delimited = [&b"("[..], b",", b"=", b"return", b"["].contains(&before)
            && [&b")"[..], b",", b";", b"]"].contains(&after);
        if is_assigned(file, token) {
            return None;
        }
        if value.is_composite && !is_delimited {
            let inner = value.text.iter().copied();
            return Some(std::iter::once(&b"("[..]).chain(inner).chain([&b")"[..]]).collect());
        }
        Some(value.text.clone())
    }

    /// Returns the arguments by parameter; `None` if the number or order of their evaluations could differ.
    fn argument_values(&self, file: &FileVersion<'a>, call: NodeId) -> Option<ArgumentValues<'a>> {
        let arguments =
            named_children(file.source, child_in_field(file.source, call, "arguments")?);
        if arguments.len() != self.member.parameters.len() {
            return None;
        }
        let mut values = ArgumentValues::new();
        let mut effect_count = 0;
        for (parameter, argument) in self.member.parameters.iter().zip(arguments) {
            let value = argument_value(file, argument);
            let at = self.file.resolution.definition_at(parameter.name)?;
            let is_used_once = self.file.resolution.uses_of(at).len() == 1;
            effect_count += usize::from(!value.is_repeatable);
            if !value.is_repeatable && !is_used_once {
                return None;
            }
            values.insert(parameter.name, value);
        }
        (effect_count < 2).then_some(values)
    }

    /// Returns the receiver of the fields in the body, as the caller writes it; empty for the caller itself.
    fn field_receiver(&self, file: &FileVersion<'a>, call: NodeId) -> Option<TokenTexts<'a>> {
        let Some(object) = child_in_field(file.source, call, "object") else {
            return Some(Vec::new());
        };
        let text = file.texts(file.tokens(object));
        let owner = self.file.owner_type(self.member)?;
        let is_own_object = text == [b"this"] || text == [self.file.text(owner.name)];
        if is_own_object {
            return Some(Vec::new());
        }
        (self.accessed_field().is_some() && !self.is_static()).then_some(text)
    }
}

/// Qualifies a field with a receiver.
fn qualify_with_receiver<'a>(receiver: &TokenTexts<'a>, text: TokenTexts<'a>) -> TokenTexts<'a> {
    if receiver.is_empty() {
        return text;
    }
    let field = text.strip_prefix(&[&b"this"[..], b"."]).unwrap_or(&text);
    receiver.iter().chain([&&b"."[..]]).chain(field).copied().collect()
}

fn argument_value<'a>(file: &FileVersion<'a>, node: NodeId) -> ArgumentValue<'a> {
    let kind = file.kind(node);
    let is_repeatable = matches!(kind, "identifier" | "this" | "field_access" | "true" | "false")
        || kind.ends_with("_literal");
    let is_primary = is_repeatable
        || matches!(
            kind,
            "method_invocation"
                | "array_access"
                | "parenthesized_expression"
                | "object_creation_expression"
        );
    ArgumentValue { text: file.texts(file.tokens(node)), is_composite: !is_primary, is_repeatable }
}

/// Returns true if a token is a variable that is assigned there.
pub(crate) fn is_assigned(file: &FileVersion<'_>, token: usize) -> bool {
    let token_text = |at: Option<usize>| {
        at.and_then(|at| file.source.tokens().get(at))
            .map_or(&[][..], |range| &file.source.text()[range.clone()])
    };
    let (before, after) = (token_text(token.checked_sub(1)), token_text(Some(token + 1)));
    let is_increment = |text: &[u8]| text == b"++" || text == b"--";
    let is_assignment = after.ends_with(b"=") && !matches!(after, b"==" | b"<=" | b">=" | b"!=");
    is_increment(before) || is_increment(after) || is_assignment
}
