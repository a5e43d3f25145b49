//! Git hooks of git-mend, and their installation into the hooks folder of a repository.

mod block;

use super::{Git, Repository};
use block::{HookParts, insert_block, remove_block};
use mend_model::{Problem, Result};
use std::fmt;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Git hook that git-mend provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitHook {
    /// Runs before a push.
    PrePush,
    /// Runs before the commit of a merge without conflicts.
    PreMergeCommit,
    /// Runs after a checkout.
    PostCheckout,
}

impl GitHook {
    /// All hooks.
    pub const ALL: [Self; 3] = [Self::PrePush, Self::PreMergeCommit, Self::PostCheckout];

    /// Hooks that are installed by default.
    pub const DEFAULT: [Self; 2] = [Self::PrePush, Self::PreMergeCommit];

    /// Returns the file name.
    pub fn name(self) -> &'static str {
        match self {
            Self::PrePush => "pre-push",
            Self::PreMergeCommit => "pre-merge-commit",
            Self::PostCheckout => "post-checkout",
        }
    }

    /// Returns the whole content of its file.
    fn script(self) -> &'static [u8] {
        match self {
            Self::PrePush => include_bytes!("../../../hooks/pre-push"),
            Self::PreMergeCommit => include_bytes!("../../../hooks/pre-merge-commit"),
            Self::PostCheckout => include_bytes!("../../../hooks/post-checkout"),
        }
    }
}

impl fmt::Display for GitHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for GitHook {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = Self::ALL.into_iter().find(|hook| hook.name() == text);
        parsed.ok_or_else(|| format!("expected one of {}", Self::ALL.map(Self::name).join(", ")))
    }
}

/// Result of installing or removing a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallResult {
    /// The hook.
    pub hook: GitHook,
    /// Its file.
    pub path: PathBuf,
    /// Action on the file.
    pub action: InstallAction,
    /// True if the mode of the file allows git to run it.
    pub is_executable: bool,
}

/// Action on a hook file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallAction {
    /// The file was created.
    Created,
    /// The lines were added to an existing file.
    Added,
    /// Older lines were updated.
    Updated,
    /// Nothing had to be changed.
    Unchanged,
    /// The lines were removed from the file.
    Removed,
    /// The file contained nothing else and was deleted.
    Deleted,
}

impl InstallAction {
    /// Returns the word for messages and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Added => "added",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::Removed => "removed",
            Self::Deleted => "deleted",
        }
    }
}

/// Folder in which git looks for the hooks of a repository.
#[derive(Debug)]
pub struct HooksFolder {
    path: PathBuf,
    /// Notice for the user.
    notice: Option<String>,
}

/// Planned change of a hook file.
struct InstallPlan {
    result: InstallResult,
    /// New content; `None` if the file is unchanged or deleted.
    new_content: Option<Vec<u8>>,
}

impl HooksFolder {
    /// Finds the folder with git, which respects `core.hooksPath` and linked work trees.
    ///
    /// # Errors
    /// [`Problem::Usage`] if hooks are disabled; errors of calling git.
    pub fn find(repository: &Repository, dir: &Path) -> Result<Self> {
        let root = repository.work_tree().unwrap_or(dir);
        let output = Git::with_user_settings(repository.work_tree_git_dir(), root)
            .args(["rev-parse", "--git-path", "hooks"])
            .stdout_text()?;
        let path = root.join(output.trim_end_matches('\n'));
        if path.exists() && !path.is_dir() {
            return Err(Problem::Usage {
                message: format!("core.hooksPath is {}, which is not a folder", path.display()),
                remedy: "run `git config --unset core.hooksPath` to use the default hooks folder"
                    .to_owned(),
            });
        }
        let notice = unusual_folder_notice(&path, repository);
        Ok(Self { path, notice })
    }

    /// Returns a notice for the user about the folder.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// Installs hooks: all of them, or none if one cannot be installed.
    ///
    /// # Errors
    /// [`Problem::Usage`] for a file that the block cannot be inserted into; errors of writing.
    pub fn install(&self, hooks: &[GitHook]) -> Result<Vec<InstallResult>> {
        let plans = hooks.iter().map(|hook| self.plan_install(*hook));
        std::fs::create_dir_all(&self.path).map_err(|error| Problem::io(error, &self.path))?;
        self.execute(plans.collect::<Result<_>>()?)
    }

    /// Uninstalls hooks without changing other content of their files.
    ///
    /// # Errors
    /// Errors of reading and writing.
    pub fn uninstall(&self, hooks: &[GitHook]) -> Result<Vec<InstallResult>> {
        let plans = hooks.iter().map(|hook| self.plan_uninstall(*hook));
        self.execute(plans.collect::<Result<_>>()?)
    }

    fn plan_install(&self, hook: GitHook) -> Result<InstallPlan> {
        let HookParts { block, .. } = HookParts::split(hook.script());
        let Some(old_content) = self.read_hook_file(hook)? else {
            return Ok(self.new_plan(hook, InstallAction::Created, Some(hook.script().to_vec())));
        };
        let new_content = insert_block(&old_content, block).map_err(|other| {
            not_a_shell_problem(hook, &self.path.join(hook.name()), &other.interpreter)
        })?;
        let action = match remove_block(&old_content) {
            _ if new_content == old_content => InstallAction::Unchanged,
            Some(_) => InstallAction::Updated,
            None => InstallAction::Added,
        };
        Ok(self.new_plan(hook, action, (new_content != old_content).then_some(new_content)))
    }

    fn plan_uninstall(&self, hook: GitHook) -> Result<InstallPlan> {
        let remaining = self.read_hook_file(hook)?.and_then(|file| remove_block(&file));
        let HookParts { header, .. } = HookParts::split(hook.script());
        Ok(match remaining {
            None => self.new_plan(hook, InstallAction::Unchanged, None),
            Some(remaining) if remaining == header => {
                self.new_plan(hook, InstallAction::Deleted, None)
            }
            Some(remaining) => self.new_plan(hook, InstallAction::Removed, Some(remaining)),
        })
    }

    fn new_plan(
        &self,
        hook: GitHook,
        action: InstallAction,
        new_content: Option<Vec<u8>>,
    ) -> InstallPlan {
        let path = self.path.join(hook.name());
        let mode = path.metadata().map(|metadata| metadata.permissions().mode());
        let is_executable = mode.map_or(true, |mode| mode & 0o111 != 0);
        InstallPlan { result: InstallResult { hook, path, action, is_executable }, new_content }
    }

    fn execute(&self, plans: Vec<InstallPlan>) -> Result<Vec<InstallResult>> {
        for InstallPlan { result: InstallResult { path, action: done, .. }, new_content: text } in
            &plans
        {
            let write_result = match (done, text) {
                (InstallAction::Created, Some(text)) => create_executable(path, text),
                (InstallAction::Deleted, _) => std::fs::remove_file(path),
                (_, Some(text)) => self.replace_file(path, text),
                (_, None) => Ok(()),
            };
            write_result.map_err(|error| Problem::io(error, path))?;
        }
        Ok(plans.into_iter().map(|plan| plan.result).collect())
    }

    /// Replaces a file atomically, so that git never runs an incomplete one; its mode is kept.
    fn replace_file(&self, path: &Path, text: &[u8]) -> std::io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(&self.path)?;
        file.write_all(text)?;
        file.as_file().set_permissions(path.metadata()?.permissions())?;
        file.persist(path).map(drop).map_err(|error| error.error)
    }

    /// Returns the content of a hook's file; `None` if there is none. A link is refused: its target
    /// belongs to another tool, and is often tracked.
    fn read_hook_file(&self, hook: GitHook) -> Result<Option<Vec<u8>>> {
        let path = self.path.join(hook.name());
        if let Ok(target) = std::fs::read_link(&path) {
            return Err(Problem::Usage {
                message: format!("{} is a link to {}", path.display(), target.display()),
                remedy: format!(
                    "replace the link with a file, or call `git mend hook run {hook} \"$@\"` from its target"
                ),
            });
        }
        match std::fs::read(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Problem::io(error, path)),
        }
    }
}

fn create_executable(path: &Path, text: &[u8]) -> std::io::Result<()> {
    let mut options = std::fs::File::options();
    options.write(true).create_new(true).mode(0o777).open(path)?.write_all(text)
}

fn not_a_shell_problem(hook: GitHook, path: &Path, interpreter: &str) -> Problem {
    Problem::Usage {
        message: format!("{} is run by {interpreter}, not by a shell", path.display()),
        remedy: format!(
            "rename it and call it from a shell script with the old name, or call `git mend hook run {hook}` from it"
        ),
    }
}

/// Returns a notice about an unusual hooks folder.
fn unusual_folder_notice(path: &Path, repository: &Repository) -> Option<String> {
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = canonical(path);
    if folder.starts_with(repository.git_dir()) {
        return None;
    }
    let root = repository.work_tree().map(canonical);
    Some(if root.is_some_and(|root| folder.starts_with(root)) {
        format!(
            "core.hooksPath is {}, in the work tree: hooks there can be committed, and the tool that created the \
             folder may overwrite them",
            path.display()
        )
    } else {
        let shown_path = path.display();
        format!("core.hooksPath is {shown_path}: hooks there run in every repository that uses it")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestRepository;

    fn hooks_folder(test: &TestRepository) -> HooksFolder {
        HooksFolder::find(&test.open(), test.path()).unwrap()
    }

    fn actions(placed: &[InstallResult]) -> Vec<InstallAction> {
        placed.iter().map(|placed| placed.action).collect()
    }

    #[test]
    fn hook_scripts_split_into_header_and_block() {
        for hook in GitHook::ALL {
            let HookParts { header, block } = HookParts::split(hook.script());
            assert!(header.starts_with(b"#!/bin/sh\n# Made by `git mend hook install`"));
            assert!(block.ends_with(b"<<<\n") && header.len() + block.len() == hook.script().len());
            assert_eq!(hook.name().parse(), Ok(hook));
        }
    }

    #[test]
    fn uninstall_restores_existing_hooks_and_deletes_created_ones() {
        let test = TestRepository::new();
        let existing_hook = b"#!/bin/bash -e\nexec something\n";
        test.write(".git/hooks/pre-push", existing_hook);
        let path = test.path().join(".git/hooks/pre-push");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
        let folder = hooks_folder(&test);
        assert_eq!(folder.notice(), None);
        let installed = folder.install(&GitHook::DEFAULT).unwrap();
        assert_eq!(actions(&installed), [InstallAction::Added, InstallAction::Created]);
        assert!(
            installed
                .iter()
                .all(|result| result.path.metadata().unwrap().permissions().mode() & 0o100 != 0)
        );
        assert_eq!(
            actions(&folder.install(&GitHook::DEFAULT).unwrap()),
            [InstallAction::Unchanged; 2]
        );
        let uninstalled = folder.uninstall(&GitHook::ALL).unwrap();
        assert_eq!(
            actions(&uninstalled),
            [InstallAction::Removed, InstallAction::Deleted, InstallAction::Unchanged]
        );
        assert_eq!(std::fs::read(&path).unwrap(), existing_hook);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o750);
        assert!(!installed[1].path.exists());
    }

    #[test]
    fn install_is_all_or_nothing() {
        let test = TestRepository::new();
        test.write(".git/hooks/pre-merge-commit", b"#!/usr/bin/env python3\n");
        let problem = hooks_folder(&test).install(&GitHook::DEFAULT).unwrap_err();
        assert!(problem.to_string().contains("run by python3"), "{problem}");
        assert!(!test.path().join(".git/hooks/pre-push").exists());
    }

    #[test]
    fn symlinked_hook_is_refused() {
        let test = TestRepository::new();
        test.write("scripts/push", b"#!/bin/sh\n").write(".git/hooks/x", b"");
        let link = test.path().join(".git/hooks/pre-push");
        std::os::unix::fs::symlink("../../scripts/push", link).unwrap();
        let problem = hooks_folder(&test).install(&GitHook::DEFAULT).unwrap_err();
        assert!(problem.to_string().contains("link to ../../scripts/push"), "{problem}");
    }

    #[test]
    fn core_hooks_path_is_respected() {
        let test = TestRepository::new();
        test.write("file", b"x").commit("one");
        test.git(&["config", "core.hooksPath", ".husky"]);
        let folder = hooks_folder(&test);
        assert!(folder.notice().unwrap().contains("in the work tree"));
        let installed = folder.install(&[GitHook::PostCheckout]).unwrap();
        assert!(installed[0].path.ends_with(".husky/post-checkout") && installed[0].path.exists());
        test.git(&["config", "core.hooksPath", "/dev/null"]);
        assert!(HooksFolder::find(&test.open(), test.path()).is_err());
    }
}
