//! Edits that keep the formatting of a file: indentation, line ends, comments and imports.

use crate::evidence::calls::{block_body, descendants};
use mend_java::Code;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole, SymbolKind};
use mend_java::{Edit, apply_edits};

/// Returns the indentation unit of the file.
pub(crate) fn indent_unit<'a>(code: &Code<'a>) -> &'a str {
    let methods = code.nodes_of_kind(NodeKind::Method);
    let deeper = methods.filter_map(|id| {
        let first = *code.children(block_body(code, id)?).first()?;
        code.indent(first).strip_prefix(code.indent(id)).filter(|more| !more.is_empty())
    });
    deeper.min_by_key(|more| more.len()).unwrap_or("    ")
}

/// Returns the edit that adds a modifier before the type of a method or field.
pub(crate) fn add_modifier(code: &Code<'_>, id: NodeIndex, modifier: &str) -> Option<Edit> {
    let of = |role| code.child(id, role).map(|node| code.bytes(node).start);
    let at = match of(NodeRole::TypeParameter) {
        Some(parameter) => code.text[..parameter].rfind('<')?,
        None => of(NodeRole::Type)?,
    };
    Some(Edit::insert(at, format!("{modifier} ")))
}

/// Returns the edit that removes a modifier.
pub(crate) fn remove_modifier(code: &Code<'_>, id: NodeIndex, modifier: &str) -> Option<Edit> {
    let modifiers = code.bytes(code.child(id, NodeRole::Modifiers)?);
    let at = modifiers.start + code.text.get(modifiers.clone())?.find(modifier)?;
    let rest = &code.text[at + modifier.len()..];
    let space = rest.len() - rest.trim_start_matches(' ').len();
    Some(Edit::replace(at..at + modifier.len() + space, ""))
}

/// Replaces a `synchronized` statement or a `try` with its contents, without some statements at its start.
pub(crate) fn unwrap_block(code: &Code<'_>, block: NodeIndex, skipped: usize) -> Option<Edit> {
    let inner = code.children(code.child(block, NodeRole::Body)?);
    let (first, last) = (*inner.get(skipped)?, *inner.last()?);
    let text = code.text.get(code.bytes(first).start..code.bytes(last).end)?;
    let [inside, outside] = [first, block].map(|id| format!("\n{}", code.indent(id)));
    Some(Edit::replace(code.bytes(block), text.replace(&inside, &outside)))
}

/// Returns the edit of [`unwrap_block`] without skipped statements. Edits within the block are applied first.
pub(crate) fn unwrap_block_with_edits(
    code: &Code<'_>,
    block: NodeIndex,
    inner: &[Edit],
) -> Option<Edit> {
    let all = code.children(code.child(block, NodeRole::Body)?);
    let (first, last) = (*all.first()?, *all.last()?);
    let (from, to) = (start_with_indent(code, first), end_with_comment(code, last));
    let text = apply_edits(code.text.get(from..to)?, &shift_edits(inner, from))?;
    let [inside, outside] = [first, block].map(|id| format!("\n{}", code.indent(id)));
    let text = text.replace(&inside, &outside);
    Some(Edit::replace(code.bytes(block), text.trim_start()))
}

/// Shifts edits to a part of the text that starts at an offset.
fn shift_edits(edits: &[Edit], from: usize) -> Vec<Edit> {
    let shifted = |edit: &Edit| Edit {
        bytes: (edit.bytes.0.checked_sub(from).unwrap_or(usize::MAX), edit.bytes.1 - from),
        text: edit.text.clone(),
    };
    edits.iter().map(shifted).collect()
}

/// Indents lines one level deeper; empty lines stay empty.
fn indent_lines(text: &str, unit: &str) -> String {
    let line = |line: &str| {
        if line.trim().is_empty() { line.to_owned() } else { format!("{unit}{line}") }
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Wraps statements of one block, from the first to the last. Edits within them are applied first.
pub(crate) fn wrap_statements(
    code: &Code<'_>,
    range: (NodeIndex, NodeIndex),
    wrapper: (&str, &str),
    inner: &[Edit],
) -> Option<Edit> {
    wrap_nested(code, range, &[wrapper], inner)
}

/// Returns the edit of [`wrap_statements`] for nested wrappers, the outermost first.
pub(crate) fn wrap_nested(
    code: &Code<'_>,
    (first, last): (NodeIndex, NodeIndex),
    wrappers: &[(&str, &str)],
    inner: &[Edit],
) -> Option<Edit> {
    let indent = code.indent(first);
    let from = start_with_indent(code, first);
    let is_alone = from < code.bytes(first).start;
    let to = end_with_comment(code, last);
    let mut text = apply_edits(code.text.get(from..to)?, &shift_edits(inner, from))?;
    let (end, unit) = (code.line_end(), indent_unit(code));
    let lead = if is_alone { indent } else { "" };
    let format_own = |lines: &str| format_lines(code, indent, lines);
    for (before, after) in wrappers.iter().rev() {
        let deeper = indent_lines(&text, unit);
        text =
            format!("{lead}{}{end}{deeper}{end}{indent}{}", format_own(before), format_own(after));
    }
    Some(Edit::replace(from..to, text))
}

/// Formats generated lines, indented by four spaces, with the line ends and indentation of the file.
fn format_lines(code: &Code<'_>, indent: &str, lines: &str) -> String {
    let unit = indent_unit(code);
    let line = |line: &str| {
        let own = line.trim_start_matches("    ");
        format!("{}{own}", unit.repeat((line.len() - own.len()) / 4))
    };
    let all: Vec<String> = lines.split('\n').map(line).collect();
    all.join(&format!("{}{indent}", code.line_end()))
}

/// Returns the start of a statement's line, or of the statement if other code precedes it on the line.
fn start_with_indent(code: &Code<'_>, statement: NodeIndex) -> usize {
    let start = code.bytes(statement).start;
    let line = code.text[..start].rfind('\n').map_or(0, |at| at + 1);
    if code.text[line..start].trim().is_empty() { line } else { start }
}

/// Returns the end of a statement, including a comment at the end of its last line.
fn end_with_comment(code: &Code<'_>, statement: NodeIndex) -> usize {
    let end = code.bytes(statement).end;
    let line = code.text[end..].lines().next().unwrap_or_default();
    let comment = line.trim();
    let inner = comment.strip_prefix("/*").and_then(|rest| rest.strip_suffix("*/"));
    let is_block = inner.is_some_and(|inner| !inner.contains("*/"));
    if comment.starts_with("//") || is_block { end + line.trim_end().len() } else { end }
}

/// Returns the edit that adds a line before a statement.
pub(crate) fn insert_line_before(code: &Code<'_>, statement: NodeIndex, text: &str) -> Edit {
    let (indent, end) = (code.indent(statement), code.line_end());
    let own = format_lines(code, indent, text);
    Edit::insert(code.bytes(statement).start, format!("{own}{end}{indent}"))
}

/// Returns the edit that adds a line after a statement.
pub(crate) fn insert_line_after(code: &Code<'_>, statement: NodeIndex, text: &str) -> Edit {
    let (indent, end) = (code.indent(statement), code.line_end());
    let own = format_lines(code, indent, text);
    Edit::insert(code.bytes(statement).end, format!("{end}{indent}{own}"))
}

/// Returns the edit that removes a statement with its line.
pub(crate) fn remove_statement(code: &Code<'_>, statement: NodeIndex) -> Edit {
    Edit::replace(code.whole_line_range(statement), "")
}

/// Returns the edit that imports a class, unless its simple name already denotes it.
pub(crate) fn import_class(code: &Code<'_>, class: &str) -> Option<Edit> {
    let (package, _) = class.rsplit_once('.')?;
    let children = code.children(0);
    let imports = children.iter().copied().filter(|id| code.has_kind(*id, NodeKind::Import));
    let plain: Vec<NodeIndex> =
        imports.filter(|id| !code.source_text(*id).contains("import static")).collect();
    let names = |id: &NodeIndex| {
        let text = code.source_text(*id).trim_end_matches(';').trim();
        text.ends_with(&format!(" {class}")) || text.ends_with(&format!(" {package}.*"))
    };
    if package == "java.lang" || plain.iter().any(names) {
        return None;
    }
    let (end, line) = (code.line_end(), format!("import {class};"));
    let after = plain.iter().rev().find(|id| code.source_text(**id) < line.as_str());
    Some(match (after, plain.first()) {
        (Some(before), _) => Edit::insert(code.bytes(*before).end, format!("{end}{line}")),
        (None, Some(first)) => Edit::insert(code.bytes(*first).start, format!("{line}{end}")),
        (None, None) => match children.iter().find(|id| code.has_kind(**id, NodeKind::Package)) {
            Some(package) => Edit::insert(code.bytes(*package).end, format!("{end}{end}{line}")),
            None => Edit::insert(0, format!("{line}{end}{end}")),
        },
    })
}

/// Returns the shortest source text of a type in a file, without imported packages and its own package.
pub(crate) fn shortest_type_name(code: &Code<'_>, ty: &str) -> String {
    let package = code.children(0).into_iter().find(|id| code.has_kind(*id, NodeKind::Package));
    let package = package.map_or("", |id| code.source_text(id));
    let package = package.trim_start_matches("package").trim_end_matches(';').trim();
    let is_near = |class: &str| {
        let own = class.strip_prefix(package).and_then(|rest| rest.strip_prefix('.'));
        own.is_some_and(|own| !own.contains('.')) || import_class(code, class).is_none()
    };
    let is_name_char = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '$');
    let mut out = String::new();
    let mut rest = ty;
    while !rest.is_empty() {
        let word = &rest[..rest.find(|c| !is_name_char(c)).unwrap_or(rest.len())];
        let simple = word.rsplit_once('.').filter(|_| is_near(word)).map_or(word, |(_, own)| own);
        out.push_str(simple);
        let after = &rest[word.len()..];
        let other = &after[..after.find(is_name_char).unwrap_or(after.len())];
        out.push_str(other);
        rest = &after[other.len()..];
    }
    out
}

/// Returns the edit that adds a field at the start of a class with members.
pub(crate) fn insert_first_field(code: &Code<'_>, class: NodeIndex, text: &str) -> Option<Edit> {
    let is_member = |id: &NodeIndex| code.role(*id) == NodeRole::Member;
    let first = code.children(class).into_iter().find(is_member)?;
    Some(insert_field_before(code, first, text))
}

/// Returns the edit that adds a field before another member.
pub(crate) fn insert_field_before(code: &Code<'_>, member: NodeIndex, text: &str) -> Edit {
    let (indent, end) = (code.indent(member), code.line_end());
    Edit::insert(code.bytes(member).start, format!("{text}{end}{indent}"))
}

/// Returns a name that is unused in the file, except by methods.
pub(crate) fn unused_name(code: &Code<'_>, wanted: &str) -> String {
    find_unused_name(code, wanted, |_| true)
}

/// Returns a variable name for a method that no field of the file has, and that the method does not use.
pub(crate) fn unused_name_in_method(code: &Code<'_>, method: NodeIndex, wanted: &str) -> String {
    let inside = method..code.node(method).subtree_end;
    find_unused_name(code, wanted, |id| inside.contains(&id))
}

fn find_unused_name(code: &Code<'_>, wanted: &str, is_near: impl Fn(NodeIndex) -> bool) -> String {
    let is_taken = |name: &str| {
        descendants(code, 0).any(|id| {
            code.symbol(id).is_some_and(|one| {
                (is_near(id) || one.kind == SymbolKind::Field)
                    && one.kind != SymbolKind::Method
                    && code.facts.text(one.name) == name
            })
        })
    };
    let numbered = (2..).map(|number| format!("{wanted}{number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_else(|| wanted.to_owned())
}
