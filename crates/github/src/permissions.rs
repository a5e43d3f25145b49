//! Permissions of users.

use super::comments::CommentAuthor;
use super::error::ApiResult;
use super::names::{Login, part};
use super::repo::Repo;
use serde::Deserialize;

impl Repo {
    /// Returns true if a user has write access. GitHub returns an older scale of four levels besides the role. It maps
    /// `maintain` to `write` and covers custom roles.
    ///
    /// # Errors
    /// GitHub's error.
    pub async fn can_write(&self, who: &Login) -> ApiResult<bool> {
        #[derive(Deserialize)]
        struct PermissionResponse {
            permission: String,
        }
        let who = part(&who.0);
        let route = self.route(&format!("/collaborators/{who}/permission"));
        let access: Option<PermissionResponse> = self.client.find(&route).await?;
        Ok(access.is_some_and(|access| matches!(access.permission.as_str(), "admin" | "write")))
    }

    /// Keeps the items that this account wrote. An empty list needs no request.
    pub(super) async fn ours<T>(
        &self,
        mut all: Vec<T>,
        author: impl Fn(&T) -> Option<&CommentAuthor>,
    ) -> ApiResult<Vec<T>> {
        if !all.is_empty() {
            let we = self.client.viewer().await?;
            all.retain(|one| author(one).is_some_and(|author| author.id == we));
        }
        Ok(all)
    }
}
