//! Web page of a commit.

/// Returns the web page of a commit if the remote is on GitHub or GitLab.
pub(super) fn commit_link(remote_url: &str, commit: &str) -> Option<String> {
    let (host, path) = split_remote_url(remote_url)?;
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let is_repository = path.contains('/') && !path.contains([' ', '?', '#', '(', ')', '<', '>']);
    let host = host.strip_prefix("ssh.").unwrap_or(host);
    match host {
        _ if !is_repository => None,
        "github.com" => Some(format!("https://{host}/{path}/commit/{commit}")),
        "gitlab.com" => Some(format!("https://{host}/{path}/-/commit/{commit}")),
        _ if host.starts_with("gitlab.") => {
            Some(format!("https://{host}/{path}/-/commit/{commit}"))
        }
        _ => None,
    }
}

/// Splits the address of a remote into host and path: `https://host/path`, `ssh://git@host:22/path` or
/// `git@host:path`.
fn split_remote_url(url: &str) -> Option<(&str, &str)> {
    let (authority, path) = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?,
        None => url.split_once(':')?,
    };
    let host = authority.rsplit('@').next()?;
    Some((host.split(':').next()?, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_hosts_have_links_for_every_form_of_address() {
        let on_github = Some("https://github.com/apache/commons-io/commit/abc".to_owned());
        for url in [
            "https://github.com/apache/commons-io.git",
            "https://user:secret@github.com/apache/commons-io/",
            "git@github.com:apache/commons-io.git",
            "ssh://git@ssh.github.com:443/apache/commons-io.git",
        ] {
            assert_eq!(commit_link(url, "abc"), on_github, "{url}");
        }
        let on_gitlab = commit_link("git@gitlab.example.org:group/sub/lib.git", "abc").unwrap();
        assert_eq!(on_gitlab, "https://gitlab.example.org/group/sub/lib/-/commit/abc");
        for url in ["../lib", "/srv/lib.git", "https://example.org/a/b", "https://github.com/"] {
            assert_eq!(commit_link(url, "abc"), None, "{url}");
        }
    }
}
