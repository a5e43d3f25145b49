package gitmend.schedule.run;

import gitmend.schedule.control.Scheduler;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UnsupportedEncodingException;
import java.nio.charset.StandardCharsets;

/** Captured output of the tests, up to a maximum number of bytes. */
final class CapturedOutput extends OutputStream {
    /** Bytes that are enough to compare passing schedules. */
    private static final int FEW = 4000;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final int most;
    /** The scheduler that each print is reported to if its order matters; else null. */
    private final Scheduler watching;
    private boolean isCut;

    private CapturedOutput(int most, Scheduler watching) {
        this.most = most;
        this.watching = watching;
    }

    /** What is printed in a schedule, and held against what is expected, if anything is. */
    static CapturedOutput in(Scheduler scheduler, ExpectedOutput expected) {
        return expected == null
                ? new CapturedOutput(FEW, null) : new CapturedOutput(Math.max(FEW, expected.most), scheduler);
    }

    /** A stream that prints to here; texts are in UTF-8, whatever the machine has. */
    PrintStream stream() throws UnsupportedEncodingException {
        return new PrintStream(this, false, "UTF-8");
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] more, int offset, int length) {
        if (watching != null && length > 0) {
            watching.printed(more[offset + length - 1] == '\n');
        }
        int kept = Math.min(length, most - bytes.size());
        isCut |= kept < length;
        bytes.write(more, offset, kept);
    }

    /** Whether nothing was left out. */
    synchronized boolean isWhole() {
        return !isCut;
    }

    /** Its beginning. */
    synchronized String start() {
        return new String(bytes.toByteArray(), 0, Math.min(bytes.size(), FEW), StandardCharsets.UTF_8);
    }

    @Override
    public synchronized String toString() {
        return new String(bytes.toByteArray(), StandardCharsets.UTF_8);
    }
}
