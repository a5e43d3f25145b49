package gitmend.schedule.run;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Expected output of a test, line by line. White space at line ends and empty lines at the end are ignored. */
public final class ExpectedOutput {
    /** Bytes that are kept beyond the expected length; a longer output differs anyway. */
    private static final int EXTRA_BYTES = 1 << 20;
    /** Maximum characters of a quoted line. */
    private static final int MAX_QUOTED = 60;

    private final List<String> lines;
    /** Maximum bytes of output that are compared. */
    final int maxBytes;

    public ExpectedOutput(String text) {
        lines = splitLines(text);
        maxBytes = text.getBytes(StandardCharsets.UTF_8).length + EXTRA_BYTES;
    }

    /** Returns a description of the first difference, or null. */
    String findDifference(CapturedOutput printed) {
        List<String> printedLines = splitLines(printed.toString());
        int equalLines = 0;
        while (equalLines < printedLines.size() && equalLines < lines.size()
                && printedLines.get(equalLines).equals(lines.get(equalLines))) {
            equalLines++;
        }
        String position = "line " + (equalLines + 1) + " of the output";
        if (equalLines < printedLines.size()) {
            String expectation = equalLines < lines.size()
                    ? " instead of " + quote(lines.get(equalLines)) : ", but the output should end here";
            return position + " is " + quote(printedLines.get(equalLines)) + expectation;
        } else if (equalLines < lines.size()) {
            return position + " is missing: " + quote(lines.get(equalLines));
        }
        return printed.isComplete() ? null : "the output continues after " + maxBytes + " bytes";
    }

    private static List<String> splitLines(String text) {
        List<String> lines = new ArrayList<>(Arrays.asList(text.split("\n", -1)));
        lines.replaceAll(line -> line.replaceAll("\\s+$", ""));
        while (!lines.isEmpty() && lines.get(lines.size() - 1).isEmpty()) {
            lines.remove(lines.size() - 1);
        }
        return lines;
    }

    private static String quote(String line) {
        return "`" + (line.length() > MAX_QUOTED ? line.substring(0, MAX_QUOTED) + "…" : line) + "`";
    }
}
