package gitmend.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the selection and exclusion of tests in requests. */
class TestRequestTest {
    private static final List<String> NAMES =
            Arrays.asList("adds", "adds[0]", "addsAll", "removes(int)[1]", "testGitMend3_adds");

    /** Runs requests against a class with these tests. A test fails if its name begins with `!`. */
    private static List<String> runTests(List<String> names, String... lines) throws Exception {
        List<String> ranTests = new ArrayList<>();
        TestRequest.runAll(new ByteArrayOutputStream(), Arrays.asList(lines), (request, results) -> {
            for (String name : names) {
                String plain = name.replace("!", "");
                if (request.includes(plain) && !results.isOver()) {
                    ranTests.add(request.className + "#" + plain);
                    if (name.startsWith("!")) {
                        results.reportFailed(plain, 0, new AssertionError());
                    } else {
                        results.reportPassed(plain, 0);
                    }
                }
            }
        });
        return ranTests;
    }

    @Test
    void anEmptyMethodSelectsAllTests() throws Exception {
        assertEquals(NAMES.size(), runTests(NAMES, "a.B\t\talways").size());
    }

    @Test
    void aMethodSelectsItsInvocationsAndCopies() throws Exception {
        List<String> expected = Arrays.asList("a.B#adds", "a.B#adds[0]", "a.B#testGitMend3_adds");
        assertEquals(expected, runTests(NAMES, "a.B\tadds\talways"));
    }

    @Test
    void aStarMatchesAnyCharacters() throws Exception {
        assertEquals(Collections.singletonList("a.B#removes(int)[1]"), runTests(NAMES, "a.B\trem*\talways"));
    }

    @Test
    void excludedMethodsDoNotRun() throws Exception {
        List<String> expected = Arrays.asList("a.B#addsAll", "a.B#removes(int)[1]");
        assertEquals(expected, runTests(NAMES, "a.B\t\talways\tadds,other"));
    }

    @Test
    void aCopyRunsOnlyWithTheFirstRequestOfItsTest() throws Exception {
        List<String> names = Collections.singletonList("testGitMend1_adds");
        assertEquals(1, runTests(names, "a.B\tadds\talways", "a.B\tadd*\talways").size());
    }

    @Test
    void noTestRunsAfterAFailure() throws Exception {
        List<String> names = Arrays.asList("!fails", "passes");
        assertEquals(Collections.singletonList("a.B#fails"), runTests(names, "a.B\t\tunless-failed"));
    }

    @Test
    void anExpiredRequestDoesNotRun() throws Exception {
        assertEquals(Collections.emptyList(), runTests(NAMES, "a.B\t\tuntil-1"));
    }
}
