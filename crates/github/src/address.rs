//! Address of a GitHub instance: github.com, or a GitHub Enterprise Server.

use http::Uri;
use url::Url;

/// The addresses of one GitHub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiAddress {
    /// Base address of the REST API.
    pub(super) rest: Uri,
    /// Address of the GraphQL API.
    pub(super) graphql: Uri,
    /// Address of the web pages, without a slash at the end.
    web: String,
}

/// Invalid address of a GitHub instance.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{0}` is not the address of a GitHub REST API, for example https://api.github.com or https://HOST/api/v3"
)]
pub struct InvalidApiAddress(String);

impl ApiAddress {
    /// From the address of the REST interface, `https://api.github.com` or `https://HOST/api/v3`. A server of one's
    /// own has GraphQL at `/api/graphql`.
    ///
    /// # Errors
    /// [`InvalidApiAddress`] if it is invalid.
    pub fn parse(api: &str) -> Result<Self, InvalidApiAddress> {
        let bad = || InvalidApiAddress(api.to_owned());
        let api = api.trim_end_matches('/');
        let url = Url::parse(api).map_err(|_| bad())?;
        let host = url.host_str().filter(|_| ["http", "https"].contains(&url.scheme()));
        let host = host.ok_or_else(bad)?;
        let port = url.port().map_or(String::new(), |port| format!(":{port}"));
        let root = format!("{}://{host}{port}", url.scheme());
        let web = if host == "api.github.com" { "https://github.com".to_owned() } else { root };
        let graphql = api.strip_suffix("/v3").unwrap_or(api);
        let uri = |text: &str| text.parse::<Uri>().map_err(|_| bad());
        Ok(Self { rest: uri(api)?, graphql: uri(graphql)?, web })
    }

    /// Returns the address of the web pages, without a slash at the end.
    pub fn web(&self) -> &str {
        &self.web
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_github_are_known() {
        let public = ApiAddress::parse("https://api.github.com/").unwrap();
        assert_eq!(public.graphql, "https://api.github.com");
        assert_eq!(public.web(), "https://github.com");
        let own = ApiAddress::parse("https://git.example.org/api/v3").unwrap();
        assert_eq!(own.rest, "https://git.example.org/api/v3");
        assert_eq!(own.graphql, "https://git.example.org/api");
        assert_eq!(own.web(), "https://git.example.org");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in ["", "github.com", "ftp://github.com", "https://", "file:///etc"] {
            assert!(ApiAddress::parse(text).is_err(), "{text}");
        }
    }
}
