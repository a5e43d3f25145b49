//! What annotations demand of parameters: nullness as `JSpecify`, JSR-305, Checker and others write it, with scopes in
//! which nothing may be null, and the basics of Bean Validation.

use super::{parameter_nodes, parameters};
use crate::facts::{NodeIndex, Role};
use crate::repair::code::Code;
use crate::repair::proposals::is_reference;

/// A parameter with one of these is not null.
const NOT_NULL: [&str; 3] = ["NonNull", "Nonnull", "NotNull"];

/// A parameter with one of these may be.
const NULLABLE: [&str; 3] = ["Nullable", "CheckForNull", "NullableDecl"];

/// Within these nothing may be null that is not said to.
const SCOPES: [&str; 3] = ["NullMarked", "ParametersAreNonnullByDefault", "NonNullApi"];

/// Within this anything may be null again.
const UNMARKED: &str = "NullUnmarked";

/// What a method's parameters demand by their annotations.
/// `is_marked` where its package says that nothing may be null.
pub(super) fn demands(code: &Code<'_>, method: NodeIndex, is_marked: bool) -> Vec<String> {
    let is_marked = code.around(method).find_map(|id| scope(code, id)).unwrap_or(is_marked);
    let of = |(node, name): (NodeIndex, String)| {
        let all = annotations(code, node);
        let ty = code.symbol(node).map_or("", |symbol| code.facts.text(symbol.ty.erased));
        let has = |names: &[&str]| all.iter().any(|one| names.contains(&one.0.as_str()));
        let is_never_null = has(&NOT_NULL) || is_marked && is_reference(ty) && !has(&NULLABLE);
        let null = is_never_null.then(|| format!("{name} != null"));
        let valid: Vec<String> = all.iter().filter_map(|one| valid(one, &name, ty)).collect();
        null.into_iter().chain(valid)
    };
    parameter_nodes(code, method).into_iter().zip(parameters(code, method)).flat_map(of).collect()
}

/// What an annotation of Bean Validation demands of a value.
fn valid((annotation, inside): &(String, String), name: &str, ty: &str) -> Option<String> {
    let size = match ty {
        _ if ty.ends_with("[]") => "length",
        "java.lang.String" | "java.lang.CharSequence" => "length()",
        _ => "size()",
    };
    let number = |key: &str| {
        let named = inside.split(',').find_map(|part| part.trim().strip_prefix(key));
        let value = named.map_or(inside.as_str(), |rest| rest.trim_start().trim_start_matches('='));
        value.trim().parse::<i64>().ok()
    };
    // A value that is null is valid unless something else says that it is not.
    let or_null = |text: String| {
        if is_reference(ty) { format!("({name} == null || {text})") } else { text }
    };
    Some(match annotation.as_str() {
        "NotEmpty" => format!("{name} != null && {name}.{size} > 0"),
        "NotBlank" => format!("{name} != null && !{name}.trim().isEmpty()"),
        "Min" => or_null(format!("{name} >= {}", number("value")?)),
        "Max" => or_null(format!("{name} <= {}", number("value")?)),
        "Positive" => or_null(format!("{name} > 0")),
        "PositiveOrZero" => or_null(format!("{name} >= 0")),
        "Negative" => or_null(format!("{name} < 0")),
        "NegativeOrZero" => or_null(format!("{name} <= 0")),
        "Size" => {
            let least = number("min").map(|least| format!("{name}.{size} >= {least}"));
            let most = number("max").map(|most| format!("{name}.{size} <= {most}"));
            let both: Vec<String> = least.into_iter().chain(most).collect();
            or_null(Some(both.join(" && ")).filter(|text| !text.is_empty())?)
        }
        _ => return None,
    })
}

/// The annotations of a declaration by their simple names, and what stands in their parentheses.
pub(super) fn annotations(code: &Code<'_>, declaration: NodeIndex) -> Vec<(String, String)> {
    let Some(modifiers) = code.child(declaration, Role::Modifiers) else { return Vec::new() };
    code.children(modifiers).into_iter().map(|id| read(code.written(id))).collect()
}

/// An annotation as it is written.
fn read(annotation: &str) -> (String, String) {
    let text = annotation.trim_start_matches('@');
    let (name, inside) = text.split_once('(').unwrap_or((text, ""));
    let simple = name.trim().rsplit('.').next().unwrap_or_default();
    (simple.to_owned(), inside.trim_end().trim_end_matches(')').to_owned())
}

/// Whether it is what says of a package that in it nothing may be null that is not said to.
pub(super) fn is_package_scope(code: &Code<'_>, id: NodeIndex) -> bool {
    code.is(code.parent(id), "PACKAGE") && SCOPES.contains(&read(code.written(id)).0.as_str())
}

/// Whether a declaration says that in it nothing may be null that is not said to, or takes that back; nothing if it
/// says neither.
pub(super) fn scope(code: &Code<'_>, declaration: NodeIndex) -> Option<bool> {
    annotations(code, declaration).into_iter().find_map(|(name, _)| match &*name {
        UNMARKED => Some(false),
        name => SCOPES.contains(&name).then_some(true),
    })
}
