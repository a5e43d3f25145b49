//! Contracts written in Javadoc: `@throws … if …`, `@param … must not be null`, `@return … never null`. The patterns
//! follow Jdoctor (Blasi et al., ISSTA 2018, section 3): a subject and a predicate, joined by "or".

use crate::contracts::postconditions::RESULT_PLACEHOLDER;
use mend_java::code::types::is_reference_type;

/// Exceptions of `java.lang` that a method throws for a violated precondition.
const PRECONDITION_EXCEPTIONS: [&str; 7] = [
    "ArithmeticException",
    "ArrayIndexOutOfBoundsException",
    "IllegalArgumentException",
    "IllegalStateException",
    "IndexOutOfBoundsException",
    "NullPointerException",
    "StringIndexOutOfBoundsException",
];

/// Types with a method `isEmpty()`.
const TYPES_WITH_IS_EMPTY: [&str; 7] = [
    "java.lang.String",
    "java.util.Collection",
    "java.util.List",
    "java.util.Map",
    "java.util.Queue",
    "java.util.Set",
    "java.util.SortedMap",
];

/// Parameter of a documented method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DocumentedParameter {
    pub(super) name: String,
    /// Erased type, with its package.
    pub(super) type_name: String,
}

/// Contract of a method in its Javadoc.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct JavadocContract {
    pub(super) throws: Vec<DocumentedThrow>,
    /// Conditions that the parameters must satisfy, from `@param`.
    pub(super) parameter_conditions: Vec<String>,
    /// Conditions that the result satisfies, from `@return`. The result is called [`RESULT_PLACEHOLDER`].
    pub(super) result_conditions: Vec<String>,
}

/// Exception that a method throws under a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DocumentedThrow {
    /// Simple name of a class in `java.lang`.
    pub(crate) exception: String,
    /// Condition under which it is thrown, as Java code over the parameters and members.
    pub(crate) condition: String,
}

impl JavadocContract {
    /// Reads the last Javadoc comment of a text before a method.
    pub(super) fn read(text: &str, parameters: &[DocumentedParameter], result_type: &str) -> Self {
        let mut contract = Self::default();
        for (tag, content) in block_tags(&comment_text(text)) {
            match &*tag {
                "throws" | "exception" => {
                    contract.throws.extend(read_throws(&content, parameters));
                }
                "param" => {
                    contract.parameter_conditions.extend(read_parameter(&content, parameters));
                }
                "return" => {
                    contract.result_conditions.extend(required_conditions(
                        &content,
                        RESULT_PLACEHOLDER,
                        result_type,
                    ));
                }
                _ => {}
            }
        }
        contract
    }
}

/// Returns the content of the last Javadoc comment, without its markers; empty without one.
fn comment_text(text: &str) -> String {
    let Some((_, comment)) = text.rsplit_once("/**") else { return String::new() };
    let Some((comment, after)) = comment.split_once("*/") else { return String::new() };
    // A comment between is about something else, such as a member that was commented out.
    if after.contains("*/") {
        return String::new();
    }
    let lines = comment.lines().map(|line| line.trim().trim_start_matches('*').trim());
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the block tags with their content on one line, without inline tags and HTML.
fn block_tags(comment: &str) -> Vec<(String, String)> {
    let mut tags: Vec<(String, String)> = Vec::new();
    for line in comment.lines() {
        if let Some(rest) = line.strip_prefix('@') {
            let (tag, content) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            tags.push((tag.to_owned(), content.to_owned()));
        } else if let Some((_, content)) = tags.last_mut() {
            content.push(' ');
            content.push_str(line);
        }
    }
    tags.into_iter().map(|(tag, content)| (tag, plain_text(&content))).collect()
}

/// Returns a text without inline tags, HTML tags and entities.
fn plain_text(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '<', '}']) {
        plain.push_str(&rest[..at]);
        let tag = &rest[at..];
        rest = match tag.as_bytes()[0] {
            b'{' if tag.starts_with("{@") => {
                tag.split_once(char::is_whitespace).map_or("", |(_, content)| content)
            }
            b'<' if is_html_tag(tag) => tag.split_once('>').map_or("", |(_, after)| after),
            b'<' => {
                plain.push('<');
                &tag[1..]
            }
            _ => &tag[1..],
        };
    }
    plain.push_str(rest);
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&nbsp;", " ")];
    let plain = entities.into_iter().fold(plain, |text, (entity, sign)| text.replace(entity, sign));
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_html_tag(text: &str) -> bool {
    text[1..].trim_start_matches('/').starts_with(|c: char| c.is_ascii_alphabetic())
        && text.split_once('>').is_some_and(|(tag, _)| !tag.contains(['(', '&', '|']))
}

/// Reads `CLASS if CONDITION`.
fn read_throws(content: &str, parameters: &[DocumentedParameter]) -> Vec<DocumentedThrow> {
    let (class, clause) = content.split_once(' ').unwrap_or((content, ""));
    let exception = class.trim_start_matches("java.lang.");
    let clause = ["if ", "when ", "in case "].iter().find_map(|word| {
        let at = clause.find(word)?;
        let is_word = at == 0 || clause.as_bytes()[at - 1] == b' ';
        is_word.then(|| &clause[at + word.len()..])
    });
    let Some(clause) = clause.filter(|_| PRECONDITION_EXCEPTIONS.contains(&exception)) else {
        return Vec::new();
    };
    let conditions = read_disjunction(clause, parameters).into_iter();
    conditions
        .map(|condition| DocumentedThrow { exception: exception.to_owned(), condition })
        .collect()
}

/// Returns the conditions that a clause joins by "or". Parts that are not understood are left out, because each part
/// alone is sufficient for the exception.
fn read_disjunction(clause: &str, parameters: &[DocumentedParameter]) -> Vec<String> {
    // The first sentence states the condition.
    let clause = clause.split(". ").next().unwrap_or_default().trim_end_matches('.');
    // "and" and "unless" restrict the condition in ways that are not understood.
    let restricting =
        ["after", "all", "and", "both", "but", "each", "every", "neither", "none", "unless"];
    if clause.split(' ').any(|word| restricting.contains(&word)) {
        return Vec::new();
    }
    if let Some(code) = parenthesised_code(clause, parameters) {
        return vec![code];
    }
    let clause = clause.replace(", or ", " or ").replace(" or if ", " or ");
    let clause = clause.replace(" than or equal to ", " than-or-equal-to ");
    let (mut conditions, mut subjects) = (Vec::new(), Vec::<&DocumentedParameter>::new());
    let mut has_predicate = false;
    for part in clause.split(" or ") {
        let (subject, predicate) = split_subject(part.trim(), parameters);
        if let Some(subject) = subject {
            // "a or b is null" has two subjects; a subject after a predicate begins a new condition.
            if has_predicate {
                subjects.clear();
                has_predicate = false;
            }
            subjects.push(subject);
        }
        if predicate.is_empty() {
            continue;
        }
        has_predicate = true;
        let found = subjects.iter().filter_map(|one| violation(one, predicate, parameters));
        conditions.extend(found);
    }
    conditions
}

/// Returns code between parentheses that compares a parameter: `out of range (index < 0 || index >= size())`.
fn parenthesised_code(clause: &str, parameters: &[DocumentedParameter]) -> Option<String> {
    let (words, code) = clause.split_once(" (")?;
    let code = code.strip_suffix(')')?;
    // Other parentheses may contain the valid range.
    let is_violation = words.ends_with(" out of range") || words.ends_with(" out of bounds");
    let is_code = code.split("||").all(|part| is_comparison(part.trim(), parameters));
    (is_violation && is_code).then(|| code.to_owned())
}

/// Returns true if a text is one Java comparison of number parameters, members and numbers.
fn is_comparison(text: &str, parameters: &[DocumentedParameter]) -> bool {
    let is_code = |c: char| c.is_ascii_alphanumeric() || "_.()<>=!+-* ".contains(c);
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let operators = ["<=", ">=", "==", "!=", "<", ">"];
    let Some((left, right)) = operators.iter().find_map(|sign| text.split_once(sign)) else {
        return false;
    };
    let is_operand = |operand: &str| {
        let operand = operand.trim();
        !operand.is_empty()
            && !operand.contains(['<', '>', '=', '!'])
            && !operand.ends_with('-')
            && !operand.split(['+', '-', '*']).any(|term| term.trim().contains(' '))
    };
    let is_number = |one: &DocumentedParameter| is_number_type(&one.type_name);
    text.chars().all(is_code)
        && is_operand(left)
        && is_operand(right)
        && words.any(|word| parameters.iter().any(|one| one.name == word && is_number(one)))
}

/// Words before or after the name of a parameter.
const SUBJECT_WORDS: [&str; 9] =
    ["the", "a", "an", "given", "specified", "supplied", "argument", "parameter", "value"];

/// Returns the parameter with which a text begins, and the rest.
fn split_subject<'p, 't>(
    text: &'t str,
    parameters: &'p [DocumentedParameter],
) -> (Option<&'p DocumentedParameter>, &'t str) {
    let (mut rest, mut subject) = (text, None);
    while !rest.is_empty() {
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        match parameters.iter().find(|one| one.name == word) {
            Some(parameter) if subject.is_none() => subject = Some(parameter),
            _ if SUBJECT_WORDS.contains(&word) => {}
            _ => break,
        }
        rest = after;
    }
    // "the value is zero" has another subject; "zero" continues the predicate of the previous one.
    let continues = rest.len() == text.len() && is_predicate(text);
    (subject, if subject.is_some() || continues { rest } else { text })
}

/// Returns true if a text continues a predicate: "negative or zero".
fn is_predicate(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default();
    matches!(first, "is" | "are" | "==" | "<" | "<=" | ">" | ">=" | "null" | "zero" | "negative")
}

/// Returns the condition under which a predicate holds for a parameter, as Java code.
fn violation(
    subject: &DocumentedParameter,
    predicate: &str,
    parameters: &[DocumentedParameter],
) -> Option<String> {
    let DocumentedParameter { name, type_name } = subject;
    let comparison = format!("{name} {predicate}");
    if is_number_type(type_name) && is_comparison(&comparison, parameters) {
        return Some(comparison);
    }
    let predicate = predicate.trim_start_matches("is ").trim_start_matches("are ");
    let is_number = is_number_type(type_name);
    match predicate {
        "null" | "== null" => is_reference_type(type_name).then(|| format!("{name} == null")),
        "empty" => emptiness(name, type_name),
        "negative" | "below zero" => is_number.then(|| format!("{name} < 0")),
        "not positive" | "non-positive" => is_number.then(|| format!("{name} <= 0")),
        "zero" | "0" => is_number.then(|| format!("{name} == 0")),
        "positive" => is_number.then(|| format!("{name} > 0")),
        _ => relation(name, predicate, parameters).filter(|_| is_number),
    }
}

/// Returns a comparison with a number or another parameter.
fn relation(name: &str, predicate: &str, parameters: &[DocumentedParameter]) -> Option<String> {
    let forms = [
        ("less than-or-equal-to ", "<="),
        ("smaller than-or-equal-to ", "<="),
        ("greater than-or-equal-to ", ">="),
        ("larger than-or-equal-to ", ">="),
        ("less than ", "<"),
        ("smaller than ", "<"),
        ("greater than ", ">"),
        ("larger than ", ">"),
    ];
    let (operator, operand) = forms
        .iter()
        .find_map(|(words, operator)| Some((operator, predicate.strip_prefix(words)?)))?;
    let number = match operand {
        "zero" => Some(0),
        "one" => Some(1),
        _ => operand.parse::<i64>().ok(),
    };
    let is_operand =
        |one: &DocumentedParameter| one.name == operand && is_number_type(&one.type_name);
    let is_parameter = parameters.iter().any(is_operand);
    let value = number.map(|number| number.to_string());
    let value = value.or_else(|| is_parameter.then(|| operand.to_owned()))?;
    Some(format!("{name} {operator} {value}"))
}

/// Returns the condition that a value is empty.
fn emptiness(name: &str, type_name: &str) -> Option<String> {
    if type_name.ends_with("[]") {
        Some(format!("{name}.length == 0"))
    } else if TYPES_WITH_IS_EMPTY.contains(&type_name) {
        Some(format!("{name}.isEmpty()"))
    } else if type_name == "java.lang.CharSequence" {
        Some(format!("{name}.length() == 0"))
    } else {
        None
    }
}

fn is_number_type(type_name: &str) -> bool {
    matches!(type_name, "int" | "long" | "short" | "byte" | "float" | "double")
}

/// Reads `NAME DESCRIPTION`.
fn read_parameter(content: &str, parameters: &[DocumentedParameter]) -> Vec<String> {
    let (name, description) = content.split_once(' ').unwrap_or((content, ""));
    let parameter = parameters.iter().find(|one| one.name == name);
    parameter.map_or_else(Vec::new, |parameter| {
        required_conditions(description, name, &parameter.type_name)
    })
}

/// Words of descriptions that state a condition, or speak of something else than the value itself.
const QUALIFYING_WORDS: [&str; 14] = [
    "contents",
    "each",
    "element",
    "elements",
    "else",
    "entries",
    "if",
    "keys",
    "or",
    "otherwise",
    "unless",
    "values",
    "when",
    "whose",
];

/// Phrases that exclude null.
const NON_NULL_PHRASES: [&str; 10] = [
    "must not be null",
    "may not be null",
    "cannot be null",
    "can not be null",
    "should not be null",
    "never null",
    "not null",
    "non-null",
    "null not permitted",
    "never be null",
];

/// Returns the conditions that a description states about a value.
fn required_conditions(description: &str, name: &str, type_name: &str) -> Vec<String> {
    let said = description.to_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| contains_phrase(&said, phrase));
    let is_number = is_number_type(type_name);
    if is_number && says(&["positive or zero", "zero or positive", "zero or greater"]) {
        return vec![format!("{name} >= 0")];
    }
    let mut words = said.split(|c: char| !c.is_alphanumeric());
    if words.any(|word| QUALIFYING_WORDS.contains(&word)) {
        return Vec::new();
    }
    let excludes_null = says(&NON_NULL_PHRASES) && said.matches("null").count() == 1;
    if is_reference_type(type_name) && excludes_null {
        return vec![format!("{name} != null")];
    }
    let is_positive = says(&POSITIVE_PHRASES);
    let is_stated = is_number && (is_positive || says(&NON_NEGATIVE_PHRASES));
    let operator = if is_positive { ">" } else { ">=" };
    is_stated.then(|| format!("{name} {operator} 0")).into_iter().collect()
}

/// Phrases that exclude zero and negative numbers.
const POSITIVE_PHRASES: [&str; 4] =
    ["must be positive", "must be greater than zero", "must be greater than 0", "must be > 0"];

/// Phrases that exclude negative numbers.
const NON_NEGATIVE_PHRASES: [&str; 6] = [
    "non-negative",
    "nonnegative",
    "not negative",
    "never negative",
    "must not be negative",
    "must be >= 0",
];

/// Returns true if a text contains a phrase as whole words.
fn contains_phrase(text: &str, phrase: &str) -> bool {
    let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '-');
    text.match_indices(phrase).any(|(at, _)| {
        is_end(text[..at].chars().next_back()) && is_end(text[at + phrase.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters() -> Vec<DocumentedParameter> {
        let types = [
            ("index", "int"),
            ("size", "int"),
            ("name", "java.lang.String"),
            ("items", "java.util.List"),
            ("data", "byte[]"),
        ];
        let parameter = |(name, type_name): (&str, &str)| DocumentedParameter {
            name: name.to_owned(),
            type_name: type_name.to_owned(),
        };
        types.into_iter().map(parameter).collect()
    }

    fn contract(comment: &str) -> JavadocContract {
        let text = format!("int other;\n    /**\n     * Does it.\n     * {comment}\n     */\n    ");
        JavadocContract::read(&text, &parameters(), "java.lang.String")
    }

    fn violations(clause: &str) -> Vec<String> {
        let thrown = contract(&format!("@throws IllegalArgumentException {clause}")).throws;
        thrown.into_iter().map(|one| one.condition).collect()
    }

    #[test]
    fn clauses_of_exceptions_become_conditions() {
        for (clause, expected) in [
            ("if {@code name} is null", &["name == null"][..]),
            ("if the index is negative.", &["index < 0"]),
            ("if <code>index</code> is negative or zero", &["index < 0", "index == 0"]),
            ("when name or items is null", &["name == null", "items == null"]),
            ("if name is null or empty", &["name == null", "name.isEmpty()"]),
            ("if data is empty", &["data.length == 0"]),
            ("if index &lt; 0, or index is greater than size", &["index < 0", "index > size"]),
            (
                "if the index is out of range\n     *         ({@code index < 0 || index >= size()})",
                &["index < 0 || index >= size()"],
            ),
            ("if the given index is not positive", &["index <= 0"]),
            ("if size is less than 3", &["size < 3"]),
            ("if size is less than or equal to zero", &["size <= 0"]),
            ("if index is greater than or equal to size", &["index >= size"]),
        ] {
            assert_eq!(violations(clause), expected, "{clause}");
        }
    }

    #[test]
    fn unclear_clauses_are_left_out() {
        for clause in [
            "",
            "if the file is missing",
            "if index is null",
            "if name is null and items is null",
            "if the names are not sorted",
            "if index is larger than the buffer",
            "if name is negative",
            "unless index is positive",
            "if the index is not in range (index >= 0 && index < size)",
            "if the index is out of range (0 <= index < size())",
            "if the index is out of range (index -> size)",
            "if all of name or items are null",
            "if the file is missing or the value is zero",
        ] {
            assert_eq!(violations(clause), Vec::<String>::new(), "{clause}");
        }
        assert_eq!(contract("@throws java.io.IOException if name is null").throws, []);
    }

    #[test]
    fn descriptions_of_values_become_conditions() {
        for (tag, expected) in [
            ("@param name the name, must not be null", &["name != null"][..]),
            ("@param items the items ({@code null} not permitted).", &["items != null"]),
            ("@param name the name, may be null", &[]),
            ("@param name the name (<code>null</code> permitted)", &[]),
            ("@param name used if not null", &[]),
            ("@param index the index, must be positive", &["index > 0"]),
            ("@param size a non-negative size", &["size >= 0"]),
            ("@param index never null", &[]),
            ("@param index must be positive or zero", &["index >= 0"]),
            ("@param index must be positive, or -1 for none", &[]),
            ("@param index the limit if not negative", &[]),
            ("@param items null or a list of non-null elements", &[]),
            ("@param items the list, whose values must not be null", &[]),
            ("@param name the name, if non-null", &[]),
        ] {
            assert_eq!(contract(tag).parameter_conditions, expected, "{tag}");
        }
        for (tag, expected) in [
            ("@return the title (never <code>null</code>).", 1),
            ("@return the title, not null", 1),
            ("@return the title, {@code null} if there is none, never null otherwise", 0),
            ("@return the title or null", 0),
            ("@return {@code object} if it is not {@code null}, the default otherwise", 0),
            ("@return the greater if both are non-null, null is returned for two nulls", 0),
            ("@return the title", 0),
        ] {
            assert_eq!(contract(tag).result_conditions.len(), expected, "{tag}");
        }
    }

    #[test]
    fn only_the_comment_directly_before_counts() {
        let text = "/** @return never null */ int a; /* int b; */ ";
        assert_eq!(
            JavadocContract::read(text, &[], "java.lang.String"),
            JavadocContract::default()
        );
    }
}
