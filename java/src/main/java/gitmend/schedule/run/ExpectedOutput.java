package gitmend.schedule.run;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Expected output of a test, line by line. White space at line ends and empty lines at the end are ignored. */
public final class ExpectedOutput {
    /** So much more than is expected is kept, in bytes; who prints more than that prints something else. */
    private static final int SLACK = 1 << 20;
    /** Maximum characters of a quoted line. */
    private static final int WIDTH = 60;

    private final List<String> lines;
    /** Maximum bytes of output that are compared. */
    final int most;

    public ExpectedOutput(String text) {
        lines = lines(text);
        most = text.getBytes(StandardCharsets.UTF_8).length + SLACK;
    }

    /** What is printed that is not expected, or the other way round; null if there is nothing. */
    String otherThan(CapturedOutput printed) {
        List<String> found = lines(printed.toString());
        int same = 0;
        while (same < found.size() && same < lines.size() && found.get(same).equals(lines.get(same))) {
            same++;
        }
        String where = "line " + (same + 1) + " of the output";
        if (same < found.size()) {
            String wanted = same < lines.size()
                    ? " instead of " + quoted(lines.get(same)) : ", but the output should end here";
            return where + " is " + quoted(found.get(same)) + wanted;
        } else if (same < lines.size()) {
            return where + " is missing: " + quoted(lines.get(same));
        }
        return printed.isWhole() ? null : "the output continues after " + most + " bytes";
    }

    private static List<String> lines(String text) {
        List<String> lines = new ArrayList<>(Arrays.asList(text.split("\n", -1)));
        lines.replaceAll(line -> line.replaceAll("\\s+$", ""));
        while (!lines.isEmpty() && lines.get(lines.size() - 1).isEmpty()) {
            lines.remove(lines.size() - 1);
        }
        return lines;
    }

    private static String quoted(String line) {
        return "`" + (line.length() > WIDTH ? line.substring(0, WIDTH) + "…" : line) + "`";
    }
}
