//! Compares the classes of the warm compiler with those of a fresh one, over random edits.

use super::javac::WarmJavacLauncher;
use super::*;
use crate::compile::compile_worker::{CompileWorker, WarmCompileResult};
use crate::compile::javac::{Compilation, CompileResult};
use fastrand::Rng;
use std::collections::BTreeMap;

/// Versions of each file of a small project. The files refer to each other in cycles, and some versions do not compile.
const SOURCE_VERSIONS: [(&str, &[&str]); 6] = [
    (
        "a/Shape.java",
        &[
            "package a; import java.util.*; public abstract class Shape<T> { public static final int N = 1;\n\
             protected Circle like; abstract List<T> parts(); int n() { return like == null ? N : like.n() + 1; } }",
            "package a; import java.util.*; public abstract class Shape<T> { public static final int N = 2;\n\
             protected Circle like; abstract List<T> parts(); int n() { return like == null ? 7 : like.n() - N; } }",
            "package a; import java.util.*; public abstract class Shape<T> { public static final byte N = 3;\n\
             protected Circle like; List<T> parts() { return null; } long n() { return like.n(); } class Inner {} }",
            "package a; import java.util.*; public abstract class Shape<T> extends Thread { protected Circle like;\n\
             public static final String N = \"x\"; abstract List<T> parts(); int n() { return 1; } }",
        ],
    ),
    (
        "a/Circle.java",
        &[
            "package a; import java.util.*; class Circle extends Shape<String> {\n\
             List<String> parts() { return Arrays.asList(\"a\", \"b\" + N); } Kind kind() { return Kind.ONE; } }",
            "package a; import java.util.*; import java.util.function.*; class Circle extends Shape<String> {\n\
             List<String> parts() { List<String> all = new ArrayList<>(); Consumer<String> c = all::add;\n\
             c.accept(\"a\" + kind().ordinal()); new Object() { void m() { c.accept(like + \"\" + N); } }.m();\n\
             return all; } Kind kind() { return Kind.values()[0]; } }",
            "package a; class Circle extends Shape<Integer> { Kind kind() { return new Missing(); } }",
            "package a; class Circle extends Shape<Integer> { java.util.List<Integer> parts() { return null }",
        ],
    ),
    (
        "a/Kind.java",
        &[
            "package a; enum Kind { ONE, TWO { int n() { return 2; } }; int n() { return Shape.N; } }",
            "package a; enum Kind { TWO, ONE; int n() { return new Use().all(null).length(); } }",
        ],
    ),
    (
        "a/Use.java",
        &[
            "package a; class Use { String all(Circle c) { String all = \"\";\n\
             for (String part : c.parts()) all += part;\n\
             switch (c.kind()) { case ONE: return all; default: return all + c.n() + Shape.N; } } }",
            "package a; class Use { String all(Circle c) { class Local { Object n = c.like.like.n(); }\n\
             try { return new Local().n + b.Far.far(c); } catch (RuntimeException e) { return e.getMessage(); } } }",
        ],
    ),
    (
        "b/Far.java",
        &[
            "package b; public class Far { public static String far(a.Shape<?> s) { return \"\" + a.Shape.N; } }",
            "package b; public class Far { public static Object far(Object s) { return new Object[] {s}; }\n\
             static class String {} }",
        ],
    ),
    (
        "Math.java",
        &[
            "class Math {}",
            "class Math extends java.util.ArrayList<Math> { static int abs(int x) { return x; } }",
        ],
    ),
];

/// Returns the class files below a folder, by path.
fn read_class_files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = walkdir::WalkDir::new(folder).into_iter().map(std::result::Result::unwrap);
    files
        .filter(|file| file.file_type().is_file())
        .map(|file| {
            let path = file.path().strip_prefix(folder).unwrap().to_owned();
            (path, std::fs::read(file.path()).unwrap())
        })
        .collect()
}

/// Compiles random edits of a project with both compilers. Returns how often the classes were equal, and how often both
/// failed.
fn compare_compilers(options: &[&str], seed: u64) -> (usize, usize) {
    let fixture = EngineFixture::new(&[]);
    let launcher = Arc::new(WarmJavacLauncher::new(fixture.tools()));
    let tools = Toolchain { launcher, ..fixture.tools() };
    let (mut worker, mut random) = (CompileWorker::default(), Rng::with_seed(seed));
    let files = SOURCE_VERSIONS.map(|(file, _)| fixture.tree.path().join(file));
    let output = |name: &str| {
        let folder = fixture.work_dir.path().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    };
    let (warm_output, mut versions, mut same_count, mut failed_count) =
        (output("lasting"), [0; 6], 0, 0);
    for step in 0..60 {
        // Mostly edits of one file, each of which reverts the previous one.
        if random.u8(..3) > 0 {
            versions = [0; 6];
        }
        let file = random.usize(..SOURCE_VERSIONS.len());
        versions[file] = random.usize(..SOURCE_VERSIONS[file].1.len());
        for ((file, texts), at) in SOURCE_VERSIONS.iter().zip(versions) {
            fixture.write(file, texts[at]);
        }
        let fresh_output = output(&step.to_string());
        let compilation = |output| Compilation {
            tools: &tools,
            cwd: fixture.tree.path(),
            output,
            class_path: &[],
            source_path: &[],
            encoding: None,
            options: options.iter().map(ToString::to_string).collect(),
            is_fail_fast: true,
            time_limit: None,
        };
        let fresh_result = compilation(&fresh_output).run(&files).unwrap();
        match (worker.compile(&compilation(&warm_output), &files).unwrap(), fresh_result) {
            (WarmCompileResult::Ok(_), CompileResult::Ok) => {
                assert_eq!(
                    read_class_files(&warm_output),
                    read_class_files(&fresh_output),
                    "{versions:?}"
                );
                same_count += 1;
            }
            (WarmCompileResult::Failed(..), CompileResult::Failed(_)) => failed_count += 1,
            (WarmCompileResult::Unsupported(why), _) => panic!("{versions:?}: {why}"),
            (_, fresh_result) => panic!("{versions:?}: another verdict than {fresh_result:?}"),
        }
    }
    (same_count, failed_count)
}

#[test]
fn warm_compiler_classes_equal_fresh_ones() {
    // Java 8 has no modules, so the JDK's classes are on the class path.
    for options in [&[][..], &["-source", "8", "-target", "8"], &["--release", "11"]] {
        let (same_count, failed_count) = compare_compilers(options, 3);
        assert!(
            same_count > 25 && failed_count > 3,
            "{same_count} the same, {failed_count} refused"
        );
    }
}
