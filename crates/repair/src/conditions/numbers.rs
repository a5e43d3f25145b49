//! Numbers in conditions: zero, one, and the literals and constants of the method.

use mend_java::Code;
use mend_java::code::types::unbox;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolFlags, SymbolKind};
use std::collections::HashSet;

/// Maximum number of numbers taken from the method.
const MAX_METHOD_NUMBERS: usize = 6;

/// Kind of values that can be compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberKind {
    Integer,
    Fraction,
    Character,
}

impl NumberKind {
    /// Returns the kind of the values of a type.
    pub(crate) fn from_type(ty: &str) -> Self {
        match unbox(ty) {
            "double" | "float" => Self::Fraction,
            "char" => Self::Character,
            _ => Self::Integer,
        }
    }
}

/// A number or character with its source text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NumberTerm {
    pub(crate) text: String,
    pub(crate) value: f64,
    kind: NumberKind,
}

impl NumberTerm {
    /// Creates a small number.
    pub(crate) fn from_integer(number: i32) -> Self {
        Self { text: number.to_string(), value: f64::from(number), kind: NumberKind::Integer }
    }

    /// Returns the value as an `i32`; `None` if it is not such an integer.
    pub(crate) fn as_integer(&self) -> Option<i32> {
        let integer = format!("{:.0}", self.value).parse().ok();
        integer.filter(|integer| f64::from(*integer).total_cmp(&self.value).is_eq())
    }

    /// Reads a literal; `None` if it is not a plain number or character.
    pub(crate) fn read(code: &Code<'_>, literal: NodeIndex) -> Option<Self> {
        let text = code.source_text(literal);
        let kind = match code.kind(literal) {
            NodeKind::IntLiteral | NodeKind::LongLiteral => NumberKind::Integer,
            NodeKind::FloatLiteral | NodeKind::DoubleLiteral => NumberKind::Fraction,
            NodeKind::CharLiteral => NumberKind::Character,
            _ => return None,
        };
        let value = if kind == NumberKind::Character {
            let mut chars = text.strip_prefix('\'')?.strip_suffix('\'')?.chars();
            let only = chars.next().filter(|only| *only != '\\' && chars.next().is_none())?;
            f64::from(u32::from(only))
        } else {
            text.replace('_', "").trim_end_matches(['l', 'L', 'f', 'F', 'd', 'D']).parse().ok()?
        };
        Some(Self { text: text.to_owned(), value, kind })
    }
}

/// Returns the usual comparisons for values of a kind: operators and small numbers.
pub(crate) fn small_number_comparisons(kind: NumberKind) -> Vec<(&'static str, NumberTerm)> {
    let small: &[(&str, i32)] = match kind {
        NumberKind::Integer => {
            &[("==", 0), ("<", 0), (">", 0), ("<=", 0), ("==", 1), ("!=", 0), ("<=", 1)]
        }
        NumberKind::Fraction => {
            &[("<", 0), ("<=", 0), (">", 0), ("==", 0), ("!=", 0), ("<=", 1), (">", 1)]
        }
        NumberKind::Character => &[],
    };
    small.iter().map(|(operator, number)| (*operator, NumberTerm::from_integer(*number))).collect()
}

/// Returns the usual comparisons of values of a kind with given numbers.
pub(crate) fn number_comparisons(
    kind: NumberKind,
    numbers: &[NumberTerm],
) -> Vec<(&'static str, NumberTerm)> {
    let fitting = numbers.iter().filter(|number| {
        number.kind == kind || number.kind == NumberKind::Integer && kind == NumberKind::Fraction
    });
    let compared = fitting.flat_map(|number| {
        ["==", "!=", "<", ">", "<=", ">="].map(|operator| (operator, number.clone()))
    });
    compared.collect()
}

/// Returns the numbers and characters that a method mentions, the nearest to a statement first: literals except zero
/// and one, and constants of its class.
pub(crate) fn find_numbers(code: &Code<'_>, statement: NodeIndex) -> Vec<NumberTerm> {
    let Some(method) = code.enclosing_method(statement) else { return Vec::new() };
    let start = code.bytes(statement).start;
    let mut nodes: Vec<NodeIndex> = (method..code.node(method).subtree_end).collect();
    nodes.sort_by_key(|id| code.bytes(*id).start.abs_diff(start));
    let mut distinct = HashSet::new();
    let found = nodes.into_iter().filter_map(|id| {
        let number =
            NumberTerm::read(code, id).filter(|number| !matches!(&*number.text, "0" | "1"));
        number.or_else(|| constant_value(code, id))
    });
    found.filter(|number| distinct.insert(number.text.clone())).take(MAX_METHOD_NUMBERS).collect()
}

/// Returns a constant's value, if it is initialised in the same file.
fn constant_value(code: &Code<'_>, id: NodeIndex) -> Option<NumberTerm> {
    let symbol = code.symbol(id).filter(|_| code.has_kind(id, NodeKind::Identifier))?;
    let is_constant = symbol.kind == SymbolKind::Field && symbol.flags.has(SymbolFlags::STATIC);
    let constant_symbol =
        code.node(id).symbol.filter(|_| is_constant && symbol.flags.has(SymbolFlags::FINAL))?;
    let is_declared = |at: &usize| {
        code.has_kind(*at, NodeKind::Variable) && code.node(*at).symbol == Some(constant_symbol)
    };
    let declaration = (0..code.tree.nodes.len()).find(is_declared)?;
    let number = NumberTerm::read(code, code.child(declaration, NodeRole::Value)?)?;
    Some(NumberTerm { text: code.source_text(id).to_owned(), ..number })
}
