//! Redaction of secrets. Output of tests and builds ends up in files and on pages that other people read, so secrets of
//! their environment are redacted as soon as the output is read.

use regex::Regex;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt::{self, Write as _};
use std::ops::Range;
use std::sync::LazyLock;

/// Minimum length of a secret, in characters. Shorter ones match ordinary words.
const SHORTEST: usize = 6;

/// Parts of names of variables that hold secrets.
const TELLTALES: [&str; 8] =
    ["APIKEY", "CREDENTIAL", "PASSPHRASE", "PASSWD", "PASSWORD", "PRIVATEKEY", "SECRET", "TOKEN"];

/// Whole words in names of variables that hold secrets.
const TELLTALE_WORDS: [&str; 9] =
    ["AUTH", "AUTHORIZATION", "COOKIE", "CREDS", "KEY", "KEYS", "PASS", "PAT", "PWD"];

/// Last words of names of variables that describe a secret but do not hold it.
const ABOUT: [&str; 8] = ["DIR", "DIRECTORY", "FILE", "HOME", "NAME", "PATH", "SOCK", "TYPE"];

/// Patterns of secrets that are not in the environment. The group `secret` is redacted, or else the whole match.
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
            regex(
                r"(?x) gh[oprsu]_[A-Za-z0-9]{20,} | github_pat_\w{20,} | glpat-[\w-]{20,} | xox[abeoprs]-[\w-]{10,}
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
const ADDRESS: usize = 0;

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
        let mut all = Vec::new();
        for (name, value) in variables {
            let (name, value) = (name.as_ref(), value.as_ref());
            let whole = is_secret(name).then_some(value);
            // Each line of a secret may be printed alone.
            let lines = whole.into_iter().flat_map(str::lines).map(str::trim);
            for value in lines.chain(passwords(value)).filter(|one| is_long(one)) {
                all.push(Secret { variable: name.to_owned(), value: value.to_owned() });
            }
        }
        Self(all)
    }

    /// Replaces each secret in a text with a note.
    pub fn hide<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut found: Vec<SecretMatch<'_>> = self.values(text).chain(shaped(text)).collect();
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        found.sort_by_key(|(place, _)| (place.start, Reverse(place.end)));
        let (mut out, mut at) = (String::new(), 0);
        for (place, what) in found {
            // Overlapping secrets are redacted together.
            if place.start >= at {
                out.push_str(&text[at..place.start]);
                let _ = write!(out, "(hidden: {what})");
            }
            at = at.max(place.end);
        }
        out.push_str(&text[at..]);
        Cow::Owned(out)
    }

    /// Redacts a text in place, as [`Self::hide`] does.
    pub fn hide_in(&self, text: &mut String) {
        if let Cow::Owned(hidden) = self.hide(text) {
            *text = hidden;
        }
    }

    fn values<'a>(&'a self, text: &'a str) -> impl Iterator<Item = SecretMatch<'a>> {
        self.0.iter().flat_map(move |secret| {
            let places = text.match_indices(&secret.value);
            places.map(|(at, found)| (at..at + found.len(), &*secret.variable))
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

fn is_secret(name: &str) -> bool {
    let apart = CAMEL_CASE_BOUNDARY.replace_all(name, "${1}_${2}").to_uppercase();
    let name = name.to_uppercase();
    let words: Vec<&str> = apart.split(|c: char| !c.is_alphanumeric()).collect();
    let is_about = words.last().is_some_and(|last| ABOUT.contains(last));
    // `PWD` alone is the current folder.
    let has_word = name != "PWD" && words.iter().any(|word| TELLTALE_WORDS.contains(word));
    !is_about && (has_word || TELLTALES.iter().any(|part| name.contains(part)))
}

fn is_long(value: &str) -> bool {
    value.chars().nth(SHORTEST - 1).is_some()
}

/// Returns the passwords in the URLs of a text.
fn passwords(text: &str) -> impl Iterator<Item = &str> {
    let (_, address) = &SECRET_PATTERNS[ADDRESS];
    address.captures_iter(text).filter_map(|found| Some(found.name("secret")?.as_str()))
}

fn shaped(text: &str) -> impl Iterator<Item = SecretMatch<'_>> {
    SECRET_PATTERNS.iter().flat_map(move |(what, shape)| {
        let places = shape.captures_iter(text).filter_map(|found| {
            let place = found.name("secret").or_else(|| found.get(0))?;
            Some(place.range())
        });
        places.map(|place| (place, *what))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hidden(variables: &[(&str, &str)], text: &str) -> String {
        Secrets::from_environment(variables.iter().copied()).hide(text).into_owned()
    }

    #[test]
    fn a_variable_is_hidden_that_is_called_like_a_secret() {
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
            assert_eq!(hidden(&[(name, "hunter22")], "<hunter22>"), format!("<(hidden: {name})>"));
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
            assert_eq!(hidden(&[(name, "hunter22")], "<hunter22>"), "<hunter22>", "{name}");
        }
    }

    #[test]
    fn what_is_short_is_no_secret_and_each_line_of_a_long_one_is() {
        assert_eq!(hidden(&[("TOKEN", "true"), ("KEY", "")], "is it true?"), "is it true?");
        let key = ("SIGNING_KEY", "first-line\n  second-line\r\n");
        assert_eq!(
            hidden(&[key], "at second-line of first-line"),
            "at (hidden: SIGNING_KEY) of (hidden: SIGNING_KEY)"
        );
    }

    #[test]
    fn the_password_of_an_address_is_hidden_wherever_it_stands() {
        let address = ("DATABASE_URL", "postgres://shop:hunter22@db/shop");
        assert_eq!(
            hidden(
                &[address],
                "hunter22 at jdbc:postgres://shop:other@db/shop and http://db:80/@x"
            ),
            "(hidden: DATABASE_URL) at jdbc:postgres://shop:(hidden: a password)@db/shop and http://db:80/@x"
        );
        assert_eq!(
            hidden(
                &[("DATABASE_URL", "postgres://shop@tenant:hunter22@db/shop")],
                "is it hunter22?"
            ),
            "is it (hidden: DATABASE_URL)?"
        );
    }

    #[test]
    fn secrets_are_known_by_their_shapes() {
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
            assert_eq!(hidden(&[], &format!("x {secret}")), format!("x (hidden: {what})"));
        }
        assert_eq!(
            hidden(&[], "Authorization: Bearer abc"),
            "Authorization: Bearer (hidden: a password)"
        );
    }

    #[test]
    fn what_is_hidden_stays_as_it_is_when_it_is_looked_at_again() {
        let variables = [("DB_PASSWORD", "hunter22")];
        let text = "hunter22 Authorization: Bearer abc http://a:b@c AKIAIOSFODNN7EXAMPLE";
        let once = hidden(&variables, text);
        assert_eq!(once.matches("(hidden: ").count(), 4, "{once}");
        assert_eq!(hidden(&variables, &once), once);
    }

    #[test]
    fn what_overlaps_goes_as_one() {
        let two = [("A_TOKEN", "abcdefgh"), ("B_TOKEN", "efghijkl")];
        assert_eq!(hidden(&two, "-abcdefghijkl-"), "-(hidden: A_TOKEN)-");
    }

    #[test]
    fn no_value_is_shown_by_those_who_debug() {
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
            prop_assert_eq!(secrets.hide(&text), around.join(note));
        }

        #[test]
        fn a_text_without_secrets_is_the_same_text(text in "[a-zA-Z .:/\n]{0,200}") {
            let secrets = Secrets::from_environment([("X_TOKEN", "0123456789")]);
            prop_assert!(matches!(secrets.hide(&text), Cow::Borrowed(same) if same == text));
        }
    }
}
