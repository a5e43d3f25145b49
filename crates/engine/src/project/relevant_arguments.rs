//! Selection of the build's compiler and JVM arguments that affect program behaviour.

/// Returns the compiler arguments of a build that affect the classes; warnings and plugins do not.
pub(super) fn meaningful(arguments: impl IntoIterator<Item = String>) -> Vec<String> {
    let words = arguments
        .into_iter()
        .flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    let with_value =
        ["--add-exports", "--add-modules", "--add-reads", "-processor", "-processorpath"];
    let is_alone = |word: &str| {
        let is_for_processors = ["-A", "-proc:"].iter().any(|start| word.starts_with(start));
        is_for_processors || word == "-parameters" || word == "--enable-preview"
    };
    chosen(words, &is_alone, &with_value)
}

/// Returns the JVM arguments of a build that affect the tests, without agents and unresolved placeholders.
pub(super) fn of_jvm(words: impl IntoIterator<Item = String>) -> Vec<String> {
    let is_setting = |word: &str| {
        ["-X", "-D", "-ea", "-da", "-esa", "--enable-"].iter().any(|start| word.starts_with(start))
            && !word.contains(['$', '@'])
    };
    chosen(words.into_iter(), &is_setting, &["--add-opens", "--add-exports", "--add-modules"])
}

fn chosen(
    mut words: impl Iterator<Item = String>,
    is_wanted: &dyn Fn(&str) -> bool,
    with_value: &[&str],
) -> Vec<String> {
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        if with_value.contains(&word.as_str()) {
            let value = words.next();
            kept.push(word);
            kept.extend(value);
        } else if is_wanted(&word)
            || with_value
                .iter()
                .any(|name| word.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')))
        {
            kept.push(word);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn warnings_and_plugins_are_left_out() {
        let all = words("-Xlint:all -parameters --add-exports java.base/x=ALL-UNNAMED -Xplugin:E");
        assert_eq!(meaningful(all), words("-parameters --add-exports java.base/x=ALL-UNNAMED"));
        let all = words("-Akey=value -proc:none -processor a.B -Werror");
        assert_eq!(meaningful(all), words("-Akey=value -proc:none -processor a.B"));
    }

    #[test]
    fn agents_and_open_placeholders_are_left_out() {
        let all = words("${jacoco} @{argLine} -javaagent:x.jar -Xss1m --add-opens=a/b=c -Dx=${y}");
        assert_eq!(of_jvm(all), words("-Xss1m --add-opens=a/b=c"));
    }
}
