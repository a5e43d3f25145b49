//! Parses the address of a git remote into a GitHub instance and a repository.

use mend_github::{ApiAddress, RepoName};

/// Repository on GitHub that a remote names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteRepository {
    /// API address of the GitHub instance.
    pub address: ApiAddress,
    /// Host name: `github.com`, or a GitHub Enterprise Server.
    pub host: String,
    /// Name of the repository.
    pub name: RepoName,
    /// True if the user named the GitHub instance explicitly.
    is_explicit: bool,
}

impl RemoteRepository {
    /// Parses the address of a remote, in any of git's forms. `api` overrides the host.
    pub fn parse(url: &str, api: Option<&str>) -> Option<Self> {
        let (host, path) = split_remote_url(url)?;
        let path = path.trim_matches('/');
        let name = path.strip_suffix(".git").unwrap_or(path).parse().ok()?;
        let default_api = match host.as_str() {
            "github.com" | "ssh.github.com" => "https://api.github.com".to_owned(),
            host => format!("https://{host}/api/v3"),
        };
        let address = ApiAddress::parse(api.unwrap_or(&default_api)).ok()?;
        Some(Self { address, host, name, is_explicit: api.is_some() })
    }

    /// Returns the names of the token variables, which are those of the `gh` program. git-mend never sends a token for
    /// github.com to another host.
    pub fn token_variables(&self) -> [&'static str; 2] {
        let is_public = matches!(self.host.as_str(), "github.com" | "ssh.github.com")
            || self.host.ends_with(".ghe.com");
        if is_public || self.is_explicit {
            ["GITHUB_TOKEN", "GH_TOKEN"]
        } else {
            ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"]
        }
    }
}

/// Splits an address into host and path. Accepts `https://host/path`, `ssh://git@host:22/path` and `git@host:path`.
fn split_remote_url(url: &str) -> Option<(String, String)> {
    if url.contains("://") {
        let url = url::Url::parse(url).ok()?;
        return Some((url.host_str()?.to_owned(), url.path().to_owned()));
    }
    let (authority, path) = url.split_once(':')?;
    let host = authority.rsplit('@').next()?;
    Some((host.to_owned(), path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_remote_url_is_parsed() {
        for url in [
            "https://github.com/bakery/till.git",
            "https://user@github.com/bakery/till",
            "git@github.com:bakery/till.git",
            "ssh://git@ssh.github.com:443/bakery/till.git",
            "https://github.com/bakery/till/",
        ] {
            let remote = RemoteRepository::parse(url, None).unwrap();
            assert_eq!(remote.name.to_string(), "bakery/till", "{url}");
            assert_eq!(remote.address, ApiAddress::parse("https://api.github.com").unwrap());
        }
        let enterprise =
            RemoteRepository::parse("git@git.example.org:bakery/till.git", None).unwrap();
        assert_eq!(
            enterprise.address,
            ApiAddress::parse("https://git.example.org/api/v3").unwrap()
        );
        assert_eq!(enterprise.token_variables()[0], "GH_ENTERPRISE_TOKEN");
        let explicit = RemoteRepository::parse(
            "git@git.example.org:a/b",
            Some("https://git.example.org/api/v3"),
        );
        assert_eq!(explicit.unwrap().token_variables()[0], "GITHUB_TOKEN");
    }

    #[test]
    fn other_urls_are_not_github_repositories() {
        for url in
            ["", "/srv/till.git", "../till", "https://github.com/", "https://github.com/a/b/c"]
        {
            assert_eq!(RemoteRepository::parse(url, None), None, "{url}");
        }
    }
}
