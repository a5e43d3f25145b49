package gitmend.runner;

import java.io.OutputStream;
import java.io.PrintStream;

/**
 * Records what a test prints and passes it on; the end of it is reported for a failing test. If
 * tests run in parallel, it is the output of all of them since the last one began. A standard
 * stream that was already replaced stays in place.
 */
final class OutputCapture {
    /** Maximum bytes of output that are reported. */
    private static final int MAX_BYTES = 4096;

    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    /** What stands in their place, if anything does. */
    private PrintStream capturingOut;
    private PrintStream capturingErr;
    private final byte[] tail = new byte[MAX_BYTES];
    /** How many bytes were printed since that was forgotten. */
    private long length;

    /** From now on it is known what is printed. */
    void install() {
        if (out.getClass() == PrintStream.class && err.getClass() == PrintStream.class) {
            capturingOut = new PrintStream(capturingStream(out), true);
            capturingErr = new PrintStream(capturingStream(err), true);
            System.setOut(capturingOut);
            System.setErr(capturingErr);
        }
    }

    /** Everything is as it was, but where a test has put another stream in its place. */
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

    /** The end of it; where that is not all, from a whole word on: a secret cut through would not be known for one. */
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
