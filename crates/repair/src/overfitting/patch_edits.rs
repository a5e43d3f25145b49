//! Edits of a patch in the form of our own candidates: without layout and comments, for whole statements and as narrow
//! as possible.

use super::constant_result::{is_single_constant, returned_value};
use crate::candidates::candidate::FixOperator;
use mend_java::facts::{NodeIndex, NodeKind};
use mend_java::{Code, Edit, Grammar, NodeId, ParsedSource, apply_edits};
use std::ops::Range;

/// Edit of a patch, in two forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PatchEdit {
    /// From the first to the last token of the changed lines.
    pub(crate) whole: Edit,
    /// Only the tokens that change: equal tokens at both ends are left out.
    pub(crate) narrow: Edit,
}

/// Returns the edits of a patch without changes of layout and comments. `edits` are of whole lines, in ascending order.
pub(crate) fn to_patch_edits(old_text: &str, edits: &[Edit]) -> Vec<PatchEdit> {
    let Some(new_text) = apply_edits(old_text, edits) else { return Vec::new() };
    let parse = |text: &str| ParsedSource::parse_with_errors(text.as_bytes().into());
    let (Some(old), Some(new)) = (parse(old_text), parse(&new_text)) else { return Vec::new() };
    let (mut inserted, mut removed, mut found) = (0, 0, Vec::new());
    for edit in edits {
        let start = edit.bytes.0 + inserted - removed;
        inserted += edit.text.len();
        removed += edit.bytes.1 - edit.bytes.0;
        let sides = [
            TokenRange::new(&old, edit.bytes.0..edit.bytes.1),
            TokenRange::new(&new, start..start + edit.text.len()),
        ];
        found.extend(to_patch_edit(sides));
    }
    found
}

/// Returns an edit between tokens, or `None` if all tokens are equal. Inserted code belongs to what follows it.
fn to_patch_edit([old, new]: [TokenRange<'_>; 2]) -> Option<PatchEdit> {
    let ends = old.texts().rev().zip(new.texts().rev());
    let last = ends.take_while(|(one, other)| one == other).count();
    let [old_rest, new_rest] = [old.without_ends(0, last), new.without_ends(0, last)];
    if old_rest.tokens.is_empty() && new_rest.tokens.is_empty() {
        return None;
    }
    let starts = old_rest.texts().zip(new_rest.texts());
    let first = starts.take_while(|(one, other)| one == other).count();
    let [old_change, new_change] = [old_rest, new_rest].map(|rest| rest.without_ends(first, 0));
    let narrow = Edit::replace(old_change.bytes(), new_change.text());
    Some(PatchEdit { whole: Edit::replace(old.bytes(), new.text()), narrow })
}

/// Consecutive tokens of a file.
#[derive(Clone)]
struct TokenRange<'a> {
    source: &'a ParsedSource,
    tokens: Range<usize>,
}

impl<'a> TokenRange<'a> {
    /// Finds the tokens that a byte range touches. Tokens such as text blocks may extend beyond it.
    fn new(source: &'a ParsedSource, bytes: Range<usize>) -> Self {
        let tokens = source.tokens();
        let start = tokens.partition_point(|token| token.end <= bytes.start);
        let end = tokens.partition_point(|token| token.start < bytes.end);
        Self { source, tokens: start..end.max(start) }
    }

    fn texts(&self) -> impl DoubleEndedIterator<Item = &'a [u8]> + use<'a> {
        let source = self.source;
        self.tokens.clone().map(|token| source.token_text(token))
    }

    /// Returns the range without `first` tokens at its start and `last` tokens at its end.
    fn without_ends(&self, first: usize, last: usize) -> Self {
        let tokens = self.tokens.start + first..self.tokens.end - last;
        Self { source: self.source, tokens }
    }

    /// Returns the bytes from the first to the last token. Those of no token are before the next one.
    fn bytes(&self) -> Range<usize> {
        let all = self.source.tokens();
        let end_of_file = self.source.text().len();
        let start = all.get(self.tokens.start).map_or(end_of_file, |token| token.start);
        if self.tokens.is_empty() { start..start } else { start..all[self.tokens.end - 1].end }
    }

    /// Returns the text. A condition at its start is written as our own candidates write it.
    fn text(&self) -> String {
        let text = String::from_utf8_lossy(&self.source.text()[self.bytes()]).into_owned();
        let condition = text.strip_prefix("if").map(str::trim_start);
        match condition.filter(|rest| rest.starts_with('(')) {
            Some(rest) => format!("if {rest}"),
            None => text,
        }
    }
}

/// Returns the fix operator whose candidates a patch resembles: the same checks for overfitting apply.
/// `removes_statement` is true if an edit covers the statement in question.
pub(crate) fn infer_operator(
    old_text: &str,
    edits: &[PatchEdit],
    removes_statement: bool,
) -> FixOperator {
    if edits.iter().all(|edit| edit.narrow.text.is_empty()) {
        return if removes_statement { FixOperator::Removal } else { FixOperator::External };
    }
    let operator = edits.iter().find_map(|edit| infer_edit_operator(old_text, &edit.narrow));
    operator.unwrap_or(FixOperator::External)
}

fn infer_edit_operator(old_text: &str, Edit { bytes, text }: &Edit) -> Option<FixOperator> {
    let exits = ["return", "break", "continue", "throw"];
    if text.contains("if (") || text.contains("if(") {
        let is_exit = exits.iter().any(|exit| text.contains(exit));
        return Some(if is_exit { FixOperator::EarlyExit } else { FixOperator::Condition });
    }
    let removed = old_text.get(bytes.0..bytes.1).unwrap_or_default();
    let replaces_throw = removed.contains("throw") && !text.contains("throw");
    if replaces_throw || removed.is_empty() && is_assignment(text) {
        return Some(FixOperator::Assignment);
    }
    let adds_operand = ["&&", "||"]
        .iter()
        .any(|operator| text.matches(operator).count() > removed.matches(operator).count());
    adds_operand.then_some(FixOperator::Condition)
}

/// Returns true if a text begins with an assignment or a step, such as `n = 0` or `n++`, and not with a declaration.
fn is_assignment(text: &str) -> bool {
    let is_target_char = |c: char| c.is_alphanumeric() || "_$.[]".contains(c);
    let rest = text.trim_start_matches(is_target_char).trim_start();
    let is_operator =
        ["=", "+=", "-=", "++", "--"].iter().any(|operator| rest.starts_with(operator));
    rest.len() < text.len() && is_operator && !rest.starts_with("==")
}

/// Returns true if a routine returns one constant at every exit after edits, but not before. Unlike the check of our
/// own candidates, it does not depend on which nodes the edits change.
pub(crate) fn makes_routine_constant(code: &Code<'_>, method: NodeIndex, edits: &[Edit]) -> bool {
    let start = code.bytes(method).start;
    let relative = |edit: &Edit| {
        let (from, to) = edit.bytes;
        // Edits between tokens leave out the layout after them.
        Some(Edit::replace(
            from.checked_sub(start)?..to.checked_sub(start)?,
            format!("{} ", edit.text),
        ))
    };
    let old_text = code.source_text(method);
    let new_text = edits
        .iter()
        .map(relative)
        .collect::<Option<Vec<_>>>()
        .and_then(|edits| apply_edits(old_text, &edits));
    let Some(new_text) = new_text else { return false };
    let [before, after] = [old_text, &new_text].map(returned_values);
    is_single_constant(&after) && !is_single_constant(&before)
}

/// Returns the values that the routine in a text returns; empty if the text has syntax errors.
fn returned_values(routine: &str) -> Vec<String> {
    let class = format!("class A {{ {routine} }}");
    let Some(source) = ParsedSource::parse(class.into_bytes().into()) else { return Vec::new() };
    let grammar = Grammar::get();
    let [return_kind, lambda, routine_kind, class_kind] =
        ["return_statement", "lambda_expression", "method_declaration", "class_body"]
            .map(|name| grammar.kind_id(name));
    // Lambdas and nested classes have their own results.
    let is_own = |id: NodeId| {
        let mut holders = source.ancestors(id).map(|holder| source.node(holder).kind);
        let owner = holders.find(|kind| [lambda, routine_kind, class_kind].contains(kind));
        owner == Some(routine_kind) && holders.filter(|kind| *kind == class_kind).count() == 1
    };
    let returns =
        (0..source.nodes().len()).filter(|id| source.node(*id).kind == return_kind && is_own(*id));
    returns.map(|id| returned_value(source.str_of(id)).to_owned()).collect()
}

/// Returns true if an edit touches a node: changes a part of it, or inserts text before or inside it.
pub(crate) fn touches(edit: &Edit, node: &Range<usize>) -> bool {
    let (from, to) = edit.bytes;
    from < node.end && (node.start < to || from == to && node.start <= from)
}

/// Method that contains an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EditedMethod {
    /// The innermost method around the edit.
    Inside(NodeIndex),
    /// No method: the edit is between members.
    Outside,
    /// The edit contains or overlaps whole methods.
    Across,
}

/// Returns the method that contains an edit.
pub(crate) fn edited_method(code: &Code<'_>, edit: &Edit) -> EditedMethod {
    let (from, to) = edit.bytes;
    let touched = code.nodes_of_kind(NodeKind::Method).filter(|id| {
        let bytes = code.bytes(*id);
        from < bytes.end && bytes.start < to || from == to && bytes.start < from && from < bytes.end
    });
    let touched: Vec<NodeIndex> = touched.collect();
    let contains = |id: &&NodeIndex| {
        let bytes = code.bytes(**id);
        bytes.start <= from && to <= bytes.end
    };
    let innermost = touched.iter().filter(contains).min_by_key(|id| code.bytes(**id).len());
    match innermost {
        Some(method) => EditedMethod::Inside(*method),
        None if touched.is_empty() => EditedMethod::Outside,
        None => EditedMethod::Across,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits_between(old: &str, new: &str) -> Vec<PatchEdit> {
        to_patch_edits(old, &[Edit::replace(0..old.len(), new)])
    }

    #[test]
    fn layout_and_comments_are_no_edits() {
        assert_eq!(edits_between("  a(1);\n", "    // calls\n    a( 1 ); /* . */\n"), []);
    }

    #[test]
    fn narrow_edit_leaves_out_equal_tokens() {
        let narrow = |old: &str, new: &str| {
            let all = edits_between(old, new);
            all.into_iter().map(|edit| edit.narrow).collect::<Vec<_>>()
        };
        assert_eq!(narrow("  if (a < b) {\n", "  if (a <= b) {\n"), [Edit::replace(8..9, "<=")]);
        assert_eq!(narrow("  return a + b;\n", "\treturn 0; // x\n"), [Edit::replace(9..14, "0")]);
        assert_eq!(
            narrow("a();\n", "if(p) { return; }\na();\n"),
            [Edit::insert(0, "if (p) { return; }")]
        );
    }

    #[test]
    fn insertion_is_before_the_next_token() {
        let edits = to_patch_edits("{\n  a();\n}\n", &[Edit::insert(2, "  // why\n  b();\n")]);
        let insertion = Edit::insert(4, "b();");
        assert_eq!(edits, [PatchEdit { whole: insertion.clone(), narrow: insertion }]);
    }

    #[test]
    fn change_inside_a_text_block_is_an_edit() {
        let old = "String s = \"\"\"\n  a\n  b\n  \"\"\";\n";
        let edits = to_patch_edits(old, &[Edit::replace(15..19, "  c\n")]);
        assert_eq!(edits.len(), 1);
        assert!(edits[0].narrow.text.contains("  c\n  b"), "{edits:?}");
    }

    #[test]
    fn operator_of_a_patch_is_inferred_from_its_text() {
        let operator = |old: &str, new: &str| infer_operator(old, &edits_between(old, new), true);
        assert_eq!(operator("a();\n", "\n"), FixOperator::Removal);
        assert_eq!(operator("a();\n", "if (p) return;\na();\n"), FixOperator::EarlyExit);
        assert_eq!(operator("if (p) throw e;\n", "if (p) a = 0;\n"), FixOperator::Assignment);
        assert_eq!(operator("a();\n", "if (p) {\n  a();\n}\n"), FixOperator::Condition);
        assert_eq!(operator("if (p) {\n", "if (p && q) {\n"), FixOperator::Condition);
        assert_eq!(operator("if (p) {\n", "if (q || p) {\n"), FixOperator::Condition);
        assert_eq!(operator("if (p < q) {\n", "if (p <= q) {\n"), FixOperator::External);
        assert_eq!(operator("a();\n", "b();\n"), FixOperator::External);
        assert_eq!(operator("a();\n", "n = 0;\na();\n"), FixOperator::Assignment);
        assert_eq!(operator("a();\n", "int n = 0;\na();\n"), FixOperator::External);
    }

    #[test]
    fn returned_values_are_those_of_the_routine_itself() {
        let routine =
            "int f() { g(() -> { return 1; }); new B() { int g() { return 2; } }; return 3; }";
        assert_eq!(returned_values(routine), ["3"]);
        assert_eq!(returned_values("int f( {"), Vec::<String>::new());
    }
}
