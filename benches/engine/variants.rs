//! Generates random variants of a file, reproducible by a seed.

use fastrand::Rng;
use regex::Regex;

/// Kind of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Operator or number in a body or an initial value.
    Body,
    /// Members of a class.
    Structure,
    /// State of the JVM, changed each time a body runs; the body also fails if an earlier variant changed it.
    Pollution,
}

impl Kind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Structure => "structure",
            Self::Pollution => "pollution",
        }
    }
}

const OPERATOR_EDITS: [(&str, &str); 5] =
    [(" == ", " != "), (" < ", " <= "), (" && ", " || "), (" + 1", " + 2"), (" > ", " >= ")];

/// Statements that change the state of the JVM. Most of them fail if an earlier variant already changed it. `NUMBER` is
/// different in each variant.
const POLLUTIONS: [&str; 15] = [
    "if (System.getProperty(\"left\") != null) throw new IllegalStateException(); \
     System.setProperty(\"left\", \"x\");",
    "if (java.util.Locale.getDefault().equals(java.util.Locale.JAPAN)) throw new \
     IllegalStateException(); java.util.Locale.setDefault(java.util.Locale.JAPAN);",
    "if (java.util.TimeZone.getDefault().getRawOffset() == 3600000) throw new \
     IllegalStateException(); java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone(\"GMT+1\"));",
    "if (Thread.getDefaultUncaughtExceptionHandler() != null) throw new IllegalStateException(); \
     Thread.setDefaultUncaughtExceptionHandler(new Thread.UncaughtExceptionHandler() { public void \
     uncaughtException(Thread t, Throwable e) {} });",
    "for (Thread t : Thread.getAllStackTraces().keySet()) if (t.getName().equals(\"left\")) throw \
     new IllegalStateException(); Thread left = new Thread(\"left\") { public void run() { try { \
     Thread.sleep(600000); } catch (InterruptedException e) { return; } } }; left.setDaemon(true); \
     left.start();",
    "if (Math.random() >= 0) System.exit(3);",
    "if (Math.random() >= 0) Runtime.getRuntime().halt(4);",
    "System.setOut(new java.io.PrintStream(new java.io.ByteArrayOutputStream()));",
    "java.net.URL.setURLStreamHandlerFactory(new java.net.URLStreamHandlerFactory() { public \
     java.net.URLStreamHandler createURLStreamHandler(String p) { return null; } });",
    "java.io.File left = new java.io.File(System.getProperty(\"java.io.tmpdir\"), \"left-NUMBER\"); \
     left.deleteOnExit(); try { if (!left.createNewFile()) throw new IllegalStateException(); } catch \
     (java.io.IOException e) { throw new IllegalStateException(e); }",
    "for (java.security.Provider p : java.security.Security.getProviders()) if \
     (p.getName().equals(\"left\")) throw new IllegalStateException(); \
     java.security.Security.addProvider(new java.security.Provider(\"left\", 1.0, \"\") {});",
    "java.util.logging.Logger left = java.util.logging.Logger.getLogger(\"left\"); if \
     (left.getLevel() != null) throw new IllegalStateException(); \
     left.setLevel(java.util.logging.Level.FINE);",
    "if (java.security.Security.getProperty(\"left\") != null) throw new IllegalStateException(); \
     java.security.Security.setProperty(\"left\", \"x\");",
    "Runtime.getRuntime().addShutdownHook(new Thread());",
    "System.load(System.getProperty(\"java.home\") + \"/lib/libprefs.so\");",
];

/// Statements that change the state of a class, each with the member that it needs.
const CLASS_POLLUTIONS: [(&str, &str); 2] = [
    ("if (left++ > 3) throw new IllegalStateException();", "static int left;\n"),
    (
        "if (Left.ONE.times++ > 3) throw new IllegalStateException();",
        "enum Left { ONE; int times; }\n",
    ),
];

/// Random generator of edits.
pub(crate) struct Variants {
    random: Rng,
    /// Pattern of a method with a result type, up to its brace.
    method_pattern: Regex,
    variant_number: usize,
}

impl Variants {
    pub(crate) fn new(seed: u64) -> Self {
        let method = r"(?m)^ +(?:public|private|protected|static|final| )+ [\w<>\[\], .?]+ \w+\([^()]*\) *(?:throws [\w., ]+)?\{";
        Self {
            random: Rng::with_seed(seed),
            method_pattern: Regex::new(method).unwrap(),
            variant_number: 0,
        }
    }

    /// Returns a file with one edit, or `None` if no edit of this kind is possible.
    pub(crate) fn edit(&mut self, text: &str, kind: Kind) -> Option<String> {
        self.variant_number += 1;
        match kind {
            Kind::Body => self.edit_body(text),
            Kind::Structure => self.add_member(text),
            Kind::Pollution => self.pollute(text),
        }
    }

    fn edit_body(&mut self, text: &str) -> Option<String> {
        let mut matches: Vec<(usize, &str, &str)> = Vec::new();
        for (old, new) in OPERATOR_EDITS {
            matches.extend(text.match_indices(old).map(|(offset, _)| (offset, old, new)));
        }
        let (offset, old, new) = *matches.get(self.random.usize(..matches.len().max(1)))?;
        Some(format!("{}{new}{}", &text[..offset], &text[offset + old.len()..]))
    }

    fn add_member(&mut self, text: &str) -> Option<String> {
        let number = self.variant_number;
        let end = text.rfind('}').filter(|_| text.contains("class "))?;
        let member = match number % 3 {
            0 => format!("static int added{number}() {{ return {number}; }}\n"),
            1 => format!("static final String ADDED{number} = new String(\"{number}\");\n"),
            _ => format!("static class Added{number} {{ int value = {number}; }}\n"),
        };
        let with_member = format!("{}{member}{}", &text[..end], &text[end..]);
        // Usually visible to tests.
        if number.is_multiple_of(2) { self.edit_body(&with_member) } else { Some(with_member) }
    }

    fn pollute(&mut self, text: &str) -> Option<String> {
        let starts: Vec<usize> =
            self.method_pattern.find_iter(text).map(|found| found.end()).collect();
        let offset = *starts.get(self.random.usize(..starts.len().max(1)))?;
        let choice = self.random.usize(..POLLUTIONS.len() + CLASS_POLLUTIONS.len());
        let Some(statements) = POLLUTIONS.get(choice) else {
            let (check, member) = CLASS_POLLUTIONS[choice - POLLUTIONS.len()];
            let end = text.rfind('}')?;
            return Some(format!(
                "{} {check} {}{member}{}",
                &text[..offset],
                &text[offset..end],
                &text[end..]
            ));
        };
        let statements = statements.replace("NUMBER", &self.variant_number.to_string());
        Some(format!("{} {statements} {}", &text[..offset], &text[offset..]))
    }
}
