package gitmend.schedule.run;

import gitmend.schedule.control.Failure;
import gitmend.wire.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Failure that an exploration tries to reproduce, read from a stack trace: exception, message without numbers, and the
 * innermost frame in project code.
 */
public final class FailureGoal {
    private static final Pattern EXCEPTION = Pattern.compile("\"exception\":\"([^\"]*)\"");
    private static final Pattern MESSAGE = Pattern.compile("\"message\":\"((?:[^\"\\\\]++|\\\\.)*+)\"");
    private static final Pattern FRAME = Pattern.compile("\"class\":\"([^\"]*)\",\"method\":\"([^\"]*)\"");
    private static final Pattern LAMBDA = Pattern.compile("lambda\\$(.*)\\$\\d+");
    private static final Pattern THROW_SITE = Pattern.compile(" at ([^ ]+):-?\\d+$");

    private final String exception;
    private final String message;
    /** Frames as `Class.method`, innermost first. */
    private final List<String> frames = new ArrayList<>();

    /** Creates the goal from its exception, its message (empty if there is none) and its frames. */
    public FailureGoal(List<String> texts) {
        exception = texts.get(0);
        message = maskNumbers(firstLine(texts.get(1)));
        texts.subList(2, texts.size()).forEach(frame -> frames.add(withoutLambda(frame)));
    }

    /** Returns true if a schedule failed like this. */
    public boolean matches(ScheduleRunner.Execution execution, Set<String> projectClasses) {
        Failure failure = execution.scheduler.failure;
        return failure == null ? matchesResult(execution.failedResult(), projectClasses)
                : matchesFailure(failure, projectClasses);
    }

    /** Describes the failure of a runner's line for people. */
    public static String describeResult(String result) {
        String message = find(MESSAGE, result);
        return find(EXCEPTION, result) + (message == null ? "" : ": " + message);
    }

    /** Returns true if a runner's line reports this failure. */
    boolean matchesResult(String result, Set<String> projectClasses) {
        if (result == null || !exception.equals(find(EXCEPTION, result))) {
            return false;
        }
        String found = find(MESSAGE, result);
        List<String> reported = new ArrayList<>();
        Matcher frame = FRAME.matcher(result);
        while (frame.find()) {
            reported.add(withoutLambda(frame.group(1) + "." + frame.group(2)));
        }
        return hasSameMessage(found == null ? "" : found)
                && hasSameFrame(findProjectFrame(reported, projectClasses), projectClasses);
    }

    /** Threads that are blocked for ever are seen as a timeout without the scheduler. */
    private boolean matchesFailure(Failure failure, Set<String> projectClasses) {
        if (failure.kind != Failure.Kind.EXCEPTION) {
            boolean isTimeout = exception.contains("Timeout") || exception.contains("TimedOut");
            return isTimeout && failure.kind != Failure.Kind.EXIT && failure.kind != Failure.Kind.OUTPUT;
        }
        Matcher site = THROW_SITE.matcher(failure.text);
        String frame = site.find() ? withoutLambda(site.group(1)) : null;
        String thrown = frame == null ? failure.text : failure.text.substring(0, site.start());
        int end = thrown.indexOf(": ");
        String type = end < 0 ? thrown : thrown.substring(0, end);
        return exception.equals(type) && hasSameMessage(end < 0 ? "" : thrown.substring(end + 2))
                && (frame == null || !isOwn(frame, projectClasses) || hasSameFrame(frame, projectClasses));
    }

    private boolean hasSameMessage(String found) {
        return maskNumbers(firstLine(found)).equals(message);
    }

    private static String firstLine(String text) {
        return text.split("\\R", 2)[0];
    }

    private boolean hasSameFrame(String found, Set<String> projectClasses) {
        String wanted = findProjectFrame(frames, projectClasses);
        return wanted == null || wanted.equals(found);
    }

    private static String findProjectFrame(List<String> frames, Set<String> projectClasses) {
        return frames.stream().filter(frame -> isOwn(frame, projectClasses)).findFirst().orElse(null);
    }

    private static boolean isOwn(String frame, Set<String> projectClasses) {
        return projectClasses.contains(frame.substring(0, Math.max(0, frame.lastIndexOf('.'))));
    }

    /** Returns the decoded text that a pattern finds in a runner's line, or null. */
    private static String find(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? Json.decode(matcher.group(1)) : null;
    }

    private static String withoutLambda(String frame) {
        return LAMBDA.matcher(frame).replaceAll("$1");
    }

    private static String maskNumbers(String text) {
        return text.replaceAll("-?\\d+", "0").replaceAll("@\\p{XDigit}+", "@").trim();
    }
}
