//! Finds failing test classes in the annotations of failed check runs: test reporters annotate the lines of failing
//! tests.

use crate::jobs::job_stop::JobStop;
use mend_github::{ApiError, ApiResult, CheckRun, Conclusion, Repo};
use mend_model::CommitId;
use std::collections::BTreeSet;

/// Maximum number of failed check runs to read.
const MAX_RUNS: usize = 10;

/// Maximum number of classes. With more, the search runs all tests.
const MAX_CLASSES: usize = 20;

/// Returns the test classes annotated by failed check runs of a commit. Returns an empty list if there are no
/// annotations or too many.
pub(crate) async fn failing_classes(
    repo: &Repo,
    commit: &CommitId,
) -> Result<Vec<String>, JobStop> {
    match annotated_files(repo, commit).await {
        Ok(paths) => {
            let classes: BTreeSet<String> =
                paths.iter().filter_map(|path| test_class(path)).collect();
            let fits = classes.len() <= MAX_CLASSES;
            Ok(if fits { classes.into_iter().collect() } else { Vec::new() })
        }
        // The search works without this list.
        Err(ApiError::Forbidden(_) | ApiError::NotFound(_)) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// Returns the files annotated by failed check runs.
async fn annotated_files(repo: &Repo, commit: &CommitId) -> ApiResult<Vec<String>> {
    let has_failed = |run: &CheckRun| run.conclusion == Some(Conclusion::Failure);
    let mut paths = Vec::new();
    let failed = repo.list_check_runs(commit, None).await?.into_iter().filter(has_failed);
    for run in failed.take(MAX_RUNS) {
        paths.extend(repo.list_annotated_files(run.id).await?);
    }
    Ok(paths)
}

/// Converts `shop/src/test/java/a/CartTest.java` to `a.CartTest`: the part below the folder of test sources.
fn test_class(path: &str) -> Option<String> {
    let path = path.strip_suffix(".java")?;
    let segments: Vec<&str> = path.split('/').collect();
    let is_test_folder = |name: &str| name.to_ascii_lowercase().ends_with("test");
    let java_folder =
        segments.windows(2).position(|pair| is_test_folder(pair[0]) && pair[1] == "java");
    let test_folder = || segments.iter().position(|name| matches!(*name, "test" | "tests"));
    let first = java_folder.map(|at| at + 2).or_else(|| test_folder().map(|at| at + 1))?;
    let names = segments.get(first..).filter(|names| !names.is_empty())?;
    let is_name = |name: &&str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_$".contains(c))
    };
    names.iter().all(is_name).then(|| names.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_source_path_names_its_class() {
        for (path, name) in [
            ("src/test/java/a/b/CartTest.java", Some("a.b.CartTest")),
            ("shop/src/integrationTest/java/CartIT.java", Some("CartIT")),
            ("test/a/CartTest.java", Some("a.CartTest")),
            ("src/main/java/a/Cart.java", None),
            ("src/test/java/a/*.java", None),
            ("src/test/java/a/-x.java", None),
            ("src/test/java/../x.java", None),
            ("src/test/kotlin/CartTest.kt", None),
            ("src/test/java/.java", None),
            (".github", None),
        ] {
            assert_eq!(test_class(path).as_deref(), name, "{path}");
        }
    }
}
