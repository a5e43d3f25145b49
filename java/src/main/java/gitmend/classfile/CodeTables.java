package gitmend.classfile;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** Relocation of the tables that refer to code offsets: stack map frames, lines and local variables. */
final class CodeTables {
    private static final int SAME_LOCALS_1_STACK_ITEM = 64;
    private static final int FIRST_RESERVED = 128;
    private static final int SAME_LOCALS_1_STACK_ITEM_EXTENDED = 247;
    private static final int SAME_FRAME_EXTENDED = 251;
    private static final int FULL_FRAME = 255;
    private static final int OBJECT = 7;
    private static final int UNINITIALIZED = 8;

    private final int[] newOffsets;
    private final int[] newInstructionOffsets;
    private final ConstantPool constants;

    CodeTables(int[] newOffsets, int[] newInstructionOffsets, ConstantPool constants) {
        this.newOffsets = newOffsets;
        this.newInstructionOffsets = newInstructionOffsets;
        this.constants = constants;
    }

    /** Copies the attributes of the code. `handlerFrame` is the frame of the handler behind the code, or null. */
    void write(byte[] attributes, DataOutputStream out, byte[] handlerFrame) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(attributes));
        ByteArrayOutputStream attributeBytes = new ByteArrayOutputStream();
        DataOutputStream attributesOut = new DataOutputStream(attributeBytes);
        int attributeCount = 0;
        boolean hasStackMap = false;
        for (int remaining = in.readUnsignedShort(); remaining > 0; remaining--) {
            int name = in.readUnsignedShort();
            byte[] content = new byte[in.readInt()];
            in.readFully(content);
            boolean isStackMap = "StackMapTable".equals(constants.text(name));
            hasStackMap |= isStackMap;
            byte[] newContent = isStackMap ? relocateFrames(content, handlerFrame)
                    : relocateRows(constants.text(name), content);
            attributeCount += newContent == null ? 0 : writeAttribute(name, newContent, attributesOut);
        }
        if (handlerFrame != null && !hasStackMap) {
            attributeCount += writeAttribute(constants.addUtf8("StackMapTable"),
                    relocateFrames(new byte[2], handlerFrame), attributesOut);
        }
        out.writeShort(attributeCount);
        attributeBytes.writeTo(out);
    }

    private static int writeAttribute(int name, byte[] content, DataOutputStream out) throws IOException {
        out.writeShort(name);
        out.writeInt(content.length);
        out.write(content);
        return 1;
    }

    /**
     * Returns the content of a line or variable table with new offsets; null for other attributes. Those are omitted:
     * type annotations refer to code offsets, and nothing reads them here.
     */
    private byte[] relocateRows(String name, byte[] content) throws IOException {
        boolean isLineTable = "LineNumberTable".equals(name);
        boolean isVariableTable = name.startsWith("LocalVariable");
        if (!isLineTable && !isVariableTable) {
            return null;
        }
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        int count = in.readUnsignedShort();
        out.writeShort(count);
        for (int remaining = count; remaining > 0; remaining--) {
            int start = in.readUnsignedShort();
            out.writeShort(newOffsets[start]);
            if (isVariableTable) {
                out.writeShort(newOffsets[start + in.readUnsignedShort()] - newOffsets[start]);
                copyBytes(in, out, 6);
            } else {
                copyBytes(in, out, 2);
            }
        }
        return bytes.toByteArray();
    }

    /** Returns the stack map frames with new offsets. Offsets after the first are encoded as differences. */
    private byte[] relocateFrames(byte[] content, byte[] handlerFrame) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        int count = in.readUnsignedShort();
        out.writeShort(count + (handlerFrame == null ? 0 : 1));
        int oldOffset = -1;
        int lastOffset = -1;
        for (int i = 0; i < count; i++) {
            int type = in.readUnsignedByte();
            int base = type < SAME_LOCALS_1_STACK_ITEM ? 0 : SAME_LOCALS_1_STACK_ITEM;
            oldOffset += 1 + (type < FIRST_RESERVED ? type - base : in.readUnsignedShort());
            writeFrame(type, newOffsets[oldOffset] - lastOffset - 1, in, out);
            lastOffset = newOffsets[oldOffset];
        }
        if (handlerFrame != null) {
            out.writeByte(FULL_FRAME);
            out.writeShort(newOffsets[newOffsets.length - 1] - lastOffset - 1);
            out.write(handlerFrame);
        }
        return bytes.toByteArray();
    }

    private void writeFrame(int type, int offsetDelta, DataInputStream in, DataOutputStream out) throws IOException {
        if (type < FIRST_RESERVED) {
            boolean hasStackItem = type >= SAME_LOCALS_1_STACK_ITEM;
            if (offsetDelta < SAME_LOCALS_1_STACK_ITEM) {
                out.writeByte(offsetDelta + (hasStackItem ? SAME_LOCALS_1_STACK_ITEM : 0));
            } else {
                out.writeByte(hasStackItem ? SAME_LOCALS_1_STACK_ITEM_EXTENDED : SAME_FRAME_EXTENDED);
                out.writeShort(offsetDelta);
            }
            copyVerificationTypes(hasStackItem ? 1 : 0, in, out);
            return;
        }
        out.writeByte(type);
        out.writeShort(offsetDelta);
        if (type == FULL_FRAME) {
            copyVerificationTypes(copyShort(in, out), in, out);
            copyVerificationTypes(copyShort(in, out), in, out);
        } else {
            copyVerificationTypes(type == SAME_LOCALS_1_STACK_ITEM_EXTENDED ? 1
                    : Math.max(0, type - SAME_FRAME_EXTENDED), in, out);
        }
    }

    private void copyVerificationTypes(int count, DataInputStream in, DataOutputStream out) throws IOException {
        for (int remaining = count; remaining > 0; remaining--) {
            int tag = in.readUnsignedByte();
            out.writeByte(tag);
            if (tag == OBJECT) {
                copyBytes(in, out, 2);
            } else if (tag == UNINITIALIZED) {
                // An uninitialized value is identified by its `new` instruction, not by code inserted before that.
                out.writeShort(newInstructionOffsets[in.readUnsignedShort()]);
            }
        }
    }

    private static int copyShort(DataInputStream in, DataOutputStream out) throws IOException {
        int value = in.readUnsignedShort();
        out.writeShort(value);
        return value;
    }

    private static void copyBytes(DataInputStream in, DataOutputStream out, int length) throws IOException {
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        out.write(bytes);
    }
}
