//! Places and layout of the text of a POM.

use roxmltree::Node;

/// Returns the first child with a name.
pub(super) fn find_child<'a, 'input>(
    node: Node<'a, 'input>,
    name: &str,
) -> Option<Node<'a, 'input>> {
    node.children().find(|child| child.is_element() && child.tag_name().name() == name)
}

/// Returns the place after the opening tag of an element; `None` if the element has no closing tag.
pub(super) fn content_start(text: &str, element: Node<'_, '_>) -> Option<usize> {
    let first_child = element.first_child().map(|child| child.range().start);
    let closing_tag = text[element.range()].rfind("</").map(|tag| element.range().start + tag);
    first_child.or(closing_tag)
}

/// Returns the start of the line if only spaces precede an offset in it, otherwise the offset.
pub(super) fn line_start(text: &str, offset: usize) -> usize {
    let start = text[..offset].rfind('\n').map_or(0, |line_end| line_end + 1);
    if text[start..offset].trim().is_empty() { start } else { offset }
}

/// Indents lines.
pub(super) fn indent(lines: &mut [String], indentation: &str) {
    for line in lines.iter_mut() {
        line.insert_str(0, indentation);
    }
}

/// Returns the indentation of the elements in `project`.
pub(super) fn indentation_unit(pom: &str) -> String {
    let before = pom.split("<modelVersion>").next().unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let is_indentation = !line.is_empty() && line.trim().is_empty();
    if is_indentation { line.to_owned() } else { "  ".to_owned() }
}

/// Returns the line end of a text.
pub(super) fn line_end_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}
