//! Formats annotations as SARIF 2.1.0, which GitHub and editors show next to the code.

use super::annotations::FailureAnnotation;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

/// Maximum number of results that GitHub shows.
const MAX_RESULTS: usize = 5000;

/// Characters that are percent-encoded in a relative address.
const ENCODED_IN_URI: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// Returns a SARIF log with one result for each annotation.
pub fn to_sarif(annotations: &[FailureAnnotation]) -> Value {
    let result_of = |remark: &FailureAnnotation| {
        json!({
            "ruleId": "culprit",
            "level": "error",
            "message": { "text": escape_sarif_text(&format!("{}\n{}", remark.title, remark.message)) },
            "locations": [{ "physicalLocation": {
                "artifactLocation": { "uri": utf8_percent_encode(&remark.path, ENCODED_IN_URI).to_string(), "uriBaseId": "%SRCROOT%" },
                "region": { "startLine": remark.first_line, "endLine": remark.last_line },
            }}],
        })
    };
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "git-mend",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": [{
                    "id": "culprit",
                    "shortDescription": { "text": "Culprit of a test failure" },
                    "fullDescription": { "text": "Lines that a minimal fix changes so that a failing test passes again." },
                }],
            }},
            "results": annotations.iter().take(MAX_RESULTS).map(result_of).collect::<Vec<_>>(),
        }],
    })
}

/// Escapes links and placeholders (SARIF 2.1.0, 3.11.5 and 3.11.6).
fn escape_sarif_text(text: &str) -> String {
    let escape = |c: char| match c {
        '[' | ']' | '\\' => format!("\\{c}"),
        '{' | '}' => format!("{c}{c}"),
        c => c.to_string(),
    };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotation_becomes_a_result_at_its_lines() {
        let remark = FailureAnnotation {
            path: "src/a b.java".to_owned(),
            first_line: 3,
            last_line: 4,
            title: "t".to_owned(),
            message: "m".to_owned(),
        };
        let log = to_sarif(&[remark]);
        let location = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(location["artifactLocation"]["uri"], "src/a%20b.java");
        assert_eq!(
            (&location["region"]["startLine"], &location["region"]["endLine"]),
            (&json!(3), &json!(4))
        );
    }
}
