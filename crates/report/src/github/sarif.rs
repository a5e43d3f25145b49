//! Annotations as SARIF 2.1.0, which GitHub and editors show next to the code.

use super::annotations::FailureAnnotation;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

/// Maximum number of results that GitHub shows.
const MOST: usize = 5000;

/// Characters that are percent-encoded in a relative address.
const ADDRESS: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// Returns a SARIF log with one result for each annotation.
pub fn sarif(remarks: &[FailureAnnotation]) -> Value {
    let result = |remark: &FailureAnnotation| {
        json!({
            "ruleId": "culprit",
            "level": "error",
            "message": { "text": plain(&format!("{}\n{}", remark.title, remark.message)) },
            "locations": [{ "physicalLocation": {
                "artifactLocation": { "uri": utf8_percent_encode(&remark.path, ADDRESS).to_string(), "uriBaseId": "%SRCROOT%" },
                "region": { "startLine": remark.first, "endLine": remark.last },
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
            "results": remarks.iter().take(MOST).map(result).collect::<Vec<_>>(),
        }],
    })
}

/// Escapes links and placeholders (SARIF 2.1.0, 3.11.5 and 3.11.6).
fn plain(text: &str) -> String {
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
    fn each_remark_is_a_result_at_its_lines() {
        let remark = FailureAnnotation {
            path: "src/a b.java".to_owned(),
            first: 3,
            last: 4,
            title: "t".to_owned(),
            message: "m".to_owned(),
        };
        let log = sarif(&[remark]);
        let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "src/a%20b.java");
        assert_eq!(
            (&place["region"]["startLine"], &place["region"]["endLine"]),
            (&json!(3), &json!(4))
        );
    }
}
