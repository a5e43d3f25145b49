//! Statements and files without probes, because the compiler rejected them.

use super::instrumentation_io::{ProbeInput, ProbedSources};
use mend_java::facts::{CompileError, FileNode};
use mend_model::RepoPath;
use std::collections::HashSet;

/// Statements and files that get no probe, so that the others compile.
#[derive(Clone, Debug, Default)]
pub struct ProbeExclusions {
    statements: HashSet<FileNode>,
    files: HashSet<RepoPath>,
}

impl ProbeExclusions {
    /// Excludes the code that the compiler rejected: the probe at the error, otherwise the probes of the method,
    /// otherwise those of the file. Returns true if anything was excluded.
    pub fn exclude_rejected(
        &mut self,
        input: &ProbeInput<'_>,
        probed: &ProbedSources,
        errors: &[CompileError],
    ) -> bool {
        let before = self.exclusion_count();
        for refusal in errors {
            let method_sites = || method_sites_at_error(input, probed, refusal);
            let rejected =
                site_at_error(probed, refusal).map_or_else(method_sites, |site| vec![site]);
            if rejected.is_empty() {
                self.files.insert(refusal.path.clone());
            }
            self.statements.extend(rejected);
        }
        if self.exclusion_count() == before {
            self.files.extend(errors.iter().map(|refusal| refusal.path.clone()));
        }
        self.exclusion_count() > before
    }

    fn exclusion_count(&self) -> usize {
        self.statements.len() + self.files.len()
    }

    /// Returns true if a file has no probes.
    pub(crate) fn excludes_file(&self, path: &RepoPath) -> bool {
        self.files.contains(path)
    }

    /// Returns true if a statement has no probe.
    pub(crate) fn excludes_site(&self, path: &RepoPath, site: FileNode) -> bool {
        self.excludes_file(path) || self.statements.contains(&site)
    }
}

/// Returns the statement whose probe contains the position of a compile error.
fn site_at_error(probed: &ProbedSources, error: &CompileError) -> Option<FileNode> {
    let mut inserted_len = 0;
    for (edit, number) in probed.probes.get(&error.path)? {
        let start = edit.bytes.0 + inserted_len;
        if (start..start + edit.text.len()).contains(&error.byte) {
            return probed.sites.get(*number).copied();
        }
        inserted_len += edit.text.len();
    }
    None
}

/// Returns the probed statements of the method that contains the position of a compile error.
fn method_sites_at_error(
    input: &ProbeInput<'_>,
    probed: &ProbedSources,
    error: &CompileError,
) -> Vec<FileNode> {
    let Some(probes) = probed.probes.get(&error.path) else { return Vec::new() };
    let mut inserted_len = 0;
    for (edit, _) in probes {
        if edit.bytes.0 + inserted_len < error.byte {
            inserted_len += edit.text.len();
        }
    }
    let byte = error.byte.saturating_sub(inserted_len);
    let is_in_same_method = |site: &&FileNode| {
        let (path, code) = &input.main[site.0];
        let method = code.enclosing_method(site.1);
        *path == error.path && method.is_some_and(|method| code.bytes(method).contains(&byte))
    };
    probed.sites.iter().filter(is_in_same_method).copied().collect()
}
