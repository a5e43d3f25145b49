package gitmend.schedule.run;

import gitmend.schedule.control.Scheduler;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UnsupportedEncodingException;
import java.nio.charset.StandardCharsets;

/** Captured output of the tests, up to a maximum number of bytes. */
final class CapturedOutput extends OutputStream {
    /** Number of bytes that are enough to compare passing schedules. */
    private static final int PREFIX_BYTES = 4000;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final int maxBytes;
    /** Scheduler that prints are reported to if their order matters; else null. */
    private final Scheduler scheduler;
    private boolean isTruncated;

    private CapturedOutput(int maxBytes, Scheduler scheduler) {
        this.maxBytes = maxBytes;
        this.scheduler = scheduler;
    }

    /** Creates the output of a schedule. All of it is kept if there is an expected output. */
    static CapturedOutput create(Scheduler scheduler, ExpectedOutput expected) {
        return expected == null
                ? new CapturedOutput(PREFIX_BYTES, null)
                : new CapturedOutput(Math.max(PREFIX_BYTES, expected.maxBytes), scheduler);
    }

    /** Returns a stream that prints UTF-8 into this output, whatever the default charset is. */
    PrintStream openStream() throws UnsupportedEncodingException {
        return new PrintStream(this, false, "UTF-8");
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] added, int offset, int length) {
        if (scheduler != null && length > 0) {
            scheduler.recordPrint(added[offset + length - 1] == '\n');
        }
        int keptLength = Math.min(length, maxBytes - bytes.size());
        isTruncated |= keptLength < length;
        bytes.write(added, offset, keptLength);
    }

    synchronized boolean isComplete() {
        return !isTruncated;
    }

    synchronized String prefix() {
        return new String(bytes.toByteArray(), 0, Math.min(bytes.size(), PREFIX_BYTES), StandardCharsets.UTF_8);
    }

    @Override
    public synchronized String toString() {
        return new String(bytes.toByteArray(), StandardCharsets.UTF_8);
    }
}
