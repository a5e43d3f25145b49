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
    private static final int MOST = 4096;

    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    /** What stands in their place, if anything does. */
    private PrintStream ownOut;
    private PrintStream ownErr;
    private final byte[] end = new byte[MOST];
    /** How many bytes were printed since that was forgotten. */
    private long length;

    /** From now on it is known what is printed. */
    void begin() {
        if (out.getClass() == PrintStream.class && err.getClass() == PrintStream.class) {
            ownOut = new PrintStream(copying(out), true);
            ownErr = new PrintStream(copying(err), true);
            System.setOut(ownOut);
            System.setErr(ownErr);
        }
    }

    /** Everything is as it was, but where a test has put another stream in its place. */
    void end() {
        if (System.out == ownOut) {
            System.setOut(out);
        }
        if (System.err == ownErr) {
            System.setErr(err);
        }
    }

    synchronized void forget() {
        length = 0;
    }

    /** The end of it; where that is not all, from a whole word on: a secret cut through would not be known for one. */
    synchronized String text() {
        boolean isAll = length <= MOST;
        byte[] bytes = new byte[isAll ? (int) length : MOST];
        int start = isAll ? 0 : (int) (length % MOST);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = end[(start + i) % MOST];
        }
        String text = new String(bytes);
        int from = 0;
        while (!isAll && from < text.length() && !Character.isWhitespace(text.charAt(from))) {
            from++;
        }
        return text.substring(from);
    }

    private synchronized void keep(byte[] bytes, int offset, int count) {
        for (int i = Math.max(0, count - MOST); i < count; i++) {
            end[(int) ((length + i) % MOST)] = bytes[offset + i];
        }
        length += count;
    }

    private OutputStream copying(PrintStream original) {
        return new OutputStream() {
            @Override
            public void write(int b) {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int count) {
                original.write(bytes, offset, count);
                keep(bytes, offset, count);
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
