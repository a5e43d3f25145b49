package gitmend.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the JSON lines of test events. */
class ResultsTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private List<String> lines() throws Exception {
        return Arrays.asList(out.toString("UTF-8").split("\n"));
    }

    @Test
    void eachEventIsOneLineOfJson() throws Exception {
        try (Results results = new Results(out)) {
            results.reportOpened("a.B#c");
            results.reportPassed("a.B#c", 5);
            results.reportSkipped("a.B#d");
            results.reportCovered("a.B", Arrays.asList("a.C#e", "a.C#f"));
            results.reportFinished();
        }
        List<String> expected = Arrays.asList(
                "{\"event\":\"opened\",\"test\":\"a.B#c\"}",
                "{\"event\":\"ended\",\"test\":\"a.B#c\",\"status\":\"passed\",\"millis\":5}",
                "{\"event\":\"ended\",\"test\":\"a.B#d\",\"status\":\"skipped\",\"millis\":0}",
                "{\"event\":\"covered\",\"class\":\"a.B\",\"methods\":[\"a.C#e\",\"a.C#f\"]}",
                "{\"event\":\"finished\"}");
        assertEquals(expected, lines());
    }

    @Test
    void aFailureHasTheCauseOfAReflectiveCallAndTheFramesAboveTheRunner() throws Exception {
        IllegalStateException cause = new IllegalStateException("a\"b");
        cause.setStackTrace(new StackTraceElement[] {
            new StackTraceElement("a.B", "c", "B.java", 7),
            new StackTraceElement("a.B", "d", null, -1),
            new StackTraceElement("gitmend.runner.main.MainRunner", "run", "MainRunner.java", 1),
            new StackTraceElement("java.lang.Thread", "run", "Thread.java", 1)});
        try (Results results = new Results(out)) {
            results.reportFailed("a.B#c", 1, new InvocationTargetException(cause));
        }
        String expected = "{\"event\":\"ended\",\"test\":\"a.B#c\",\"status\":\"failed\",\"millis\":1,"
                + "\"exception\":\"java.lang.IllegalStateException\",\"message\":\"a\\\"b\",\"frames\":["
                + "{\"class\":\"a.B\",\"method\":\"c\",\"file\":\"B.java\",\"line\":7},"
                + "{\"class\":\"a.B\",\"method\":\"d\",\"file\":null,\"line\":null}],\"printed\":\"\"}";
        assertEquals(Collections.singletonList(expected), lines());
    }

    @Test
    void framesOfRecordersAndRelocatedClassesAreReported() throws Exception {
        Throwable thrown = new Throwable();
        thrown.setStackTrace(new StackTraceElement[] {
            new StackTraceElement("gitmend.copy.concurrent.FutureTask", "get", null, -1),
            new StackTraceElement("gitmend.probe.Probe", "at", null, -1)});
        try (Results results = new Results(out)) {
            results.reportFailed("a.B#c", 1, thrown);
        }
        assertTrue(lines().get(0).contains("FutureTask") && lines().get(0).contains("gitmend.probe.Probe"));
    }

    @Test
    void aLongMessageIsCutAtAWordBoundary() throws Exception {
        StringBuilder message = new StringBuilder("first ");
        while (message.length() < 20_001) {
            message.append('x');
        }
        try (Results results = new Results(out)) {
            results.reportFailed("a.B#c", 1, new Throwable(message.toString()));
        }
        assertTrue(lines().get(0).contains("\"message\":\"first\""), lines().get(0));
    }

    @Test
    void aTestThatFailedWhileFailuresWereAllowedMayFailAgain() throws Exception {
        try (Results results = new Results(out)) {
            results.requireOnePass();
            results.reportFailed("a.B#c", 0, new Throwable());
            results.reportPassed("a.B#d", 0);
            results.stopAtNextFailure();
            results.reportFailed("a.B#c", 0, new Throwable());
            assertFalse(results.isOver());
            results.reportFailed("a.B#e", 0, new Throwable());
            assertTrue(results.isOver());
        }
    }
}
