//! Options of a remote executor.

use mend_model::Secrets;
use secrecy::{ExposeSecret as _, SecretString};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Options of a remote executor.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// Address: `grpc://HOST:PORT`, or `grpcs://HOST:PORT` with TLS.
    pub address: String,
    /// Name of the instance on the server; often empty.
    pub instance: String,
    /// Properties of the workers that may run trials, by name.
    pub platform: BTreeMap<String, String>,
    /// Environment variables of the workers.
    pub variables: BTreeMap<String, String>,
    /// Headers of every request.
    pub headers: Headers,
    /// Maximum number of actions that run at the same time.
    pub workers: usize,
    /// Program that the workers run.
    pub program: PathBuf,
    /// Time limits and intervals.
    pub timing: Timing,
}

/// Headers of requests. Their values are secrets.
#[derive(Clone, Debug, Default)]
pub struct Headers(Vec<(String, SecretString)>);

impl Headers {
    /// Parses lines of the form `Name: value`. Empty lines and lines that begin with `#` are ignored.
    ///
    /// # Errors
    /// The number of a line without a name and a value that HTTP/2 allows.
    pub fn parse(text: &str) -> Result<Self, usize> {
        let mut headers = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, value) = line.split_once(':').ok_or(number)?;
            let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
            let is_name_char = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            let is_value_char = |c: char| c == ' ' || c.is_ascii_graphic();
            let is_valid = !name.is_empty()
                && !name.ends_with("-bin")
                && name.chars().all(is_name_char)
                && value.chars().all(is_value_char);
            if !is_valid {
                return Err(number);
            }
            headers.push((name, SecretString::from(value.to_owned())));
        }
        Ok(Self(headers))
    }

    /// Returns true if there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns names and values, for a request.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.expose_secret()))
    }

    /// Returns the secrets in the headers, to redact them in messages of the server.
    pub(crate) fn secrets(&self) -> Secrets {
        let headers = self.0.iter().enumerate();
        // A server may repeat the key without the word `Bearer` in front of it.
        let variables = headers.flat_map(|(number, (_, value))| {
            let value = value.expose_secret();
            let parts = std::iter::once(value).chain(value.split_whitespace());
            parts.map(move |part| (format!("HEADER_{number}_TOKEN"), part.to_owned()))
        });
        let variables: Vec<(String, String)> = variables.collect();
        Secrets::from_environment(
            variables.iter().map(|(name, value)| (name.as_str(), value.clone())),
        )
    }
}

/// Time limits and intervals of the client.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Duration of an action at which batches aim.
    pub action: Duration,
    /// Time in which further trials may join a batch.
    pub gathering: Duration,
    /// Time limit of a request other than the execution of an action.
    pub request: Duration,
    /// First pause before a request is repeated; it doubles each time.
    pub first_pause: Duration,
    /// Time without an answer after which the server counts as dead. At the start it is at most
    /// `MAX_CONNECT_PATIENCE`.
    pub patience: Duration,
    /// Minimum time after which a second worker gets a slow action too.
    pub straggler: Duration,
    /// Maximum time that an action waits for a worker.
    pub queue: Duration,
}

impl Timing {
    /// Longest time to wait for a first answer. A wrong address is noticed soon.
    pub(crate) const MAX_CONNECT_PATIENCE: Duration = Duration::from_secs(10);

    /// Returns the default with another time after which the server counts as dead.
    pub fn with_patience(patience: Duration) -> Self {
        Self { patience, ..Self::default() }
    }
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            action: Duration::from_secs(10),
            gathering: Duration::from_millis(20),
            request: Duration::from_secs(60),
            first_pause: Duration::from_millis(250),
            patience: Duration::from_secs(60),
            straggler: Duration::from_secs(30),
            queue: Duration::from_secs(600),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_lines_with_names_and_values() {
        let headers = Headers::parse("# key\nAuthorization: Bearer a:b\n\nx-key:1\n").unwrap();
        let pairs: Vec<_> = headers.iter().collect();
        assert_eq!(pairs, [("authorization", "Bearer a:b"), ("x-key", "1")]);
        for (text, line) in
            [("x", 1), ("a: b\n: c", 2), ("a b: c", 1), ("x-bin: c", 1), ("a: \u{e9}", 1)]
        {
            assert_eq!(Headers::parse(text).unwrap_err(), line, "{text}");
        }
    }

    #[test]
    fn header_values_are_not_shown() {
        let headers = Headers::parse("x-key: hunter2hunter2").unwrap();
        assert!(!format!("{headers:?}").contains("hunter2"));
        assert!(!headers.secrets().redact("key hunter2hunter2").contains("hunter2"));
        let headers = Headers::parse("authorization: Bearer hunter2hunter2").unwrap();
        assert!(!headers.secrets().redact("unknown key hunter2hunter2").contains("hunter2"));
    }
}
