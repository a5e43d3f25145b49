//! Parsers of option values.

use crate::run::{LibrarySource, Repeat, Technique};
use clap::ValueEnum;
use mend_delta::JavaGranularity;
use mend_engine::{BuildKind, EngineChoice, ModelSource, SchedulerKind};
use mend_report::RunGoal;
use std::time::Duration;

/// Unit of the diff of Java files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum JavaGranularityOption {
    /// Nodes of the syntax tree.
    #[default]
    Ast,
    /// Lines, for comparison with other tools.
    Text,
}

impl JavaGranularityOption {
    pub(crate) fn granularity(self) -> JavaGranularity {
        match self {
            Self::Ast => JavaGranularity::Ast,
            Self::Text => JavaGranularity::Text,
        }
    }
}

/// Place where variants are tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExecutorChoice {
    /// This machine.
    Local,
    /// The workers of a server, by its address.
    Remote(String),
}

/// Files that can be part of a culprit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchedFiles {
    /// All files except test code.
    Code,
    /// All files, test code included.
    All,
}

pub(crate) fn parse_goal(text: &str) -> Result<RunGoal, String> {
    match text {
        "culprit" => Ok(RunGoal::Culprit),
        "fix" => Ok(RunGoal::Fix),
        "both" => Ok(RunGoal::Both),
        _ => Err("write culprit, fix or both".to_owned()),
    }
}

/// Parses the value of `--library-source`.
pub(super) fn parse_library_source(text: &str) -> Result<LibrarySource, String> {
    let parse = || {
        let (name, dir) = text.split_once('=')?;
        let (group, artifact) = name.split_once(':')?;
        let is_complete = ![group, artifact, dir].contains(&"") && !artifact.contains(':');
        let [group, artifact] = [group, artifact].map(str::to_owned);
        is_complete.then(|| LibrarySource { group, artifact, dir: dir.into() })
    };
    parse().ok_or_else(|| "write GROUP:ARTIFACT=DIR, without a version".to_owned())
}

pub(super) fn parse_technique(text: &str) -> Result<Technique, String> {
    match text {
        "regression" => Ok(Technique::Regression),
        "contract" => Ok(Technique::Contract),
        "concurrency" => Ok(Technique::Concurrency),
        _ => Err("write regression, contract or concurrency, separated by commas".to_owned()),
    }
}

pub(super) fn parse_scheduler(text: &str) -> Result<SchedulerKind, String> {
    match text {
        "pos" => Ok(SchedulerKind::PartialOrder),
        "pct" => Ok(SchedulerKind::Priorities),
        "random" => Ok(SchedulerKind::RandomWalk),
        "dpor" => Ok(SchedulerKind::Dpor),
        _ => Err("write pos, pct, random or dpor, separated by commas".to_owned()),
    }
}

pub(super) fn parse_engine(text: &str) -> Result<EngineChoice, String> {
    match text {
        "auto" => Ok(EngineChoice::Auto),
        "resident" => Ok(EngineChoice::Resident),
        "process" => Ok(EngineChoice::Process),
        _ => Err("write auto, resident or process".to_owned()),
    }
}

/// Parses `local` or the address of a server.
pub(crate) fn parse_executor(text: &str) -> Result<ExecutorChoice, String> {
    if text == "local" {
        return Ok(ExecutorChoice::Local);
    }
    let is_address = || {
        let (scheme, rest) = text.split_once("://")?;
        let (host, port) = rest.rsplit_once(':')?;
        let is_host = !host.is_empty() && !host.contains(['/', '@', ' ']);
        let is_port = port.parse::<u16>().is_ok_and(|port| port > 0);
        Some(["grpc", "grpcs"].contains(&scheme) && is_host && is_port)
    };
    if is_address() == Some(true) {
        Ok(ExecutorChoice::Remote(text.to_owned()))
    } else {
        Err("write local, grpc://HOST:PORT or grpcs://HOST:PORT".to_owned())
    }
}

/// Parses a name and a value.
pub(super) fn parse_assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE".to_owned()),
    }
}

pub(crate) fn parse_build(text: &str) -> Result<BuildKind, String> {
    match text {
        "auto" => Ok(BuildKind::Auto),
        "maven" => Ok(BuildKind::Maven),
        "gradle" => Ok(BuildKind::Gradle),
        "javac" => Ok(BuildKind::Javac),
        _ => Err("write auto, maven, gradle or javac".to_owned()),
    }
}

pub(crate) fn parse_model(text: &str) -> Result<ModelSource, String> {
    match text {
        "auto" => Ok(ModelSource::Auto),
        "tool" => Ok(ModelSource::Tool),
        "files" => Ok(ModelSource::Files),
        _ => Err("write auto, tool or files".to_owned()),
    }
}

/// Parses a number of runs, or `auto`.
pub(crate) fn parse_repeat(text: &str) -> Result<Repeat, String> {
    let parse_times = || text.parse().ok().filter(|times| *times > 0).map(Repeat::Times);
    let parsed = if text == "auto" { Some(Repeat::Auto) } else { parse_times() };
    parsed.ok_or_else(|| "write auto, or a number of at least 1".to_owned())
}

/// Parses a number of seconds, or a time with a unit.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<u32>().map(|seconds| Duration::from_secs(seconds.into()));
    let parsed = seconds.ok().or_else(|| {
        text.parse::<jiff::SignedDuration>().ok().and_then(|time| Duration::try_from(time).ok())
    });
    let is_nonzero = |time: &Duration| !time.is_zero();
    parsed.filter(is_nonzero).ok_or_else(|| "write a time such as 30s or 5m".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeat_is_a_positive_number_or_auto() {
        assert_eq!(parse_repeat("auto"), Ok(Repeat::Auto));
        assert_eq!(parse_repeat("3"), Ok(Repeat::Times(3)));
        assert!(parse_repeat("0").is_err() && parse_repeat("often").is_err());
    }

    #[test]
    fn executor_is_local_or_an_address_with_a_port() {
        assert_eq!(parse_executor("local"), Ok(ExecutorChoice::Local));
        for address in ["grpc://a:1", "grpcs://b.example.org:443", "grpc://[::1]:8980"] {
            assert_eq!(parse_executor(address), Ok(ExecutorChoice::Remote(address.to_owned())));
        }
        for text in ["grpc://a", "http://a:1", "a:1", "grpc://:1", "grpc://u@a:1", "grpc://a:0"] {
            assert!(parse_executor(text).is_err(), "{text}");
        }
        assert!(parse_assignment("=x").is_err() && parse_assignment("x").is_err());
    }

    #[test]
    fn durations_parse_with_and_without_unit() {
        assert_eq!(parse_duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("5m"), Ok(Duration::from_secs(300)));
        assert!(parse_duration("soon").is_err() && parse_duration("0").is_err());
    }
}
