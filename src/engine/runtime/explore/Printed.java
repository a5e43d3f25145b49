package gitmend.runtime;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** What tests print, but for what comes after a few thousand bytes. */
final class Printed extends OutputStream {
    private static final int MOST = 4000;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @Override
    public synchronized void write(int b) {
        if (bytes.size() < MOST) {
            bytes.write(b);
        }
    }

    @Override
    public synchronized void write(byte[] more, int offset, int length) {
        bytes.write(more, offset, Math.min(length, MOST - bytes.size()));
    }

    @Override
    public synchronized String toString() {
        return new String(bytes.toByteArray(), StandardCharsets.UTF_8);
    }
}
