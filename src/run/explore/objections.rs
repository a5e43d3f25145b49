//! What speaks against a patch, as schedules show it.

use crate::engine::{Findings, Site};
use crate::model::counted;
use std::collections::BTreeSet;

/// What was seen without the patch.
pub(in crate::run) struct Before {
    /// Variables with races that failures have nothing to do with.
    tolerated: BTreeSet<String>,
    /// Tests with one thread.
    alone: BTreeSet<String>,
    /// The methods that change what the most suspicious pattern is about.
    changing: BTreeSet<String>,
}

impl Before {
    pub(in crate::run) fn of(findings: &Findings) -> Self {
        let top = findings.patterns.iter().map(|one| (one.failing, one.passing)).max_by(|a, b| {
            let suspicion =
                |(failing, passing): &(usize, usize)| failing * 1000 / (failing + passing);
            suspicion(a).cmp(&suspicion(b)).then(a.0.cmp(&b.0))
        });
        let patterns = findings.patterns.iter();
        let suspects: Vec<_> =
            patterns.filter(|one| Some((one.failing, one.passing)) == top).collect();
        let about: BTreeSet<&str> =
            suspects.iter().flat_map(|one| &one.sites).map(|site| site.subject.as_str()).collect();
        let places: BTreeSet<String> =
            suspects.iter().flat_map(|one| &one.sites).map(method).collect();
        let is_apart =
            |variable: &&String| findings.failing > 0 && !about.contains(variable.as_str());
        let races = findings.races.iter();
        let apart =
            races.filter(|race| !race.sites.iter().any(|site| places.contains(&method(site))));
        let tolerated = apart.map(|race| &race.variable).filter(is_apart).cloned().collect();
        let changing = findings.changing.intersection(&places).cloned().collect();
        let alone = findings.alone.iter().cloned().collect();
        Self { tolerated, alone, changing }
    }
}

/// The method of a place; a lambda without its number.
fn method(site: &Site) -> String {
    let name = site.method.trim_end_matches(|c: char| c.is_ascii_digit());
    let name = if name.len() < site.method.len() && name.ends_with('$') {
        &name[..name.len() - 1]
    } else {
        &site.method
    };
    format!("{}.{name}", site.class)
}

/// The first thing that speaks against a patch; nothing if it is clean.
pub(in crate::run) fn objection(before: &Before, after: &Findings) -> Option<String> {
    if let Some(group) = after.groups.iter().min_by_key(|group| group.first) {
        let kind = match group.example.kind.as_str() {
            "deadlock" => "a deadlock",
            "lost_signal" => "a lost signal",
            "livelock" => "no end",
            "exception" => "an exception",
            "exit" => "the end of the JVM",
            _ => "a failure",
        };
        return Some(format!("{kind} in schedule {}", group.first));
    }
    if after.failing > 0 {
        return Some(format!("{} fail", counted(after.failing, "schedule")));
    }
    if let Some(circle) = after.circles.first() {
        let place = circle.sites.first().map(|site| format!("{}:{}", method(site), site.line));
        return Some(format!("locks taken in a circle at {}", place.unwrap_or_default()));
    }
    let race = after.races.iter().find(|race| !before.tolerated.contains(&race.variable));
    if let Some(race) = race {
        return Some(format!("nothing orders the accesses to {}", race.variable));
    }
    if after.inconclusive > 0 {
        return Some(format!("{} without an end", counted(after.inconclusive, "schedule")));
    }
    let stopped = after.alone.iter().find(|test| !before.alone.contains(*test));
    if let Some(test) = stopped {
        return Some(format!("{test} has no second thread any more"));
    }
    let gone = before.changing.iter().find(|place| !after.changing.contains(*place));
    gone.map(|place| format!("{place} is not run any more"))
}
