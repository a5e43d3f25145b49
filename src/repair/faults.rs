//! What the classes of exceptions say of a failure.

/// What is thrown where an index, a divisor, a size or a type does not fit.
const OF_RANGE: [&str; 9] = [
    "IndexOutOfBoundsException",
    "ArithmeticException",
    "NoSuchElementException",
    "ClassCastException",
    "NegativeArraySizeException",
    "NumberFormatException",
    "EmptyStackException",
    "StackOverflowError",
    "ConcurrentModificationException",
];

/// What guards throw.
const OF_GUARDS: [&str; 2] = ["IllegalArgumentException", "IllegalStateException"];

/// What assertions throw.
const OF_ASSERTIONS: [&str; 4] =
    ["AssertionError", "ComparisonFailure", "AssertionFailedError", "MultipleFailuresError"];

fn is_one(class: &str, of: &[&str]) -> bool {
    of.iter().any(|known| class.ends_with(known))
}

/// Whether null was dereferenced.
pub(super) fn is_null(class: &str) -> bool {
    class.ends_with("NullPointerException")
}

/// Whether something did not fit, be it an index, a divisor, a size or a type.
pub(super) fn is_range(class: &str) -> bool {
    is_one(class, &OF_RANGE)
}

/// Whether a guard threw it.
pub(super) fn is_guard(class: &str) -> bool {
    is_one(class, &OF_GUARDS)
}

/// Whether an assertion found something wrong.
pub(super) fn is_assertion(class: &str) -> bool {
    is_one(class, &OF_ASSERTIONS)
}

/// Whether nothing but a fault throws it.
pub(super) fn is_fault(class: &str) -> bool {
    is_null(class) || is_range(class) || is_assertion(class)
}
