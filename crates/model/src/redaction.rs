//! Redaction of secrets. Output of tests and builds is published in files and on pages, so secrets of the environment
//! are redacted as soon as the output is read.

use regex::Regex;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt::{self, Write as _};
use std::ops::Range;
use std::sync::LazyLock;

/// Minimum length of a secret, in characters. Shorter ones match ordinary words.
const MIN_SECRET_CHARS: usize = 6;

/// Parts of names of variables that contain secrets.
const SECRET_NAME_PARTS: [&str; 8] =
    ["APIKEY", "CREDENTIAL", "PASSPHRASE", "PASSWD", "PASSWORD", "PRIVATEKEY", "SECRET", "TOKEN"];

/// Whole words in names of variables that contain secrets.
const SECRET_NAME_WORDS: [&str; 9] =
    ["AUTH", "AUTHORIZATION", "COOKIE", "CREDS", "KEY", "KEYS", "PASS", "PAT", "PWD"];

/// Last words of names of variables that describe a secret but do not contain it.
const NON_SECRET_LAST_WORDS: [&str; 8] =
    ["DIR", "DIRECTORY", "FILE", "HOME", "NAME", "PATH", "SOCK", "TYPE"];

/// Patterns of secrets that are not in the environment. The group `secret` is redacted, or the whole match if there is
/// no group.
static SECRET_PATTERNS: LazyLock<[(&str, Regex); 5]> = LazyLock::new(|| {
    let regex =
        |pattern| Regex::new(pattern).unwrap_or_else(|_| unreachable!("a constant pattern"));
    [
        ("a password", regex(r"://[^\s/:]*:(?P<secret>[^\s/@]+)@")),
        (
            "a password",
            regex(r"(?i)authorization:\s*(?:basic|bearer|token)\s+(?P<secret>[^\s(]\S*)"),
        ),
        (
            "a private key",
            regex(
                r"(?x) -----BEGIN\ [A-Z0-9\ ]*PRIVATE\ KEY(?:\ BLOCK)?-----(?s:.*?)
                (?:-----END\ [A-Z0-9\ ]*PRIVATE\ KEY(?:\ BLOCK)?-----|\z)",
            ),
        ),
        ("an access key", regex(r"(?:AKIA|ASIA)[A-Z0-9]{16}")),
        (
            "a token",
            // With the letters of all scripts, compiling this pattern takes most of the time of a short run.
            regex(
                r"(?x-u) gh[oprsu]_[A-Za-z0-9]{20,} | github_pat_\w{20,} | glpat-[\w-]{20,} | xox[abeoprs]-[\w-]{10,}
                | npm_[A-Za-z0-9]{36,} | pypi-[\w-]{40,} | [rs]k_live_\w{16,} | AIza[\w-]{35}
                | eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]*",
            ),
        ),
    ]
});

/// Word boundary in a camel-case name such as `signingKey`.
static CAMEL_CASE_BOUNDARY: LazyLock<Regex> = LazyLock::new(|| {
    let regex = Regex::new(r"(\p{Ll})(\p{Lu})");
    regex.unwrap_or_else(|_| unreachable!("a constant pattern"))
});

/// Index of the pattern for the password in a URL.
const URL_PASSWORD_PATTERN: usize = 0;

/// Secrets to redact.
#[derive(Clone, Default)]
pub struct Secrets(Vec<Secret>);

#[derive(Clone)]
struct Secret {
    variable: String,
    value: String,
}

/// Range of a text, and the description of the secret in it.
type SecretMatch<'a> = (Range<usize>, &'a str);

impl Secrets {
    /// Collects the secrets of an environment: by variable names, and the passwords in URLs.
    pub fn from_environment<N: AsRef<str>, V: AsRef<str>>(
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let mut secrets = Vec::new();
        for (name, value) in variables {
            let (name, value) = (name.as_ref(), value.as_ref());
            let secret_value = is_secret_name(name).then_some(value);
            // Each line of a secret may be printed alone.
            let lines = secret_value.into_iter().flat_map(str::lines).map(str::trim);
            for value in lines.chain(url_passwords(value)).filter(|one| is_long_enough(one)) {
                secrets.push(Secret { variable: name.to_owned(), value: value.to_owned() });
            }
        }
        Self(secrets)
    }

    /// Replaces each secret in a text with a note.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut matches: Vec<SecretMatch<'_>> =
            self.find_known_values(text).chain(find_pattern_matches(text)).collect();
        if matches.is_empty() {
            return Cow::Borrowed(text);
        }
        matches.sort_by_key(|(range, _)| (range.start, Reverse(range.end)));
        let (mut redacted, mut offset) = (String::new(), 0);
        for (range, description) in matches {
            // Overlapping secrets are redacted together.
            if range.start >= offset {
                redacted.push_str(&text[offset..range.start]);
                let _ = write!(redacted, "(hidden: {description})");
            }
            offset = offset.max(range.end);
        }
        redacted.push_str(&text[offset..]);
        Cow::Owned(redacted)
    }

    /// Redacts a text in place, as [`Self::redact`] does.
    pub fn redact_in_place(&self, text: &mut String) {
        if let Cow::Owned(hidden) = self.redact(text) {
            *text = hidden;
        }
    }

    fn find_known_values<'a>(&'a self, text: &'a str) -> impl Iterator<Item = SecretMatch<'a>> {
        self.0.iter().flat_map(move |secret| {
            let occurrences = text.match_indices(&secret.value);
            occurrences.map(|(at, found)| (at..at + found.len(), &*secret.variable))
        })
    }
}

/// Prints the names of variables, never their values.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.0.iter().map(|secret| &secret.variable);
        f.debug_list().entries(names).finish()
    }
}

fn is_secret_name(name: &str) -> bool {
    let snake_case_name = CAMEL_CASE_BOUNDARY.replace_all(name, "${1}_${2}").to_uppercase();
    let name = name.to_uppercase();
    let words: Vec<&str> = snake_case_name.split(|c: char| !c.is_alphanumeric()).collect();
    let is_description = words.last().is_some_and(|last| NON_SECRET_LAST_WORDS.contains(last));
    // `PWD` alone is the current folder.
    let has_word = name != "PWD" && words.iter().any(|word| SECRET_NAME_WORDS.contains(word));
    !is_description && (has_word || SECRET_NAME_PARTS.iter().any(|part| name.contains(part)))
}

fn is_long_enough(value: &str) -> bool {
    value.chars().nth(MIN_SECRET_CHARS - 1).is_some()
}

/// Returns the passwords in the URLs of a text.
fn url_passwords(text: &str) -> impl Iterator<Item = &str> {
    let (_, url_pattern) = &SECRET_PATTERNS[URL_PASSWORD_PATTERN];
    url_pattern.captures_iter(text).filter_map(|found| Some(found.name("secret")?.as_str()))
}

fn find_pattern_matches(text: &str) -> impl Iterator<Item = SecretMatch<'_>> {
    SECRET_PATTERNS.iter().flat_map(move |(what, shape)| {
        let ranges = shape.captures_iter(text).filter_map(|found| {
            let secret = found.name("secret").or_else(|| found.get(0))?;
            Some(secret.range())
        });
        ranges.map(|range| (range, *what))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn redact_with(variables: &[(&str, &str)], text: &str) -> String {
        Secrets::from_environment(variables.iter().copied()).redact(text).into_owned()
    }

    #[test]
    fn secret_variables_are_recognised_by_name() {
        for name in [
            "DB_PASSWORD",
            "PGPASSWORD",
            "DEPLOY_KEY",
            "ORG_GRADLE_PROJECT_signingPassword",
            "ORG_GRADLE_PROJECT_signingKey",
            "ORG_GRADLE_PROJECT_signingInMemoryKey",
            "dbPassPhrase",
            "NPM_AUTH",
            "MYSQL_PWD",
            "AWS_SECRET_ACCESS_KEY",
            "client-secret",
            "CREDENTIALS",
        ] {
            assert_eq!(
                redact_with(&[(name, "hunter22")], "<hunter22>"),
                format!("<(hidden: {name})>")
            );
        }
        for name in [
            "PWD",
            "OLDPWD",
            "KEYBOARD",
            "GIT_AUTHOR_NAME",
            "SSH_AUTH_SOCK",
            "KEY_PATH",
            "signingKeyFile",
            "USER",
        ] {
            assert_eq!(redact_with(&[(name, "hunter22")], "<hunter22>"), "<hunter22>", "{name}");
        }
    }

    #[test]
    fn short_values_stay_and_each_secret_line_is_redacted() {
        assert_eq!(redact_with(&[("TOKEN", "true"), ("KEY", "")], "is it true?"), "is it true?");
        let key = ("SIGNING_KEY", "first-line\n  second-line\r\n");
        assert_eq!(
            redact_with(&[key], "at second-line of first-line"),
            "at (hidden: SIGNING_KEY) of (hidden: SIGNING_KEY)"
        );
    }

    #[test]
    fn url_password_is_redacted_everywhere() {
        let address = ("DATABASE_URL", "postgres://shop:hunter22@db/shop");
        assert_eq!(
            redact_with(
                &[address],
                "hunter22 at jdbc:postgres://shop:other@db/shop and http://db:80/@x"
            ),
            "(hidden: DATABASE_URL) at jdbc:postgres://shop:(hidden: a password)@db/shop and http://db:80/@x"
        );
        assert_eq!(
            redact_with(
                &[("DATABASE_URL", "postgres://shop@tenant:hunter22@db/shop")],
                "is it hunter22?"
            ),
            "is it (hidden: DATABASE_URL)?"
        );
    }

    #[test]
    fn secrets_are_recognised_by_pattern() {
        let digits = "0123456789abcdefghijklmnopqrstuvwxyz";
        for (secret, what) in [
            (format!("ghp_{digits}"), "a token"),
            (format!("ghs_{digits}"), "a token"),
            (format!("github_pat_{digits}"), "a token"),
            (format!("eyJ{digits}.eyJ{digits}.{digits}"), "a token"),
            ("AKIAIOSFODNN7EXAMPLE".to_owned(), "an access key"),
            (
                format!("-----BEGIN RSA PRIVATE KEY-----\n{digits}\n-----END RSA PRIVATE KEY-----"),
                "a private key",
            ),
            (format!("-----BEGIN PRIVATE KEY-----\n{digits}"), "a private key"),
            (
                format!(
                    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{digits}\n-----END PGP PRIVATE KEY BLOCK-----"
                ),
                "a private key",
            ),
        ] {
            assert_eq!(redact_with(&[], &format!("x {secret}")), format!("x (hidden: {what})"));
        }
        assert_eq!(
            redact_with(&[], "Authorization: Bearer abc"),
            "Authorization: Bearer (hidden: a password)"
        );
    }

    #[test]
    fn redaction_is_idempotent() {
        let variables = [("DB_PASSWORD", "hunter22")];
        let text = "hunter22 Authorization: Bearer abc http://a:b@c AKIAIOSFODNN7EXAMPLE";
        let once = redact_with(&variables, text);
        assert_eq!(once.matches("(hidden: ").count(), 4, "{once}");
        assert_eq!(redact_with(&variables, &once), once);
    }

    #[test]
    fn overlapping_secrets_are_redacted_together() {
        let two = [("A_TOKEN", "abcdefgh"), ("B_TOKEN", "efghijkl")];
        assert_eq!(redact_with(&two, "-abcdefghijkl-"), "-(hidden: A_TOKEN)-");
    }

    #[test]
    fn debug_output_has_no_secret_values() {
        let secrets = Secrets::from_environment([("TOKEN", "hunter22")]);
        assert_eq!(format!("{secrets:?}"), "[\"TOKEN\"]");
    }

    proptest! {
        #[test]
        fn nothing_is_left_of_a_secret_and_everything_of_the_rest(
            secret in "[a-z0-9]{6,30}",
            around in proptest::collection::vec("[A-Z äß\n]{0,8}", 1..6),
        ) {
            let secrets = Secrets::from_environment([("X_TOKEN", &secret)]);
            let note = "(hidden: X_TOKEN)";
            let text = around.join(&secret);
            prop_assert_eq!(secrets.redact(&text), around.join(note));
        }

        #[test]
        fn a_text_without_secrets_is_the_same_text(text in "[a-zA-Z .:/\n]{0,200}") {
            let secrets = Secrets::from_environment([("X_TOKEN", "0123456789")]);
            prop_assert!(matches!(secrets.redact(&text), Cow::Borrowed(same) if same == text));
        }
    }
}
