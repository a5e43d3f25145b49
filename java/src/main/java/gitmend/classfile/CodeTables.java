package gitmend.classfile;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** Tables of a method whose code moved: stack map frames, lines and local variables. */
final class CodeTables {
    private static final int SAME_WITH_ONE_ON_STACK = 64;
    private static final int RESERVED = 128;
    private static final int SAME_WITH_ONE_ON_STACK_FAR = 247;
    private static final int SAME_FAR = 251;
    private static final int FULL = 255;
    private static final int OBJECT = 7;
    private static final int UNINITIALIZED = 8;

    private final int[] moved;
    private final int[] placed;
    private final ConstantPool constants;

    CodeTables(int[] moved, int[] placed, ConstantPool constants) {
        this.moved = moved;
        this.placed = placed;
        this.constants = constants;
    }

    /** Copies the attributes of the code; `atEnd` is a frame for what was put behind it, or null. */
    void write(byte[] attributes, DataOutputStream out, byte[] atEnd) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(attributes));
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        DataOutputStream to = new DataOutputStream(kept);
        int number = 0;
        boolean hasFrames = false;
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            int name = in.readUnsignedShort();
            byte[] content = new byte[in.readInt()];
            in.readFully(content);
            boolean areFrames = "StackMapTable".equals(constants.text(name));
            hasFrames |= areFrames;
            byte[] own = areFrames ? frames(content, atEnd) : rows(constants.text(name), content);
            number += own == null ? 0 : attribute(name, own, to);
        }
        if (atEnd != null && !hasFrames) {
            number += attribute(constants.utf8("StackMapTable"), frames(new byte[2], atEnd), to);
        }
        out.writeShort(number);
        kept.writeTo(out);
    }

    private static int attribute(int name, byte[] content, DataOutputStream to) throws IOException {
        to.writeShort(name);
        to.writeInt(content.length);
        to.write(content);
        return 1;
    }

    /** Returns the rows, or null to omit the attribute: type annotations refer to code offsets and
     * are unused here. */
    private byte[] rows(String name, byte[] content) throws IOException {
        boolean areLines = "LineNumberTable".equals(name);
        boolean areVariables = name.startsWith("LocalVariable");
        if (!areLines && !areVariables) {
            return null;
        }
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        int count = in.readUnsignedShort();
        out.writeShort(count);
        for (int left = count; left > 0; left--) {
            int start = in.readUnsignedShort();
            out.writeShort(moved[start]);
            if (areVariables) {
                out.writeShort(moved[start + in.readUnsignedShort()] - moved[start]);
                copy(in, out, 6);
            } else {
                copy(in, out, 2);
            }
        }
        return bytes.toByteArray();
    }

    /** Each frame but the first says how far it is from the one before it. */
    private byte[] frames(byte[] content, byte[] atEnd) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        int count = in.readUnsignedShort();
        out.writeShort(count + (atEnd == null ? 0 : 1));
        int old = -1;
        int last = -1;
        for (int i = 0; i < count; i++) {
            int type = in.readUnsignedByte();
            int base = type < SAME_WITH_ONE_ON_STACK ? 0 : SAME_WITH_ONE_ON_STACK;
            old += 1 + (type < RESERVED ? type - base : in.readUnsignedShort());
            frame(type, moved[old] - last - 1, in, out);
            last = moved[old];
        }
        if (atEnd != null) {
            out.writeByte(FULL);
            out.writeShort(moved[moved.length - 1] - last - 1);
            out.write(atEnd);
        }
        return bytes.toByteArray();
    }

    private void frame(int type, int distance, DataInputStream in, DataOutputStream out) throws IOException {
        if (type < RESERVED) {
            boolean hasOne = type >= SAME_WITH_ONE_ON_STACK;
            if (distance < SAME_WITH_ONE_ON_STACK) {
                out.writeByte(distance + (hasOne ? SAME_WITH_ONE_ON_STACK : 0));
            } else {
                out.writeByte(hasOne ? SAME_WITH_ONE_ON_STACK_FAR : SAME_FAR);
                out.writeShort(distance);
            }
            types(hasOne ? 1 : 0, in, out);
            return;
        }
        out.writeByte(type);
        out.writeShort(distance);
        if (type == FULL) {
            types(copyShort(in, out), in, out);
            types(copyShort(in, out), in, out);
        } else {
            types(type == SAME_WITH_ONE_ON_STACK_FAR ? 1 : Math.max(0, type - SAME_FAR), in, out);
        }
    }

    private void types(int count, DataInputStream in, DataOutputStream out) throws IOException {
        for (int left = count; left > 0; left--) {
            int tag = in.readUnsignedByte();
            out.writeByte(tag);
            if (tag == OBJECT) {
                copy(in, out, 2);
            } else if (tag == UNINITIALIZED) {
                // The instruction that makes it, and not what stands before that.
                out.writeShort(placed[in.readUnsignedShort()]);
            }
        }
    }

    private static int copyShort(DataInputStream in, DataOutputStream out) throws IOException {
        int value = in.readUnsignedShort();
        out.writeShort(value);
        return value;
    }

    private static void copy(DataInputStream in, DataOutputStream out, int length) throws IOException {
        byte[] same = new byte[length];
        in.readFully(same);
        out.write(same);
    }
}
