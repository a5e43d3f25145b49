//! Report of `git mend doctor`.

use super::TerminalStyle;
use crate::sanitize::sanitise_line;
use mend_model::{DoctorFinding, DoctorStatus};
use serde::Serialize;
use std::fmt::Write as _;

/// Maximum number of items shown of a finding.
const MAX_ITEMS: usize = 4;

/// Findings of all checks; the schema is `git-mend/doctor/1`.
#[derive(Clone, Debug, Serialize)]
pub struct DoctorReport {
    schema: &'static str,
    version: &'static str,
    os: String,
    /// Worst status of all checks.
    status: DoctorStatus,
    checks: Vec<DoctorFinding>,
}

impl DoctorReport {
    /// Creates a report of findings.
    pub fn new(checks: Vec<DoctorFinding>) -> Self {
        Self {
            schema: "git-mend/doctor/1",
            version: env!("CARGO_PKG_VERSION"),
            os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            status: checks.iter().map(|check| check.status).max().unwrap_or(DoctorStatus::Ok),
            checks,
        }
    }

    /// Returns true if a run needs something that is missing.
    pub fn has_missing_requirement(&self) -> bool {
        self.status == DoctorStatus::Missing
    }

    /// Formats the report for people.
    pub fn to_text(&self, style: &TerminalStyle) -> String {
        let TerminalStyle { title, dim, reset, .. } = style;
        let mut out = format!("{title}git-mend {} on {}{reset}\n", self.version, self.os);
        for check in &self.checks {
            let (colour, word) = match check.status {
                DoctorStatus::Ok => (style.plus, "ok"),
                DoctorStatus::Note => (style.path, "note"),
                DoctorStatus::Missing => (style.error, "missing"),
            };
            let line = format!(
                "{colour}{word:<8}{reset}{:<11}{}",
                check.name,
                sanitise_line(&check.message)
            );
            out.push_str(&style.wrap(19, &line));
            // Passed checks need no details.
            if check.status == DoctorStatus::Ok {
                continue;
            }
            for item in check.items.iter().take(MAX_ITEMS) {
                out.push_str(
                    &style.wrap(21, &format!("{:19}{dim}- {}{reset}", "", sanitise_line(item))),
                );
            }
            if check.items.len() > MAX_ITEMS {
                let more = check.items.len() - MAX_ITEMS;
                let _ = writeln!(out, "{:19}{dim}- … {more} more: --format json{reset}", "");
            }
            if let Some(help) = &check.help {
                let _ = writeln!(out, "{:19}{title}help:{reset} {}", "", sanitise_line(help));
            }
        }
        let _ = writeln!(out, "{}", self.verdict());
        out
    }

    fn verdict(&self) -> String {
        let missing_checks =
            self.checks.iter().filter(|check| check.status == DoctorStatus::Missing);
        let names: Vec<&str> = missing_checks.map(|check| check.name).collect();
        if names.is_empty() {
            "Nothing is missing.".to_owned()
        } else {
            format!("Missing: {}.", names.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_finding(
        name: &'static str,
        status: DoctorStatus,
        message: &str,
        help: Option<&str>,
    ) -> DoctorFinding {
        let help = help.map(str::to_owned);
        DoctorFinding { name, status, message: message.to_owned(), items: Vec::new(), help }
    }

    fn sample_report() -> DoctorReport {
        let libraries = sample_finding(
            "libraries",
            DoctorStatus::Missing,
            "2 of 30 are not here",
            Some("mvn dependency:go-offline"),
        );
        let items = (1..=6).map(|n| format!("org.example:lib-{n}:1.0")).collect();
        let checks = vec![
            sample_finding("git", DoctorStatus::Ok, "2.47.3", None),
            DoctorFinding { items, ..libraries },
            sample_finding(
                "manual",
                DoctorStatus::Note,
                "`git mend --help` finds no man page",
                Some("git mend generate man"),
            ),
        ];
        DoctorReport {
            version: "1.2.3",
            os: "linux x86_64".to_owned(),
            ..DoctorReport::new(checks)
        }
    }

    #[test]
    fn missing_requirement_is_shown_with_its_help() {
        insta::assert_snapshot!(sample_report().to_text(&TerminalStyle::plain()), @r"
        git-mend 1.2.3 on linux x86_64
        ok      git        2.47.3
        missing libraries  2 of 30 are not here
                           - org.example:lib-1:1.0
                           - org.example:lib-2:1.0
                           - org.example:lib-3:1.0
                           - org.example:lib-4:1.0
                           - … 2 more: --format json
                           help: mvn dependency:go-offline
        note    manual     `git mend --help` finds no man page
                           help: git mend generate man
        Missing: libraries.
        ");
    }

    #[test]
    fn narrow_screen_wraps_message_but_not_help_command() {
        insta::assert_snapshot!(sample_report().to_text(&TerminalStyle::plain().with_width(Some(44))), @r"
        git-mend 1.2.3 on linux x86_64
        ok      git        2.47.3
        missing libraries  2 of 30 are not here
                           - org.example:lib-1:1.0
                           - org.example:lib-2:1.0
                           - org.example:lib-3:1.0
                           - org.example:lib-4:1.0
                           - … 2 more: --format json
                           help: mvn dependency:go-offline
        note    manual     `git mend --help` finds
                           no man page
                           help: git mend generate man
        Missing: libraries.
        ");
    }

    #[test]
    fn coloured_and_plain_reports_have_the_same_text() {
        let report = sample_report();
        insta::assert_snapshot!(report.to_text(&TerminalStyle::coloured()).replace('\u{1b}', "^"), @r"
        ^[1mgit-mend 1.2.3 on linux x86_64^[0m
        ^[32mok      ^[0mgit        2.47.3
        ^[1;31mmissing ^[0mlibraries  2 of 30 are not here
                           ^[2m- org.example:lib-1:1.0^[0m
                           ^[2m- org.example:lib-2:1.0^[0m
                           ^[2m- org.example:lib-3:1.0^[0m
                           ^[2m- org.example:lib-4:1.0^[0m
                           ^[2m- … 2 more: --format json^[0m
                           ^[1mhelp:^[0m mvn dependency:go-offline
        ^[36mnote    ^[0mmanual     `git mend --help` finds no man page
                           ^[1mhelp:^[0m git mend generate man
        Missing: libraries.
        ");
        assert_eq!(
            report.to_text(&TerminalStyle::spoken()),
            report.to_text(&TerminalStyle::plain())
        );
    }
}
