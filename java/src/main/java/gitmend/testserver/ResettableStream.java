package gitmend.testserver;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Standard stream that a variant can close without closing the file descriptor. */
final class ResettableStream extends OutputStream {
    private final FileOutputStream out;
    private boolean isClosed;

    ResettableStream(FileDescriptor descriptor) {
        out = new FileOutputStream(descriptor);
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (isClosed) {
            throw new IOException("Stream closed");
        }
        out.write(bytes, offset, length);
    }

    @Override
    public void close() {
        isClosed = true;
    }
}
