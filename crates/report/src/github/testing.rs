//! Sample report of a bisection for tests.

use crate::github::data::GitHubReport;
use crate::github::data::culprit_commit::CulpritCommit;
use crate::github::data::fix::{FixSummary, SizedPatch};
use crate::github::data::outcome::SearchOutcome;
use crate::github::path_mask::PathMask;
use crate::page::TextDiagram;
use crate::run_folder::result::{Cost, RevertResult};

const FIX_PATCH: &str = "diff --git a/src/Till.java b/src/Till.java\n\
    --- a/src/Till.java\n+++ b/src/Till.java\n@@ -41,1 +41,1 @@ class Till {\n\
    -        return count > dozen;\n+        return count >= dozen;\n";

/// Returns the report of a bisection that found a culprit and a fix.
pub(super) fn sample_report() -> GitHubReport {
    let sample_patch = |file: &str, text: &str| SizedPatch {
        file: file.to_owned(),
        text: text.to_owned(),
        tokens: Some(2),
    };
    GitHubReport {
        outcome: SearchOutcome::Found,
        message: None,
        remedy: None,
        symptom: Some("bakery.TillTest#dozen throws java.lang.AssertionError: 13 rolls".to_owned()),
        tests: vec!["bakery.TillTest#dozen".to_owned(), "bakery.TillTest#sum".to_owned()],
        culprit_commit: Some(CulpritCommit {
            commit: "87914ddf3a77114a684c7a39c308b617791ebdc1".to_owned(),
            url: Some("https://github.com/bakery/till/commit/87914ddf3a".to_owned()),
            author: Some("Bruno Teig".to_owned()),
            date: Some("2025-04-22".to_owned()),
            summary: Some("Tidy up the till".to_owned()),
            pull_number: Some(12),
        }),
        is_culprit_confirmed: true,
        revert: Some(RevertResult { applies: true, passes: true }),
        suspects: Vec::new(),
        culprit: Some(sample_patch(
            "culprit.patch",
            "diff --git a/src/Till.java b/src/Till.java\n\
            --- a/src/Till.java\n+++ b/src/Till.java\n@@ -41,1 +41,1 @@ class Till {\n\
            -        return count >= dozen;\n+        return count > dozen;\n",
        )),
        upgrades: Vec::new(),
        delta_tokens: Some(261),
        fix: Some(FixSummary {
            patch: sample_patch("fix.patch", FIX_PATCH),
            found_fix: None,
            reverts_culprit: true,
        }),
        alternative_fixes: Vec::new(),
        threads: None,
        is_verified: true,
        bad: Some("ab11f313e44a88f95ab573b0a8716df391156d86".to_owned()),
        commits_tested: 6,
        diagrams: vec![TextDiagram {
            source: "xychart-beta\n    line [18, 9, 1]".to_owned(),
            description: "Search in 14 variants: 6 passed, 8 failed, 0 unresolved.".to_owned(),
            text: "variant 1   18 components".to_owned(),
        }],
        cost: Cost { tests: 21, cached: 5, seconds: 23.65, ..Cost::default() },
        not_checked: vec!["tests not selected with --test".to_owned()],
        reproduce: Some("git mend bisect --good v1.0 --bad main --test bakery.TillTest".to_owned()),
        path_mask: PathMask::default(),
    }
}
