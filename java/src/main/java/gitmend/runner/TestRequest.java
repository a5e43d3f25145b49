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

/** Request to run the tests of a class, or some of them. */
public final class TestRequest {
    private static final String UNTIL_PREFIX = "until-";
    /** Prefix of the name of a copied test; the name of the original test follows. */
    private static final Pattern COPY_PREFIX = Pattern.compile("testGitMend[0-9]+_");

    public final String className;
    private final Pattern methodPattern;
    private final String condition;
    private final List<String> excludedMethods;
    /** Earlier requests for the same class. */
    private final List<TestRequest> earlierRequests;

    private TestRequest(
            String className,
            String method,
            String condition,
            List<String> excludedMethods,
            List<TestRequest> earlierRequests) {
        this.className = className;
        this.methodPattern = method.isEmpty() ? null : compileWildcard(method);
        this.condition = condition;
        this.excludedMethods = excludedMethods;
        this.earlierRequests = earlierRequests;
    }

    /** Runner of a test framework, which reports results. */
    public interface Runner {
        void run(TestRequest request, Results results) throws Exception;
    }

    /** Reads the lines of a file of requests. */
    public static List<String> readLines(String file) throws IOException {
        return Files.readAllLines(Paths.get(file), StandardCharsets.UTF_8);
    }

    /** Runs the requests whose conditions hold. */
    public static void runAll(OutputStream out, List<String> lines, Runner runner) throws Exception {
        try (Results results = new Results(out)) {
            for (TestRequest request : parse(lines)) {
                if (request.condition.equals("one-must-pass")) {
                    results.requireOnePass();
                } else if (request.condition.equals("unless-failed")) {
                    results.stopAtNextFailure();
                }
                if (!results.isOver() && !request.isExpired()) {
                    runner.run(request, results);
                    results.reportCovered(request.className, Coverage.takeEnteredMethods());
                }
            }
            results.reportFinished();
        }
    }

    /** Returns true if the deadline to start has passed. */
    private boolean isExpired() {
        return condition.startsWith(UNTIL_PREFIX)
                && System.currentTimeMillis() >= Long.parseLong(condition.substring(UNTIL_PREFIX.length()));
    }

    /**
     * Parses lines of `class TAB method TAB always|unless-failed|one-must-pass|until-MILLIS TAB excluded,excluded`. An
     * empty method means all.
     */
    private static List<TestRequest> parse(List<String> lines) {
        List<TestRequest> requests = new ArrayList<>();
        for (String line : lines) {
            String[] fields = line.split("\t");
            List<String> excludedMethods = fields.length > 3 ? Arrays.asList(fields[3].split(","))
                    : Collections.emptyList();
            List<TestRequest> earlierRequests = new ArrayList<>(requests);
            earlierRequests.removeIf(request -> !request.className.equals(fields[0]));
            requests.add(new TestRequest(fields[0], fields[1], fields[2], excludedMethods, earlierRequests));
        }
        return requests;
    }

    public boolean isWholeClass() {
        return methodPattern == null && excludedMethods.isEmpty() && earlierRequests.isEmpty();
    }

    /**
     * Returns true if the request selects a test. `name[0]` and `name(int)[1]` count as `name`. A copy of a test counts
     * as its original, but only for the first request that selects the original.
     */
    public boolean includes(String name) {
        Matcher copy = COPY_PREFIX.matcher(name);
        if (!copy.lookingAt()) {
            return matches(name);
        }
        String originalName = name.substring(copy.end());
        return matches(originalName) && earlierRequests.stream().noneMatch(request -> request.matches(originalName));
    }

    private boolean matches(String name) {
        int end = 0;
        while (end < name.length() && Character.isJavaIdentifierPart(name.charAt(end))) {
            end++;
        }
        String methodName = name.substring(0, end);
        if (excludedMethods.contains(methodName)) {
            return false;
        }
        return methodPattern == null || methodPattern.matcher(name).matches()
                || methodPattern.matcher(methodName).matches();
    }

    /** Loads the class without initialising it, so that a failing initialiser is reported as a test failure. */
    public Class<?> loadClass() throws ClassNotFoundException {
        return Class.forName(className, false, Thread.currentThread().getContextClassLoader());
    }

    private static Pattern compileWildcard(String text) {
        StringBuilder regex = new StringBuilder();
        for (char c : text.toCharArray()) {
            regex.append(c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(String.valueOf(c)));
        }
        return Pattern.compile(regex.toString(), Pattern.DOTALL);
    }
}
