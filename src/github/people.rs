//! Who may do what.

use super::comments::Author;
use super::error::ForgeResult;
use super::names::{Login, part};
use super::repo::Repo;
use serde::Deserialize;

impl Repo {
    /// Whether somebody may write to the repository. GitHub tells an older scale of four levels beside the role, in
    /// which `maintain` counts as `write`; custom roles are on it too.
    ///
    /// # Errors
    /// As GitHub answers.
    pub async fn can_write(&self, who: &Login) -> ForgeResult<bool> {
        #[derive(Deserialize)]
        struct Access {
            permission: String,
        }
        let who = part(&who.0);
        let route = self.route(&format!("/collaborators/{who}/permission"));
        let access: Option<Access> = self.client.find(&route).await?;
        Ok(access.is_some_and(|access| matches!(access.permission.as_str(), "admin" | "write")))
    }

    /// What of these whoever asks wrote. Where there is nothing, nobody is asked who that is.
    pub(super) async fn ours<T>(
        &self,
        mut all: Vec<T>,
        author: impl Fn(&T) -> Option<&Author>,
    ) -> ForgeResult<Vec<T>> {
        if !all.is_empty() {
            let we = self.client.viewer().await?;
            all.retain(|one| author(one).is_some_and(|author| author.id == we));
        }
        Ok(all)
    }
}
