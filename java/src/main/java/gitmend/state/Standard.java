package gitmend.state;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** A standard stream that can be closed for one variant and is open again for the next. */
final class Standard extends OutputStream {
    private final FileOutputStream out;
    private boolean isClosed;

    Standard(FileDescriptor descriptor) {
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
