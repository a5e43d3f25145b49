//! Contracts from annotations: nullness in the forms of `JSpecify`, JSR-305, Checker and others, with scopes that
//! exclude null, and the basics of Bean Validation.

use super::parameters::{parameter_nodes, parameters};
use crate::contracts::postconditions::RESULT;
use mend_java::Code;
use mend_java::code::types::is_reference;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Annotations that exclude null.
const NOT_NULL: [&str; 3] = ["NonNull", "Nonnull", "NotNull"];

/// Annotations that allow null.
const NULLABLE: [&str; 3] = ["Nullable", "CheckForNull", "NullableDecl"];

/// Annotations that exclude null for all parameters in their scope.
pub(super) const OF_PARAMETERS: [&str; 3] =
    ["NullMarked", "ParametersAreNonnullByDefault", "NonNullApi"];

/// Annotations that exclude null for all results in their scope.
pub(super) const OF_RESULTS: [&str; 3] =
    ["NullMarked", "ReturnValuesAreNonnullByDefault", "NonNullApi"];

/// Within this anything may be null again.
const UNMARKED: &str = "NullUnmarked";

/// Returns the preconditions that a method's parameter annotations state. `is_marked` is true if the package excludes
/// null by default.
pub(super) fn demands(code: &Code<'_>, method: NodeIndex, is_marked: bool) -> Vec<String> {
    let is_marked = is_within(code, method, &OF_PARAMETERS, is_marked);
    let of =
        |(node, name): (NodeIndex, String)| annotation_conditions(code, node, &name, is_marked);
    parameter_nodes(code, method).into_iter().zip(parameters(code, method)).flat_map(of).collect()
}

/// Returns the postconditions that a method's own annotations state about its result, which is called [`RESULT`].
/// `is_marked` is true if the package excludes null by default.
pub(super) fn assurances(code: &Code<'_>, method: NodeIndex, is_marked: bool) -> Vec<String> {
    if code.child(method, NodeRole::Type).is_none() {
        return Vec::new();
    }
    annotation_conditions(code, method, RESULT, is_within(code, method, &OF_RESULTS, is_marked))
}

/// Returns the conditions that the annotations of a declaration state about its value.
fn annotation_conditions(
    code: &Code<'_>,
    declaration: NodeIndex,
    name: &str,
    is_marked: bool,
) -> Vec<String> {
    let all = annotations(code, declaration);
    let ty = code.symbol(declaration).map_or("", |symbol| code.facts.text(symbol.ty.erased));
    let has = |names: &[&str]| all.iter().any(|one| names.contains(&one.0.as_str()));
    let is_never_null = has(&NOT_NULL) || is_marked && is_reference(ty) && !has(&NULLABLE);
    let null = is_never_null.then(|| format!("{name} != null"));
    let valid = all.iter().filter_map(|one| valid(one, name, ty));
    null.into_iter().chain(valid).collect()
}

/// Returns the condition that a Bean Validation annotation states about a value.
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

/// Returns the annotations of a declaration by simple name, with the text in their parentheses.
pub(super) fn annotations(code: &Code<'_>, declaration: NodeIndex) -> Vec<(String, String)> {
    let Some(modifiers) = code.child(declaration, NodeRole::Modifiers) else { return Vec::new() };
    code.children(modifiers).into_iter().map(|id| read(code.written(id))).collect()
}

/// Reads an annotation's source text.
fn read(annotation: &str) -> (String, String) {
    let text = annotation.trim_start_matches('@');
    let (name, inside) = text.split_once('(').unwrap_or((text, ""));
    let simple = name.trim().rsplit('.').next().unwrap_or_default();
    (simple.to_owned(), inside.trim_end().trim_end_matches(')').to_owned())
}

/// Returns true for a package annotation that excludes null by default for one of some scopes.
pub(super) fn is_package_scope(code: &Code<'_>, id: NodeIndex, scopes: &[&str]) -> bool {
    code.is(code.parent(id), NodeKind::Package) && scopes.contains(&&*read(code.written(id)).0)
}

/// Returns true if the nearest annotated declaration around a method excludes null by default; `outside` is the default
/// if none is annotated.
fn is_within(code: &Code<'_>, method: NodeIndex, scopes: &[&str], outside: bool) -> bool {
    let said = |id: NodeIndex| {
        annotations(code, id).into_iter().find_map(|(name, _)| match &*name {
            UNMARKED => Some(false),
            name => scopes.contains(&name).then_some(true),
        })
    };
    code.self_and_ancestors(method).find_map(said).unwrap_or(outside)
}
