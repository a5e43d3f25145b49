//! Tests generated from existing tests.

use super::*;
use crate::generated_tests::origins::OriginVerdict;

/// Returns a test class with one test, and the class with all generated tests, which compiles.
fn generate_for_body(body: &str) -> String {
    let text = format!(
        "package p;\n\nimport java.util.*;\n\npublic class ATest {{\n    @interface Test {{ }}\n\n    \
         @Test\n    public void two() {{\n        {body}\n    }}\n}}\n"
    );
    let mut server = shared_server();
    let path = RepoPath::from("p/ATest.java");
    let facts = server.analyse(&source_set(&[("p/ATest.java", &text)])).unwrap();
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let result = TestResult::new("p.ATest#two", TestStatus::Passed);
    let root = RepoPath::from("");
    let generated = GeneratedTests::from_tests(&[(path.clone(), code)], &[result], &root);
    let files = generated.files_with_recorder(std::path::Path::new("/nowhere"));
    let all: Vec<(String, &str)> =
        files.iter().map(|(path, text)| (path.to_string(), &**text)).collect();
    let all: Vec<(&str, &str)> = all.iter().map(|(path, text)| (&**path, *text)).collect();
    assert_eq!(server.compile_errors(&source_set(&all)).unwrap(), []);
    files[&path].clone()
}

#[test]
fn list_literals_are_emptied() {
    let text = generate_for_body(
        "List<Integer> got = new ArrayList<>(Arrays.asList(1, 2)); int[] all = new int[] {7, 8};",
    );
    for emptied in ["Arrays.asList()", "new int[] {}"] {
        assert!(text.contains(emptied), "{emptied}\n{text}");
    }
}

#[test]
fn array_elements_become_null() {
    let text =
        generate_for_body("String[] names = {\"a\", \"b\", null}; String[] more = {\"c\", \"d\"};");
    for with_null in ["{null, \"b\", null}", "{null, \"d\"}", "{\"c\", null}"] {
        assert!(text.contains(with_null), "{with_null}\n{text}");
    }
}

#[test]
fn test_parameters_are_mutated_at_method_start() {
    let text = "package p;\n\npublic class ATest {\n    @interface ParameterizedTest { }\n\n    \
                @ParameterizedTest\n    public void two(int n, String name) {\n        n++;\n    }\n}\n";
    let path = RepoPath::from("p/ATest.java");
    let mut server = shared_server();
    let facts = server.analyse(&source_set(&[("p/ATest.java", text)])).unwrap();
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let result = TestResult::new("p.ATest#two[1]", TestStatus::Passed);
    let generated =
        GeneratedTests::from_tests(&[(path.clone(), code)], &[result], &RepoPath::from(""));
    let tests = &generated.files_with_recorder(std::path::Path::new("/nowhere"))[&path];
    for changed in [" n = n + 1;", " n = -n;", " name = \"\";", "_two(int n, String name)"] {
        assert!(tests.contains(changed), "{changed}\n{tests}");
    }
}

#[test]
fn overload_of_test_is_not_a_test() {
    let text = "package p;\n\npublic class ATest {\n    @interface Test { }\n\n    \
                @Test\n    public void testTwo() {\n        testTwo(5);\n    }\n\n    \
                public void testTwo(int n) {\n        int twice = 2 * n;\n    }\n}\n";
    let path = RepoPath::from("p/ATest.java");
    let facts = shared_server().analyse(&source_set(&[("p/ATest.java", text)])).unwrap();
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let result = TestResult::new("p.ATest#testTwo", TestStatus::Passed);
    let generated =
        GeneratedTests::from_tests(&[(path.clone(), code)], &[result], &RepoPath::from(""));
    let files = generated.files_with_recorder(std::path::Path::new("/nowhere"));
    let tests = &files[&path];
    assert!(tests.contains("public void testTwo(int n) {\n        int twice"), "{tests}");
    assert!(tests.contains("@Test public void testGitMend0_testTwo() throws"), "{tests}");
}

#[test]
fn failing_and_passing_tests_alternate() {
    let test = |name: &str| {
        format!("    @Test\n    public void {name}() {{\n        int n = 5;\n    }}\n")
    };
    let tests: String = ["one", "two", "three", "four"].into_iter().map(test).collect();
    let text =
        format!("package p;\n\npublic class ATest {{\n    @interface Test {{ }}\n\n{tests}}}\n");
    let path = RepoPath::from("p/ATest.java");
    let facts = shared_server().analyse(&source_set(&[("p/ATest.java", &text)])).unwrap();
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let exception = "java.lang.NullPointerException".to_owned();
    let failed = TestStatus::Failed(Failure { exception, message: None, frames: Vec::new() });
    let result = |name: &str| {
        let status = if name == "three" { failed.clone() } else { TestStatus::Passed };
        TestResult { millis: 2_000, ..TestResult::new(format!("p.ATest#{name}"), status) }
    };
    let results = ["one", "two", "three", "four"].map(result);
    let root = RepoPath::from("");
    let generated = GeneratedTests::from_tests(&[(path, code)], &results, &root);
    let origins = generated.origins_by_test();
    let of_failed = origins
        .values()
        .filter(|origins| origins.combined_verdict() == OriginVerdict::ThrewException)
        .count();
    assert_eq!((origins.len(), of_failed), (5, 3));
}

#[test]
fn mutated_numbers_fit_type_and_context() {
    let text = generate_for_body(
        "int a = -1; int b = 2147483647; long c = -9223372036854775807L; a = - 0; a = a -2; double d = -0.5;",
    );
    for other in ["int a = (-2);", "int a = 1;", "int b = 2147483646;", "a = - (-1);"] {
        assert!(text.contains(other), "{other}\n{text}");
    }
}

#[test]
fn generated_tests_compile_and_record_values() {
    let text = "package p;\n\npublic class ATest {\n    @interface Test {\n        long timeout() default 0;\n    }\n\n    \
                int twice(int a) {\n        return 2 * a;\n    }\n\n    \
                static void assertEquals(int a, int b) {\n    }\n\n    \
                @Test(timeout = 5)\n    public void two() {\n        int got = twice(7);\n        assertEquals(2, got);\n    }\n}\n";
    let mut server = shared_server();
    let path = RepoPath::from("p/ATest.java");
    let facts = server.analyse(&source_set(&[("p/ATest.java", text)])).unwrap();
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let (root, output) = (RepoPath::from(""), std::path::Path::new("/nowhere"));
    let result = TestResult::new("p.ATest#two", TestStatus::Passed);
    let tests_of = |code| [(path.clone(), code)];
    let mut generated =
        GeneratedTests::from_tests(&tests_of(code), std::slice::from_ref(&result), &root);
    let files = generated.files_with_recorder(output);
    let tests = &files[&path];
    assert!(tests.contains("@Test\n    public void two() { }"), "{tests}");
    assert!(
        tests.contains("int got = twice(8);\n        gitmend.probe.Trace.recordValues(2, got);"),
        "{tests}"
    );
    assert!(
        tests.contains("gitmend.probe.Trace.recordValues(got); gitmend.probe.Trace.endTest();"),
        "{tests}"
    );
    let all: Vec<(String, &str)> =
        files.iter().map(|(path, text)| (path.to_string(), &**text)).collect();
    let all: Vec<(&str, &str)> = all.iter().map(|(path, text)| (&**path, *text)).collect();
    assert_eq!(server.compile_errors(&source_set(&all)).unwrap(), []);

    let (before, byte) = (generated.test_count(), tests.find("twice(8)").unwrap());
    let (path_of, nothing) = (path.clone(), String::new());
    let refusal =
        CompileError { path: path_of, line: 1, byte, code: nothing.clone(), message: nothing };
    assert!(generated.remove_rejected(&[refusal]));
    assert_eq!(generated.test_count(), before - 1);
    assert!(!generated.files_with_recorder(output)[&path].contains("twice(8)"));

    let slow = TestResult { millis: 4_000, ..result };
    assert_eq!(GeneratedTests::from_tests(&tests_of(code), &[slow], &root).test_count(), 2);
}

/// Returns all generated tests with one additional call for a test of a class of the project; they compile.
fn generate_with_extra_calls(body: &str) -> Vec<String> {
    let stack = "package p;\n\npublic class Stack<T> {\n    public void push(T one) { }\n    int size() { return 0; }\n    \
                 public boolean is(String name, int at) { return at > 0; }\n    private void drop() { }\n    \
                 public T take() throws InterruptedException { return null; }\n}\n";
    let text = format!(
        "package p;\n\npublic class ATest {{\n    @interface Test {{ }}\n\n    @Test\n    \
         public void two() {{\n        {body}\n    }}\n}}\n"
    );
    let mut server = shared_server();
    let path = RepoPath::from("p/ATest.java");
    let all = [("p/ATest.java", &*text), ("p/Stack.java", stack)];
    let facts = server.analyse(&source_set(&all)).unwrap();
    let code = Code::new(&facts, &path, text.as_bytes()).unwrap();
    let result = TestResult::new("p.ATest#two", TestStatus::Passed);
    let generated =
        GeneratedTests::from_tests(&[(path.clone(), code)], &[result], &RepoPath::from(""));
    let files = generated.files_with_recorder(std::path::Path::new("/nowhere"));
    let mut all: Vec<(String, &str)> =
        files.iter().map(|(path, text)| (path.to_string(), &**text)).collect();
    all.push(("p/Stack.java".to_owned(), stack));
    let all: Vec<(&str, &str)> = all.iter().map(|(path, text)| (&**path, *text)).collect();
    assert_eq!(server.compile_errors(&source_set(&all)).unwrap(), []);
    let copies = files[&path].split("Trace.beginTest(").skip(1).map(str::to_owned);
    copies.collect()
}

/// Body of a test with many mutable parts.
const STACK_TEST_BODY: &str = "String s = \"x\"; int n = 5; Stack<Integer> stack = new Stack<>(); stack.push(7); \
                       stack.push(n); stack.push(8); stack.push(9); boolean is = stack.is(s, 3); int last = 11;";

#[test]
fn every_fourth_copy_has_an_extra_call() {
    let copies = generate_with_extra_calls(STACK_TEST_BODY);
    let calls = |copy: &&String| copy.contains("Trace.recordException(");
    let places: Vec<usize> = (0..copies.len()).filter(|at| calls(&&copies[*at])).collect();
    assert!(places.len() > 4 && places.iter().all(|at| at % 4 == 3), "{places:?}");
    let all: String = copies.iter().filter(calls).map(String::as_str).collect();
    for call in ["Trace.recordValues((Object) stack.size())", "stack.push(7)", "stack.is(s, "] {
        assert!(all.contains(call), "{call}\n{all}");
    }
    assert!(!all.contains("stack.take()") && !all.contains("stack.drop()"));
}

#[test]
fn extra_calls_are_deterministic() {
    assert_eq!(
        generate_with_extra_calls(STACK_TEST_BODY),
        generate_with_extra_calls(STACK_TEST_BODY)
    );
}
