//! Compares classes of a warm compiler with those of a fresh one.

use super::javac::WarmJavacLauncher;
use super::*;
use crate::compile::compile_worker::{CompileWorker, WarmCompileResult};
use crate::compile::javac::{Compilation, CompileResult};
use fastrand::Rng;
use std::collections::BTreeMap;

/// Versions of each file of a small project. The files refer to each other in cycles, and some versions do not compile.
const CHOICES: [(&str, &[&str]); 6] = [
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

/// The classes below a folder, by their paths.
fn classes(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = walkdir::WalkDir::new(folder).into_iter().map(std::result::Result::unwrap);
    files
        .filter(|file| file.file_type().is_file())
        .map(|file| {
            let path = file.path().strip_prefix(folder).unwrap().to_owned();
            (path, std::fs::read(file.path()).unwrap())
        })
        .collect()
}

/// Edits of a project one after the other, each compiled by both. How many were the same, and how many both refused.
fn compared(options: &[&str], seed: u64) -> (usize, usize) {
    let bench = EngineFixture::new(&[]);
    let launcher = Arc::new(WarmJavacLauncher::new(bench.tools()));
    let tools = Toolchain { launcher, ..bench.tools() };
    let (mut worker, mut random) = (CompileWorker::default(), Rng::with_seed(seed));
    let files = CHOICES.map(|(file, _)| bench.tree.path().join(file));
    let output = |name: &str| {
        let folder = bench.work.path().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    };
    let (lasting, mut chosen, mut same, mut refused) = (output("lasting"), [0; 6], 0, 0);
    for step in 0..60 {
        // Mostly edits of one file, which undo the one before.
        if random.u8(..3) > 0 {
            chosen = [0; 6];
        }
        let file = random.usize(..CHOICES.len());
        chosen[file] = random.usize(..CHOICES[file].1.len());
        for ((file, texts), at) in CHOICES.iter().zip(chosen) {
            bench.write(file, texts[at]);
        }
        let fresh = output(&step.to_string());
        let compilation = |output| Compilation {
            tools: &tools,
            cwd: bench.tree.path(),
            output,
            class_path: &[],
            source_path: &[],
            encoding: None,
            options: options.iter().map(ToString::to_string).collect(),
            is_hasty: true,
            limit: None,
        };
        let sure = compilation(&fresh).run(&files).unwrap();
        match (worker.compile(&compilation(&lasting), &files).unwrap(), sure) {
            (WarmCompileResult::Ok(_), CompileResult::Ok) => {
                assert_eq!(classes(&lasting), classes(&fresh), "{chosen:?}");
                same += 1;
            }
            (WarmCompileResult::Failed(..), CompileResult::Failed(_)) => refused += 1,
            (WarmCompileResult::Unsupported(why), _) => panic!("{chosen:?}: {why}"),
            (_, sure) => panic!("{chosen:?}: another verdict than {sure:?}"),
        }
    }
    (same, refused)
}

#[test]
fn a_compiler_that_stays_makes_the_classes_of_one_that_begins_anew() {
    // The language of Java 8 has no modules, so that the JDK's classes are beside those of the project.
    for options in [&[][..], &["-source", "8", "-target", "8"], &["--release", "11"]] {
        let (same, refused) = compared(options, 3);
        assert!(same > 25 && refused > 3, "{same} the same, {refused} refused");
    }
}
