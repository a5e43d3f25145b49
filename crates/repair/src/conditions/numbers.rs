//! Numbers that conditions compare with: zero and one, and those that the method names.

use mend_java::Code;
use mend_java::code::types::unboxed;
use mend_java::facts::{Flags, NodeIndex, Role, SymbolKind};
use std::collections::HashSet;

/// Maximum number of numbers taken from the method.
const TRIED: usize = 6;

/// Kind of values that can be compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Whole,
    Fraction,
    Character,
}

impl Kind {
    /// Returns the kind of the values of a type.
    pub(crate) fn of(ty: &str) -> Self {
        match unboxed(ty) {
            "double" | "float" => Self::Fraction,
            "char" => Self::Character,
            _ => Self::Whole,
        }
    }
}

/// A number or character as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Number {
    pub(crate) text: String,
    pub(crate) value: f64,
    kind: Kind,
}

impl Number {
    /// Creates a small number.
    pub(crate) fn of(number: i32) -> Self {
        Self { text: number.to_string(), value: f64::from(number), kind: Kind::Whole }
    }

    /// Returns its value, if it is a whole number of common size.
    pub(crate) fn whole(&self) -> Option<i32> {
        let whole = format!("{:.0}", self.value).parse().ok();
        whole.filter(|whole| f64::from(*whole).total_cmp(&self.value).is_eq())
    }

    /// Reads a literal; `None` if it is not a plain number or character.
    pub(crate) fn read(code: &Code<'_>, literal: NodeIndex) -> Option<Self> {
        let text = code.written(literal);
        let kind = match code.kind(literal) {
            "INT_LITERAL" | "LONG_LITERAL" => Kind::Whole,
            "FLOAT_LITERAL" | "DOUBLE_LITERAL" => Kind::Fraction,
            "CHAR_LITERAL" => Kind::Character,
            _ => return None,
        };
        let value = if kind == Kind::Character {
            let mut inside = text.strip_prefix('\'')?.strip_suffix('\'')?.chars();
            let only = inside.next().filter(|only| *only != '\\' && inside.next().is_none())?;
            f64::from(u32::from(only))
        } else {
            text.replace('_', "").trim_end_matches(['l', 'L', 'f', 'F', 'd', 'D']).parse().ok()?
        };
        Some(Self { text: text.to_owned(), value, kind })
    }
}

/// Returns the usual comparisons for values of a kind: operators and small numbers.
pub(crate) fn against_small(kind: Kind) -> Vec<(&'static str, Number)> {
    let small: &[(&str, i32)] = match kind {
        Kind::Whole => &[("==", 0), ("<", 0), (">", 0), ("<=", 0), ("==", 1), ("!=", 0), ("<=", 1)],
        Kind::Fraction => {
            &[("<", 0), ("<=", 0), (">", 0), ("==", 0), ("!=", 0), ("<=", 1), (">", 1)]
        }
        Kind::Character => &[],
    };
    small.iter().map(|(operator, number)| (*operator, Number::of(*number))).collect()
}

/// Returns the usual comparisons of values of a kind with given numbers.
pub(crate) fn against(kind: Kind, numbers: &[Number]) -> Vec<(&'static str, Number)> {
    let fitting = numbers.iter().filter(|number| {
        number.kind == kind || number.kind == Kind::Whole && kind == Kind::Fraction
    });
    let compared = fitting.flat_map(|number| {
        ["==", "!=", "<", ">", "<=", ">="].map(|operator| (operator, number.clone()))
    });
    compared.collect()
}

/// Returns the numbers and characters that a method mentions, the nearest to a statement first: literals except zero
/// and one, and constants of its class.
pub(crate) fn numbers(code: &Code<'_>, statement: NodeIndex) -> Vec<Number> {
    let Some(method) = code.method_of(statement) else { return Vec::new() };
    let start = code.bytes(statement).start;
    let mut nodes: Vec<NodeIndex> = (method..code.node(method).end).collect();
    nodes.sort_by_key(|id| code.bytes(*id).start.abs_diff(start));
    let mut known = HashSet::new();
    let named = nodes.into_iter().filter_map(|id| {
        let number = Number::read(code, id).filter(|number| !matches!(&*number.text, "0" | "1"));
        number.or_else(|| constant(code, id))
    });
    named.filter(|number| known.insert(number.text.clone())).take(TRIED).collect()
}

/// Returns a constant's value, if it is initialised in the same file.
fn constant(code: &Code<'_>, id: NodeIndex) -> Option<Number> {
    let symbol = code.symbol(id).filter(|_| code.is(id, "IDENTIFIER"))?;
    let is_constant = symbol.kind == SymbolKind::Field && symbol.flags.has(Flags::STATIC);
    let known = code.node(id).symbol.filter(|_| is_constant && symbol.flags.has(Flags::FINAL))?;
    let is_declared = |at: &usize| code.is(*at, "VARIABLE") && code.node(*at).symbol == Some(known);
    let declaration = (0..code.tree.nodes.len()).find(is_declared)?;
    let number = Number::read(code, code.child(declaration, Role::Value)?)?;
    Some(Number { text: code.written(id).to_owned(), ..number })
}
