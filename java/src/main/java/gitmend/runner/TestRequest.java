package gitmend.runner;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Request to run one class, or some of its methods. */
public final class TestRequest {
    private static final String UNTIL = "until-";
    /** How the name of a copy of a test begins; that of its test follows. */
    private static final Pattern COPY = Pattern.compile("testGitMend[0-9]+_");

    public final String className;
    private final Pattern method;
    private final String when;
    /** Methods that are left out. */
    private final List<String> without;
    /** What is run of the same class before. */
    private final List<TestRequest> earlier;

    private TestRequest(String className, String method, String when, List<String> without, List<TestRequest> earlier) {
        this.className = className;
        this.method = method.isEmpty() ? null : wildcard(method);
        this.when = when;
        this.without = without;
        this.earlier = earlier;
    }

    /** Runs one class and reports its results. */
    public interface Runner {
        void run(TestRequest wanted, Results results) throws Exception;
    }

    /** The lines of a file that says what to run. */
    public static List<String> lines(String file) throws IOException {
        return Files.readAllLines(Paths.get(file), StandardCharsets.UTF_8);
    }

    /** Has every class run that is due. */
    public static void runAll(OutputStream out, List<String> lines, Runner runner) throws Exception {
        try (Results results = new Results(out)) {
            for (TestRequest wanted : read(lines)) {
                if (wanted.when.equals("one-must-pass")) {
                    results.waitForOneToPass();
                } else if (wanted.when.equals("unless-failed")) {
                    results.endAtFailure();
                }
                if (!results.isOver() && !wanted.isLate()) {
                    runner.run(wanted, results);
                    results.covered(wanted.className, Coverage.taken());
                }
            }
            results.finished();
        }
    }

    /** Whether it was to begin before a time that is over. */
    private boolean isLate() {
        return when.startsWith(UNTIL) && System.currentTimeMillis() >= Long.parseLong(when.substring(UNTIL.length()));
    }

    /**
     * Reads `class TAB method TAB always|unless-failed|one-must-pass|until-MILLIS TAB without,without` lines; an empty
     * method means all.
     */
    private static List<TestRequest> read(List<String> lines) {
        List<TestRequest> wanted = new ArrayList<>();
        for (String line : lines) {
            String[] parts = line.split("\t");
            List<String> without = parts.length > 3 ? Arrays.asList(parts[3].split(",")) : Collections.emptyList();
            List<TestRequest> earlier = new ArrayList<>(wanted);
            earlier.removeIf(one -> !one.className.equals(parts[0]));
            wanted.add(new TestRequest(parts[0], parts[1], parts[2], without, earlier));
        }
        return wanted;
    }

    public boolean isWholeClass() {
        return method == null && without.isEmpty() && earlier.isEmpty();
    }

    /**
     * Whether a test's name is meant; `name[0]` and `name(int)[1]` count as `name`, and so does a copy of it, which is
     * run once only: with the first that it is a copy of.
     */
    public boolean includes(String name) {
        Matcher copy = COPY.matcher(name);
        if (!copy.lookingAt()) {
            return means(name);
        }
        String copied = name.substring(copy.end());
        return means(copied) && earlier.stream().noneMatch(one -> one.means(copied));
    }

    private boolean means(String name) {
        int end = 0;
        while (end < name.length() && Character.isJavaIdentifierPart(name.charAt(end))) {
            end++;
        }
        String plain = name.substring(0, end);
        if (without.contains(plain)) {
            return false;
        }
        return method == null || method.matcher(name).matches() || method.matcher(plain).matches();
    }

    /** Loads the class without initialising it, so that its failure to initialise is a test's failure. */
    public Class<?> load() throws ClassNotFoundException {
        return Class.forName(className, false, Thread.currentThread().getContextClassLoader());
    }

    private static Pattern wildcard(String text) {
        StringBuilder regex = new StringBuilder();
        for (char c : text.toCharArray()) {
            regex.append(c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(String.valueOf(c)));
        }
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }
}
