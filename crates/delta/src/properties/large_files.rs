//! Large files as code generators write them: very long, wide or deep, so that only linear algorithms are fast enough.

/// Returns two versions of each kind of large file, with its name; `size` is the number of its parts.
pub(super) fn large_file_pairs(size: usize) -> Vec<(&'static str, String, String)> {
    let versions = |of: &dyn Fn(usize, usize) -> String| (of(size, 0), of(size, 1));
    [
        ("members, some changed", versions(&|size, version| members(size, version, 100))),
        ("members, all changed", versions(&|size, version| members(size, version, 1))),
        ("members, all renamed", versions(&renamed_members)),
        ("statements, all alike", versions(&statements)),
        ("an array, all changed", versions(&array_elements)),
        ("an array, some gone", versions(&thinned_array)),
        ("parentheses", versions(&|size, version| nested_expression(size, version, "(", ")"))),
        ("a sum", versions(&|size, version| nested_expression(size, version, "", " + x"))),
        ("calls", versions(&|size, version| nested_expression(size, version, "f(", ")"))),
        ("blocks", versions(&nested_blocks)),
    ]
    .into_iter()
    .map(|(name, (old, new))| (name, old, new))
    .collect()
}

fn class_with_body(body: &str) -> String {
    format!("package large;\n\npublic class Large {{\n{body}}}\n")
}

fn join_lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|at| line(at) + "\n").collect()
}

fn members(size: usize, version: usize, every: usize) -> String {
    class_with_body(&join_lines(size, |at| {
        let value = if at % every == 0 { version + 1 } else { 0 };
        format!("  int member{at}(int a) {{ return a * {value} + {at}; }}")
    }))
}

fn renamed_members(size: usize, version: usize) -> String {
    class_with_body(&join_lines(size, |at| {
        format!("  int m{version}x{at}(int a) {{ return a * 2 + {at}; }}")
    }))
}

fn statements(size: usize, version: usize) -> String {
    let body = join_lines(size, |at| format!("    call({}, {version});", at % 7));
    class_with_body(&format!("  void m() {{\n{body}  }}\n"))
}

fn array_elements(size: usize, version: usize) -> String {
    class_with_body(&format!(
        "  int[] a = {{\n{}  }};\n",
        join_lines(size, |at| format!("    {at}{version},"))
    ))
}

fn thinned_array(size: usize, version: usize) -> String {
    let element =
        |at| if version == 0 || at % 50 > 0 { format!("    {at},") } else { String::new() };
    class_with_body(&format!("  int[] a = {{\n{}  }};\n", join_lines(size, element)))
}

fn nested_expression(size: usize, version: usize, open: &str, close: &str) -> String {
    class_with_body(&format!("  int x = {}{version}{};\n", open.repeat(size), close.repeat(size)))
}

fn nested_blocks(size: usize, version: usize) -> String {
    class_with_body(&format!(
        "  void m() {}{{ a({version}); }}{}\n",
        "{ if (b) ".repeat(size),
        "}".repeat(size)
    ))
}
