package gitmend.schedule.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import gitmend.wire.Json;
import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;

/** Messages of failures that are compared with a goal. */
class FailureGoalTest {
    private static String lineOf(String message) {
        return new Json().open('{').key("exception").value("java.lang.Error").key("message").value(message)
                .key("frames").open('[').close(']').close('}').toString();
    }

    private static boolean matches(String logged, String message) {
        FailureGoal goal = new FailureGoal(Arrays.asList("java.lang.Error", logged));
        return goal.matchesResult(lineOf(message), Collections.emptySet());
    }

    @Test
    void onlyTheFirstLineOfAMessageIsCompared() {
        assertTrue(matches("sum is 7", "sum is 8\nafter 3 deposits"));
        assertTrue(matches("sum is 7", "sum is 8\r\nafter 3 deposits"));
        assertTrue(matches("", "\nexpected: 2"));
        assertFalse(matches("sum is 7", "no sum\nsum is 7"));
    }

    @Test
    void escapedCharactersAreDecoded() {
        assertTrue(matches("no\tfile C:\\new\\u \"a\"", "no\tfile C:\\new\\u \"a\""));
        assertFalse(matches("no file C:new", "no file C:\\new"));
    }

    @Test
    void longMessagesAreCompared() {
        String message = String.join("", Collections.nCopies(20_000, "\\"));
        assertTrue(matches(message, message));
    }

    @Test
    void describedFailuresAreReadable() {
        assertEquals("java.lang.Error: a\nb", FailureGoal.describeResult(lineOf("a\nb")));
    }
}
