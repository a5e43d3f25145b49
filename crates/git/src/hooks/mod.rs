//! The git hooks: their files, and how they come into the folder that git looks in.

mod block;

use super::{Git, Repository};
use block::{HookParts, with_block, without_block};
use mend_model::{Problem, Result};
use std::fmt;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A git hook that this program has an answer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitHook {
    /// Before anything is sent to a remote repository.
    PrePush,
    /// Before the commit of a merge that went without conflicts.
    PreMergeCommit,
    /// After another commit was checked out.
    PostCheckout,
}

impl GitHook {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::PrePush, Self::PreMergeCommit, Self::PostCheckout];

    /// Hooks that are installed by default.
    pub const USUAL: [Self; 2] = [Self::PrePush, Self::PreMergeCommit];

    /// The name of its file.
    pub fn name(self) -> &'static str {
        match self {
            Self::PrePush => "pre-push",
            Self::PreMergeCommit => "pre-merge-commit",
            Self::PostCheckout => "post-checkout",
        }
    }

    /// Its whole file.
    fn text(self) -> &'static [u8] {
        match self {
            Self::PrePush => include_bytes!("../../../../hooks/pre-push"),
            Self::PreMergeCommit => include_bytes!("../../../../hooks/pre-merge-commit"),
            Self::PostCheckout => include_bytes!("../../../../hooks/post-checkout"),
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
        let known = Self::ALL.into_iter().find(|hook| hook.name() == text);
        known.ok_or_else(|| format!("expected one of {}", Self::ALL.map(Self::name).join(", ")))
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
    pub done: InstallAction,
    /// True if the mode of the file allows git to run it.
    pub is_executable: bool,
}

/// Action on a hook file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallAction {
    /// There was none; now there is.
    Created,
    /// The lines were added to an existing file.
    Added,
    /// Older lines were updated.
    Updated,
    /// All was as it should be.
    Unchanged,
    /// The lines were removed from the file.
    Removed,
    /// The file contained nothing else and was deleted.
    Deleted,
}

impl InstallAction {
    /// Returns the word for messages and JSON.
    pub fn word(self) -> &'static str {
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

/// The folder in which git looks for a repository's hooks.
#[derive(Debug)]
pub struct HooksFolder {
    path: PathBuf,
    /// Notice for the user.
    notice: Option<String>,
}

/// Planned change of a hook file.
struct InstallPlan {
    placed: InstallResult,
    /// New content; `None` if the file stays unchanged or is deleted.
    text: Option<Vec<u8>>,
}

impl HooksFolder {
    /// Asks git, which knows `core.hooksPath` and linked work trees.
    ///
    /// # Errors
    /// [`Problem::Usage`] where hooks are switched off; errors of calling git.
    pub fn find(repository: &Repository, dir: &Path) -> Result<Self> {
        let said =
            Git::with_user_settings(dir).args(["rev-parse", "--git-path", "hooks"]).text()?;
        let path = dir.join(said.trim_end_matches('\n'));
        if path.exists() && !path.is_dir() {
            return Err(Problem::Usage {
                message: format!("core.hooksPath is {}, which is not a folder", path.display()),
                remedy: "run `git config --unset core.hooksPath` to use the default hooks folder"
                    .to_owned(),
            });
        }
        let notice = notice(&path, repository);
        Ok(Self { path, notice })
    }

    /// Returns a notice for the user about the folder.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// Puts hooks in place; either all that are named or, if one of them cannot be, none.
    ///
    /// # Errors
    /// [`Problem::Usage`] for a file that our lines cannot stand in; errors of writing.
    pub fn install(&self, hooks: &[GitHook]) -> Result<Vec<InstallResult>> {
        let plans = hooks.iter().map(|hook| self.plan_install(*hook));
        std::fs::create_dir_all(&self.path).map_err(|error| Problem::io(error, &self.path))?;
        self.carry_out(plans.collect::<Result<_>>()?)
    }

    /// Takes hooks away again, and leaves what else is in their files as it was.
    ///
    /// # Errors
    /// Errors of reading and writing.
    pub fn uninstall(&self, hooks: &[GitHook]) -> Result<Vec<InstallResult>> {
        let plans = hooks.iter().map(|hook| self.plan_uninstall(*hook));
        self.carry_out(plans.collect::<Result<_>>()?)
    }

    fn plan_install(&self, hook: GitHook) -> Result<InstallPlan> {
        let HookParts { block, .. } = HookParts::split(hook.text());
        let Some(before) = self.read(hook)? else {
            return Ok(self.plan(hook, InstallAction::Created, Some(hook.text().to_vec())));
        };
        let after = with_block(&before, block)
            .map_err(|other| not_shell(hook, &self.path.join(hook.name()), &other.interpreter))?;
        let done = match without_block(&before) {
            _ if after == before => InstallAction::Unchanged,
            Some(_) => InstallAction::Updated,
            None => InstallAction::Added,
        };
        Ok(self.plan(hook, done, (after != before).then_some(after)))
    }

    fn plan_uninstall(&self, hook: GitHook) -> Result<InstallPlan> {
        let left = self.read(hook)?.and_then(|file| without_block(&file));
        let HookParts { header, .. } = HookParts::split(hook.text());
        Ok(match left {
            None => self.plan(hook, InstallAction::Unchanged, None),
            Some(left) if left == header => self.plan(hook, InstallAction::Deleted, None),
            Some(left) => self.plan(hook, InstallAction::Removed, Some(left)),
        })
    }

    fn plan(&self, hook: GitHook, done: InstallAction, text: Option<Vec<u8>>) -> InstallPlan {
        let path = self.path.join(hook.name());
        let mode = path.metadata().map(|metadata| metadata.permissions().mode());
        let is_executable = mode.map_or(true, |mode| mode & 0o111 != 0);
        InstallPlan { placed: InstallResult { hook, path, done, is_executable }, text }
    }

    fn carry_out(&self, plans: Vec<InstallPlan>) -> Result<Vec<InstallResult>> {
        for InstallPlan { placed: InstallResult { path, done, .. }, text } in &plans {
            let changed = match (done, text) {
                (InstallAction::Created, Some(text)) => make(path, text),
                (InstallAction::Deleted, _) => std::fs::remove_file(path),
                (_, Some(text)) => self.rewrite(path, text),
                (_, None) => Ok(()),
            };
            changed.map_err(|error| Problem::io(error, path))?;
        }
        Ok(plans.into_iter().map(|plan| plan.placed).collect())
    }

    /// Replaces a file at once, so that git never runs half of it; its mode stays.
    fn rewrite(&self, path: &Path, text: &[u8]) -> std::io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(&self.path)?;
        file.write_all(text)?;
        file.as_file().set_permissions(path.metadata()?.permissions())?;
        file.persist(path).map(drop).map_err(|error| error.error)
    }

    /// Returns the content of a hook's file; `None` if there is none. A link is refused: its target
    /// belongs to another tool, and is often tracked.
    fn read(&self, hook: GitHook) -> Result<Option<Vec<u8>>> {
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

fn make(path: &Path, text: &[u8]) -> std::io::Result<()> {
    let mut options = std::fs::File::options();
    options.write(true).create_new(true).mode(0o777).open(path)?.write_all(text)
}

fn not_shell(hook: GitHook, path: &Path, interpreter: &str) -> Problem {
    Problem::Usage {
        message: format!("{} is run by {interpreter}, not by a shell", path.display()),
        remedy: format!(
            "rename it and call it from a shell script with the old name, or call `git mend hook run {hook}` from it"
        ),
    }
}

/// Returns a notice about an unusual hooks folder.
fn notice(path: &Path, repository: &Repository) -> Option<String> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = real(path);
    if folder.starts_with(repository.git_dir()) {
        return None;
    }
    let root = repository.work_dir().map(real);
    Some(if root.is_some_and(|root| folder.starts_with(root)) {
        format!(
            "core.hooksPath is {}, in the work tree: hooks there can be committed, and the tool that created the \
             folder may overwrite them",
            path.display()
        )
    } else {
        let place = path.display();
        format!("core.hooksPath is {place}: hooks there run in every repository that uses it")
    })
}

/// Returns the repository that git runs a hook for, from git's environment if `dir` is not in it.
pub fn place_of_hook(dir: &Path) -> PathBuf {
    let Some(named) = std::env::var_os("GIT_DIR").map(|named| dir.join(named)) else {
        return dir.to_owned();
    };
    let found = git2::Repository::discover_path(dir, [] as [&Path; 0]).ok();
    let real = |path: &Path| path.canonicalize().ok();
    let is_same = found.is_some_and(|found| real(&found) == real(&named));
    if is_same { dir.to_owned() } else { named }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestRepository;

    fn folder(test: &TestRepository) -> HooksFolder {
        HooksFolder::find(&test.open(), test.path()).unwrap()
    }

    fn done(placed: &[InstallResult]) -> Vec<InstallAction> {
        placed.iter().map(|placed| placed.done).collect()
    }

    #[test]
    fn a_file_of_ours_is_known_by_its_first_lines() {
        for hook in GitHook::ALL {
            let HookParts { header, block } = HookParts::split(hook.text());
            assert!(header.starts_with(b"#!/bin/sh\n# Made by `git mend hook install`"));
            assert!(block.ends_with(b"<<<\n") && header.len() + block.len() == hook.text().len());
            assert_eq!(hook.name().parse(), Ok(hook));
        }
    }

    #[test]
    fn what_was_made_goes_again_and_what_was_there_stays() {
        let test = TestRepository::new();
        let own = b"#!/bin/bash -e\nexec something\n";
        test.write(".git/hooks/pre-push", own);
        let path = test.path().join(".git/hooks/pre-push");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o750)).unwrap();
        let folder = folder(&test);
        assert_eq!(folder.notice(), None);
        let placed = folder.install(&GitHook::USUAL).unwrap();
        assert_eq!(done(&placed), [InstallAction::Added, InstallAction::Created]);
        assert!(
            placed
                .iter()
                .all(|placed| placed.path.metadata().unwrap().permissions().mode() & 0o100 != 0)
        );
        assert_eq!(done(&folder.install(&GitHook::USUAL).unwrap()), [InstallAction::Unchanged; 2]);
        let gone = folder.uninstall(&GitHook::ALL).unwrap();
        assert_eq!(
            done(&gone),
            [InstallAction::Removed, InstallAction::Deleted, InstallAction::Unchanged]
        );
        assert_eq!(std::fs::read(&path).unwrap(), own);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o750);
        assert!(!placed[1].path.exists());
    }

    #[test]
    fn a_hook_that_cannot_take_our_lines_keeps_all_others_out_too() {
        let test = TestRepository::new();
        test.write(".git/hooks/pre-merge-commit", b"#!/usr/bin/env python3\n");
        let problem = folder(&test).install(&GitHook::USUAL).unwrap_err();
        assert!(problem.to_string().contains("run by python3"), "{problem}");
        assert!(!test.path().join(".git/hooks/pre-push").exists());
    }

    #[test]
    fn what_a_link_leads_to_is_left_alone() {
        let test = TestRepository::new();
        test.write("scripts/push", b"#!/bin/sh\n").write(".git/hooks/x", b"");
        let link = test.path().join(".git/hooks/pre-push");
        std::os::unix::fs::symlink("../../scripts/push", link).unwrap();
        let problem = folder(&test).install(&GitHook::USUAL).unwrap_err();
        assert!(problem.to_string().contains("link to ../../scripts/push"), "{problem}");
    }

    #[test]
    fn the_folder_is_the_one_that_git_uses() {
        let test = TestRepository::new();
        test.write("file", b"x").commit("one");
        test.git(&["config", "core.hooksPath", ".husky"]);
        let folder = folder(&test);
        assert!(folder.notice().unwrap().contains("in the work tree"));
        let placed = folder.install(&[GitHook::PostCheckout]).unwrap();
        assert!(placed[0].path.ends_with(".husky/post-checkout") && placed[0].path.exists());
        test.git(&["config", "core.hooksPath", "/dev/null"]);
        assert!(HooksFolder::find(&test.open(), test.path()).is_err());
    }
}
