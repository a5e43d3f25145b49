//! A repository on GitHub, as the address of a remote names it.

use mend_github::{ApiAddress, RepoName};

/// Location of a remote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// The GitHub instance.
    pub address: ApiAddress,
    /// The host name: `github.com`, or a GitHub Enterprise Server.
    pub host: String,
    /// The repository.
    pub name: RepoName,
    /// True if the user named the GitHub instance explicitly.
    is_told: bool,
}

impl Remote {
    /// Parses the address of a remote, in any of git's forms. `api` overrides the host.
    pub fn of(url: &str, api: Option<&str>) -> Option<Self> {
        let (host, path) = split(url)?;
        let path = path.trim_matches('/');
        let name = path.strip_suffix(".git").unwrap_or(path).parse().ok()?;
        let usual = match host.as_str() {
            "github.com" | "ssh.github.com" => "https://api.github.com".to_owned(),
            host => format!("https://{host}/api/v3"),
        };
        let address = ApiAddress::of(api.unwrap_or(&usual)).ok()?;
        Some(Self { address, host, name, is_told: api.is_some() })
    }

    /// The variables that may hold a token for it, as GitHub's own program has them: one for github.com is sent to no
    /// other host that a remote happens to name.
    pub fn token_names(&self) -> [&'static str; 2] {
        let is_public = matches!(self.host.as_str(), "github.com" | "ssh.github.com")
            || self.host.ends_with(".ghe.com");
        if is_public || self.is_told {
            ["GITHUB_TOKEN", "GH_TOKEN"]
        } else {
            ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"]
        }
    }
}

/// Host and path: of `https://host/path`, `ssh://git@host:22/path` and `git@host:path`.
fn split(url: &str) -> Option<(String, String)> {
    if url.contains("://") {
        let url = url::Url::parse(url).ok()?;
        return Some((url.host_str()?.to_owned(), url.path().to_owned()));
    }
    let (place, path) = url.split_once(':')?;
    let host = place.rsplit('@').next()?;
    Some((host.to_owned(), path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_an_address_is_understood() {
        for url in [
            "https://github.com/bakery/till.git",
            "https://user@github.com/bakery/till",
            "git@github.com:bakery/till.git",
            "ssh://git@ssh.github.com:443/bakery/till.git",
            "https://github.com/bakery/till/",
        ] {
            let remote = Remote::of(url, None).unwrap();
            assert_eq!(remote.name.to_string(), "bakery/till", "{url}");
            assert_eq!(remote.address, ApiAddress::of("https://api.github.com").unwrap());
        }
        let own = Remote::of("git@git.example.org:bakery/till.git", None).unwrap();
        assert_eq!(own.address, ApiAddress::of("https://git.example.org/api/v3").unwrap());
        assert_eq!(own.token_names()[0], "GH_ENTERPRISE_TOKEN");
        let told = Remote::of("git@git.example.org:a/b", Some("https://git.example.org/api/v3"));
        assert_eq!(told.unwrap().token_names()[0], "GITHUB_TOKEN");
    }

    #[test]
    fn what_is_no_repository_of_a_forge_is_none() {
        for url in
            ["", "/srv/till.git", "../till", "https://github.com/", "https://github.com/a/b/c"]
        {
            assert_eq!(Remote::of(url, None), None, "{url}");
        }
    }
}
