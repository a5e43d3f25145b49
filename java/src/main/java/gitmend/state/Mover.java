package gitmend.state;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** Copies what is said about code that begins later than it did. */
final class Mover {
    /** By how many bytes: as many as leave the padding inside switches as long as it is. */
    static final int DISTANCE = 8;

    private static final int SAME_WITH_ONE_ON_STACK = 64;
    private static final int RESERVED = 128;
    private static final int SAME_WITH_ONE_ON_STACK_FAR = 247;
    private static final int SAME_FAR = 251;
    private static final int FULL = 255;
    private static final int OBJECT = 7;
    private static final int UNINITIALIZED = 8;

    final DataInputStream in;
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    final DataOutputStream out = new DataOutputStream(bytes);

    Mover(byte[] original) {
        in = new DataInputStream(new ByteArrayInputStream(original));
    }

    /** Rows that begin with a place in the code, and how long the rest of each is. */
    void rows(int rest) throws IOException {
        for (int left = copyShort(); left > 0; left--) {
            moveShort();
            copy(rest);
        }
    }

    /** Each frame but the first says how far it is from the one before it. */
    void frames() throws IOException {
        int count = copyShort();
        for (int i = 0; i < count; i++) {
            frame(i == 0 ? DISTANCE : 0);
        }
    }

    private void frame(int distance) throws IOException {
        int type = in.readUnsignedByte();
        if (type < RESERVED) {
            int base = type < SAME_WITH_ONE_ON_STACK ? 0 : SAME_WITH_ONE_ON_STACK;
            near(base, type - base + distance);
            types(base == 0 ? 0 : 1);
            return;
        }
        out.writeByte(type);
        out.writeShort(in.readUnsignedShort() + distance);
        if (type == FULL) {
            types(copyShort());
            types(copyShort());
        } else {
            types(type == SAME_WITH_ONE_ON_STACK_FAR ? 1 : Math.max(0, type - SAME_FAR));
        }
    }

    private void near(int base, int offset) throws IOException {
        if (offset < SAME_WITH_ONE_ON_STACK) {
            out.writeByte(base + offset);
        } else {
            out.writeByte(base == 0 ? SAME_FAR : SAME_WITH_ONE_ON_STACK_FAR);
            out.writeShort(offset);
        }
    }

    private void types(int count) throws IOException {
        for (int left = count; left > 0; left--) {
            int tag = in.readUnsignedByte();
            out.writeByte(tag);
            if (tag == OBJECT) {
                copy(2);
            } else if (tag == UNINITIALIZED) {
                // Where it was made.
                moveShort();
            }
        }
    }

    int copyShort() throws IOException {
        int value = in.readUnsignedShort();
        out.writeShort(value);
        return value;
    }

    void moveShort() throws IOException {
        out.writeShort(in.readUnsignedShort() + DISTANCE);
    }

    void copy(int length) throws IOException {
        byte[] same = new byte[length];
        in.readFully(same);
        out.write(same);
    }
}
