//! Address of a GitHub instance: github.com, or a GitHub Enterprise Server.

use http::Uri;
use url::Url;

/// Addresses of a GitHub instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiAddress {
    /// Base address of the REST API.
    pub(super) rest: Uri,
    /// Address of the GraphQL API.
    pub(super) graphql: Uri,
    /// Address of the web pages, without a slash at the end.
    web_url: String,
}

/// Invalid address of a GitHub instance.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{0}` is not the address of a GitHub REST API, for example https://api.github.com or https://HOST/api/v3"
)]
pub struct InvalidApiAddress(String);

impl ApiAddress {
    /// Parses the address of the REST API, `https://api.github.com` or `https://HOST/api/v3`. A GitHub Enterprise
    /// Server has GraphQL at `/api/graphql`.
    ///
    /// # Errors
    /// [`InvalidApiAddress`] if it is invalid.
    pub fn parse(rest_url: &str) -> Result<Self, InvalidApiAddress> {
        let invalid = || InvalidApiAddress(rest_url.to_owned());
        let rest_url = rest_url.trim_end_matches('/');
        let url = Url::parse(rest_url).map_err(|_| invalid())?;
        let host = url.host_str().filter(|_| ["http", "https"].contains(&url.scheme()));
        let host = host.ok_or_else(invalid)?;
        let port = url.port().map_or(String::new(), |port| format!(":{port}"));
        let root = format!("{}://{host}{port}", url.scheme());
        let web = if host == "api.github.com" { "https://github.com".to_owned() } else { root };
        let graphql = rest_url.strip_suffix("/v3").unwrap_or(rest_url);
        let uri = |text: &str| text.parse::<Uri>().map_err(|_| invalid());
        Ok(Self { rest: uri(rest_url)?, graphql: uri(graphql)?, web_url: web })
    }

    /// Returns the address of the web pages, without a slash at the end.
    pub fn web_url(&self) -> &str {
        &self.web_url
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_and_enterprise_addresses_are_parsed() {
        let public = ApiAddress::parse("https://api.github.com/").unwrap();
        assert_eq!(public.graphql, "https://api.github.com");
        assert_eq!(public.web_url(), "https://github.com");
        let own = ApiAddress::parse("https://git.example.org/api/v3").unwrap();
        assert_eq!(own.rest, "https://git.example.org/api/v3");
        assert_eq!(own.graphql, "https://git.example.org/api");
        assert_eq!(own.web_url(), "https://git.example.org");
    }

    #[test]
    fn invalid_address_is_refused() {
        for text in ["", "github.com", "ftp://github.com", "https://", "file:///etc"] {
            assert!(ApiAddress::parse(text).is_err(), "{text}");
        }
    }
}
