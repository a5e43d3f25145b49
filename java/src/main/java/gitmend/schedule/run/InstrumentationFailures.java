package gitmend.schedule.run;

import gitmend.schedule.control.Failure;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Detection of failures caused by the instrumentation itself. */
final class InstrumentationFailures {
    private static final Pattern ERROR = Pattern.compile("java\\.lang\\.(IllegalAccessError|UnsatisfiedLinkError|"
            + "NoClassDefFoundError|NoSuchMethodError|NoSuchFieldError|VerifyError|ClassFormatError|"
            + "IncompatibleClassChangeError|ExceptionInInitializerError|BootstrapMethodError)");

    private InstrumentationFailures() {}

    /** Returns the linkage error that the instrumentation caused, or null. */
    static String findError(ScheduleRunner.Execution execution) {
        Failure failure = execution.scheduler.failure;
        String text = failure == null ? execution.failedResult() : failure.text;
        if (text == null) {
            return null;
        }
        // Stack frames of project failures contain copied classes as well.
        int frames = text.indexOf("\"frames\"");
        text = frames < 0 ? text : text.substring(0, frames);
        Matcher matcher = ERROR.matcher(text);
        boolean isOurs = text.contains("gitmend") || text.contains("VerifyError");
        if (!isOurs || !matcher.find()) {
            return null;
        }
        int end = Math.min(text.length(), matcher.start() + 300);
        return "instrumented code fails: " + text.substring(matcher.start(), end);
    }
}
