package gitmend.runner;

import java.io.OutputStream;
import java.io.PrintStream;

/**
 * Capture of standard output and error. It also forwards them; the tail is reported for a failing test. If tests run
 * in parallel, the tail has the output of all tests since the last one began. Streams that were replaced before are not
 * captured.
 */
final class OutputCapture {
    /** Maximum bytes of output that are reported. */
    private static final int MAX_BYTES = 4096;

    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    /** Streams that replace the originals; null if nothing is captured. */
    private PrintStream capturingOut;
    private PrintStream capturingErr;
    /** Ring buffer of the last bytes of output. */
    private final byte[] tail = new byte[MAX_BYTES];
    /** Number of bytes printed since the last reset. */
    private long length;

    void install() {
        if (out.getClass() == PrintStream.class && err.getClass() == PrintStream.class) {
            capturingOut = new PrintStream(capturingStream(out), true);
            capturingErr = new PrintStream(capturingStream(err), true);
            System.setOut(capturingOut);
            System.setErr(capturingErr);
        }
    }

    /** Restores the original streams, except where a test has set another stream. */
    void uninstall() {
        if (System.out == capturingOut) {
            System.setOut(out);
        }
        if (System.err == capturingErr) {
            System.setErr(err);
        }
    }

    synchronized void reset() {
        length = 0;
    }

    /** Returns the tail of the output. A cut tail starts at a word boundary, so that secrets are still recognised. */
    synchronized String tailText() {
        boolean isComplete = length <= MAX_BYTES;
        byte[] bytes = new byte[isComplete ? (int) length : MAX_BYTES];
        int start = isComplete ? 0 : (int) (length % MAX_BYTES);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = tail[(start + i) % MAX_BYTES];
        }
        String text = new String(bytes);
        int from = 0;
        while (!isComplete && from < text.length() && !Character.isWhitespace(text.charAt(from))) {
            from++;
        }
        return text.substring(from);
    }

    private synchronized void record(byte[] bytes, int offset, int count) {
        for (int i = Math.max(0, count - MAX_BYTES); i < count; i++) {
            tail[(int) ((length + i) % MAX_BYTES)] = bytes[offset + i];
        }
        length += count;
    }

    private OutputStream capturingStream(PrintStream original) {
        return new OutputStream() {
            @Override
            public void write(int b) {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int count) {
                original.write(bytes, offset, count);
                record(bytes, offset, count);
            }

            @Override
            public void flush() {
                original.flush();
            }

            @Override
            public void close() {
                original.close();
            }
        };
    }
}
