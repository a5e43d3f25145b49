//! Statements that cannot have a probe, according to the compiler.

use super::recording::{ProbeInput, ProbedSources};
use mend_java::facts::{CompileError, NodeIndex};
use mend_model::RepoPath;
use std::collections::HashSet;

/// Statements and files without a probe, so that all other probes compile.
#[derive(Clone, Debug, Default)]
pub struct ProbeExclusions {
    statements: HashSet<(usize, NodeIndex)>,
    files: HashSet<RepoPath>,
}

impl ProbeExclusions {
    /// Excludes the code that the compiler rejected: the probe at the error, otherwise the probes of the method,
    /// otherwise those of the file. Returns true if anything was excluded.
    pub fn add(
        &mut self,
        probing: &ProbeInput<'_>,
        probed: &ProbedSources,
        refusals: &[CompileError],
    ) -> bool {
        let before = self.count();
        for refusal in refusals {
            let of_method = || statements_around(probing, probed, refusal);
            let refused = site_at(probed, refusal).map_or_else(of_method, |site| vec![site]);
            if refused.is_empty() {
                self.files.insert(refusal.path.clone());
            }
            self.statements.extend(refused);
        }
        if self.count() == before {
            self.files.extend(refusals.iter().map(|refusal| refusal.path.clone()));
        }
        self.count() > before
    }

    fn count(&self) -> usize {
        self.statements.len() + self.files.len()
    }

    /// Returns true if a file has no probes.
    pub(crate) fn has_file(&self, path: &RepoPath) -> bool {
        self.files.contains(path)
    }

    /// Returns true if a statement has no probe.
    pub(crate) fn has(&self, path: &RepoPath, site: (usize, NodeIndex)) -> bool {
        self.has_file(path) || self.statements.contains(&site)
    }
}

/// Returns the statement whose probe contains the position of a compile error.
fn site_at(probed: &ProbedSources, refusal: &CompileError) -> Option<(usize, NodeIndex)> {
    let mut shift = 0;
    for (edit, number) in probed.probes.get(&refusal.path)? {
        let start = edit.bytes.0 + shift;
        if (start..start + edit.text.len()).contains(&refusal.byte) {
            return probed.sites.get(*number).copied();
        }
        shift += edit.text.len();
    }
    None
}

/// Returns the probed statements of the method that contains the position of a compile error.
fn statements_around(
    probing: &ProbeInput<'_>,
    probed: &ProbedSources,
    refusal: &CompileError,
) -> Vec<(usize, NodeIndex)> {
    let Some(probes) = probed.probes.get(&refusal.path) else { return Vec::new() };
    let mut shift = 0;
    for (edit, _) in probes {
        if edit.bytes.0 + shift < refusal.byte {
            shift += edit.text.len();
        }
    }
    let byte = refusal.byte.saturating_sub(shift);
    let is_around = |site: &&(usize, NodeIndex)| {
        let (path, code) = &probing.main[site.0];
        let method = code.method_of(site.1);
        *path == refusal.path && method.is_some_and(|method| code.bytes(method).contains(&byte))
    };
    probed.sites.iter().filter(is_around).copied().collect()
}
