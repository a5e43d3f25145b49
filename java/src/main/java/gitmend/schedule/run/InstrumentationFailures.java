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

    /** What a schedule suffered from because of us, or null. */
    static String broken(ScheduleRunner.Execution played) {
        Failure failure = played.scheduler.failure;
        String said = failure == null ? played.failedResult() : failure.text;
        if (said == null) {
            return null;
        }
        // Copies are on the way to what fails in the project as well.
        int frames = said.indexOf("\"frames\"");
        said = frames < 0 ? said : said.substring(0, frames);
        Matcher matcher = ERROR.matcher(said);
        boolean isOurs = said.contains("gitmend") || said.contains("VerifyError");
        if (!isOurs || !matcher.find()) {
            return null;
        }
        int end = Math.min(said.length(), matcher.start() + 300);
        return "instrumented code fails: " + said.substring(matcher.start(), end);
    }
}
