//! Contracts from annotations: nullness annotations (`JSpecify`, JSR-305, Checker and others), with scopes that exclude
//! null, and constraints of Bean Validation.

use super::parameters::{parameter_names, parameter_nodes};
use crate::contracts::postconditions::RESULT_PLACEHOLDER;
use mend_java::Code;
use mend_java::code::types::is_reference_type;
use mend_java::facts::{NodeIndex, NodeKind, NodeRole};

/// Annotations that exclude null.
const NON_NULL_ANNOTATIONS: [&str; 3] = ["NonNull", "Nonnull", "NotNull"];

/// Annotations that allow null.
const NULLABLE_ANNOTATIONS: [&str; 3] = ["Nullable", "CheckForNull", "NullableDecl"];

/// Annotations that exclude null for all parameters in their scope.
pub(super) const NON_NULL_PARAMETER_SCOPES: [&str; 3] =
    ["NullMarked", "ParametersAreNonnullByDefault", "NonNullApi"];

/// Annotations that exclude null for all results in their scope.
pub(super) const NON_NULL_RESULT_SCOPES: [&str; 3] =
    ["NullMarked", "ReturnValuesAreNonnullByDefault", "NonNullApi"];

/// Annotation that allows null in a scope that excludes it.
const NULL_UNMARKED: &str = "NullUnmarked";

/// Returns the preconditions that a method's parameter annotations state. `is_marked` is true if the package excludes
/// null by default.
pub(super) fn parameter_preconditions(
    code: &Code<'_>,
    method: NodeIndex,
    is_marked: bool,
) -> Vec<String> {
    let is_marked = is_in_non_null_scope(code, method, &NON_NULL_PARAMETER_SCOPES, is_marked);
    let conditions_of =
        |(node, name): (NodeIndex, String)| annotation_conditions(code, node, &name, is_marked);
    parameter_nodes(code, method)
        .into_iter()
        .zip(parameter_names(code, method))
        .flat_map(conditions_of)
        .collect()
}

/// Returns the postconditions that a method's own annotations state about its result, which is called [`RESULT_PLACEHOLDER`].
/// `is_marked` is true if the package excludes null by default.
pub(super) fn result_postconditions(
    code: &Code<'_>,
    method: NodeIndex,
    is_marked: bool,
) -> Vec<String> {
    if code.child(method, NodeRole::Type).is_none() {
        return Vec::new();
    }
    annotation_conditions(
        code,
        method,
        RESULT_PLACEHOLDER,
        is_in_non_null_scope(code, method, &NON_NULL_RESULT_SCOPES, is_marked),
    )
}

/// Returns the conditions that the annotations of a declaration state about its value.
fn annotation_conditions(
    code: &Code<'_>,
    declaration: NodeIndex,
    name: &str,
    is_marked: bool,
) -> Vec<String> {
    let annotations = read_annotations(code, declaration);
    let ty = code.symbol(declaration).map_or("", |symbol| code.facts.text(symbol.ty.erased));
    let has = |names: &[&str]| annotations.iter().any(|one| names.contains(&one.0.as_str()));
    let is_never_null = has(&NON_NULL_ANNOTATIONS)
        || is_marked && is_reference_type(ty) && !has(&NULLABLE_ANNOTATIONS);
    let null_condition = is_never_null.then(|| format!("{name} != null"));
    let validation_conditions =
        annotations.iter().filter_map(|one| bean_validation_condition(one, name, ty));
    null_condition.into_iter().chain(validation_conditions).collect()
}

/// Returns the condition that a Bean Validation annotation states about a value.
fn bean_validation_condition(
    (annotation, arguments): &(String, String),
    name: &str,
    ty: &str,
) -> Option<String> {
    let size = match ty {
        _ if ty.ends_with("[]") => "length",
        "java.lang.String" | "java.lang.CharSequence" => "length()",
        _ => "size()",
    };
    let number = |key: &str| {
        let named = arguments.split(',').find_map(|part| part.trim().strip_prefix(key));
        let value =
            named.map_or(arguments.as_str(), |rest| rest.trim_start().trim_start_matches('='));
        value.trim().parse::<i64>().ok()
    };
    // Bean Validation accepts null unless another annotation excludes it.
    let or_null = |text: String| {
        if is_reference_type(ty) { format!("({name} == null || {text})") } else { text }
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
pub(super) fn read_annotations(code: &Code<'_>, declaration: NodeIndex) -> Vec<(String, String)> {
    let Some(modifiers) = code.child(declaration, NodeRole::Modifiers) else { return Vec::new() };
    code.children(modifiers).into_iter().map(|id| parse_annotation(code.source_text(id))).collect()
}

/// Reads an annotation's source text.
fn parse_annotation(annotation: &str) -> (String, String) {
    let text = annotation.trim_start_matches('@');
    let (name, arguments) = text.split_once('(').unwrap_or((text, ""));
    let simple = name.trim().rsplit('.').next().unwrap_or_default();
    (simple.to_owned(), arguments.trim_end().trim_end_matches(')').to_owned())
}

/// Returns true for a package annotation that excludes null by default for one of some scopes.
pub(super) fn is_package_scope(code: &Code<'_>, id: NodeIndex, scopes: &[&str]) -> bool {
    code.has_kind(code.parent(id), NodeKind::Package)
        && scopes.contains(&&*parse_annotation(code.source_text(id)).0)
}

/// Returns true if the nearest annotated declaration around a method excludes null by default; `package_default` is the default
/// if none is annotated.
fn is_in_non_null_scope(
    code: &Code<'_>,
    method: NodeIndex,
    scopes: &[&str],
    package_default: bool,
) -> bool {
    let scope_of = |id: NodeIndex| {
        read_annotations(code, id).into_iter().find_map(|(name, _)| match &*name {
            NULL_UNMARKED => Some(false),
            name => scopes.contains(&name).then_some(true),
        })
    };
    code.self_and_ancestors(method).find_map(scope_of).unwrap_or(package_default)
}
