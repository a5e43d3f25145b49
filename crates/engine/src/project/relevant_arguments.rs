//! Filters the compiler and JVM arguments of a build: keeps those that affect program behaviour.

use std::path::Path;

/// Returns the compiler arguments of a build that affect the classes; warnings and plugins do not.
pub(super) fn relevant_javac_options(arguments: impl IntoIterator<Item = String>) -> Vec<String> {
    let words = arguments
        .into_iter()
        .flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    let options_with_value =
        ["--add-exports", "--add-modules", "--add-reads", "-processor", "-processorpath"];
    let is_flag = |word: &str| {
        let is_for_processors = ["-A", "-proc:"].iter().any(|start| word.starts_with(start));
        is_for_processors || word == "-parameters" || word == "--enable-preview"
    };
    filter_options(words, &is_flag, &options_with_value)
}

/// Agents that measure coverage: tests do not need them, and they may write files into the tree.
const COVERAGE_AGENTS: [&str; 3] = ["jacoco", "clover", "cobertura"];

/// Returns the JVM arguments of a build that affect the tests, without coverage agents and unresolved placeholders.
pub(super) fn relevant_jvm_options(words: impl IntoIterator<Item = String>) -> Vec<String> {
    let is_setting = |word: &str| {
        ["-X", "-D", "-ea", "-da", "-esa", "--enable-"].iter().any(|start| word.starts_with(start))
            && !word.contains(['$', '@'])
            || is_agent(word)
    };
    filter_options(
        words.into_iter(),
        &is_setting,
        &["--add-opens", "--add-exports", "--add-modules", "--add-reads", "--module-path", "-p"],
    )
}

/// Returns true for an agent that exists. A JVM does not start without its agents.
fn is_agent(word: &str) -> bool {
    let path =
        word.strip_prefix("-javaagent:").map(|agent| agent.split('=').next().unwrap_or(agent));
    path.is_some_and(|path| {
        let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        Path::new(path).is_file() && !COVERAGE_AGENTS.iter().any(|agent| name.contains(agent))
    })
}

fn filter_options(
    mut words: impl Iterator<Item = String>,
    is_relevant: &dyn Fn(&str) -> bool,
    options_with_value: &[&str],
) -> Vec<String> {
    let mut options = Vec::new();
    while let Some(word) = words.next() {
        if options_with_value.contains(&word.as_str()) {
            let value = words.next();
            options.push(word);
            options.extend(value);
        } else if is_relevant(&word)
            || options_with_value
                .iter()
                .any(|name| word.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')))
        {
            options.push(word);
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn compiler_warnings_and_plugins_are_dropped() {
        let all = words("-Xlint:all -parameters --add-exports java.base/x=ALL-UNNAMED -Xplugin:E");
        assert_eq!(
            relevant_javac_options(all),
            words("-parameters --add-exports java.base/x=ALL-UNNAMED")
        );
        let all = words("-Akey=value -proc:none -processor a.B -Werror");
        assert_eq!(relevant_javac_options(all), words("-Akey=value -proc:none -processor a.B"));
    }

    #[test]
    fn missing_agents_and_placeholders_are_dropped() {
        let all = words("${jacoco} @{argLine} -javaagent:x.jar -Xss1m --add-opens=a/b=c -Dx=${y}");
        assert_eq!(relevant_jvm_options(all), words("-Xss1m --add-opens=a/b=c"));
    }

    #[test]
    fn module_path_is_kept_with_the_modules_on_it() {
        let all = words("--add-modules a.b --module-path target/modules -verbose -p x");
        assert_eq!(
            relevant_jvm_options(all),
            words("--add-modules a.b --module-path target/modules -p x")
        );
    }

    #[test]
    fn only_coverage_agents_of_the_existing_ones_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let option = |name: &str| format!("-javaagent:{}/{name}=a", folder.path().display());
        for name in ["org.jacoco.agent-runtime.jar", "mockito.jar"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let all = [option("org.jacoco.agent-runtime.jar"), option("mockito.jar")];
        assert_eq!(relevant_jvm_options(all), [option("mockito.jar")]);
    }
}
