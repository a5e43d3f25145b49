package gitmend.classfile;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * The code of a method into which straight lines are put: before an instruction, or in its place. As no line has a
 * jump in it or to it, the verifier's frames stay what they are and only move.
 */
public final class MethodCode {
    private static final int LONGEST = 65535;

    final byte[] old;
    /** Where instructions begin, in the order in which they stand. */
    public final int[] starts;
    public final int count;
    private final byte[][] before;
    private final byte[][] instead;
    /** By the old place, the new one of what stands before the instruction, and of the instruction. */
    private final int[] moved;
    private final int[] placed;
    private byte[] atStart = new byte[0];
    private byte[] atEnd = new byte[0];
    private int maxStack;
    private int maxLocals;
    private final byte[] exceptions;
    private final byte[] attributes;
    /** What the verifier knows where everything is caught, or null. */
    private byte[] guardFrame;
    private boolean isGuarded;
    private int extraStack;
    private int extraLocals;

    public MethodCode(byte[] content) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
        maxStack = in.readUnsignedShort();
        maxLocals = in.readUnsignedShort();
        old = new byte[in.readInt()];
        in.readFully(old);
        exceptions = new byte[8 * in.readUnsignedShort()];
        in.readFully(exceptions);
        attributes = new byte[in.available()];
        in.readFully(attributes);
        starts = new int[old.length];
        int found = 0;
        for (int at = 0; at < old.length; at += length(at)) {
            starts[found++] = at;
        }
        count = found;
        before = new byte[old.length][];
        instead = new byte[old.length][];
        moved = new int[old.length + 1];
        placed = new int[old.length + 1];
    }

    public int opcode(int at) {
        return old[at] & 255;
    }

    public int operand(int at) {
        return unsigned(at + 1);
    }

    private int unsigned(int at) {
        return (old[at] & 255) << 8 | old[at + 1] & 255;
    }

    private int integer(int at) {
        return unsigned(at) << 16 | unsigned(at + 2);
    }

    private int length(int at) throws IOException {
        int opcode = opcode(at);
        int aligned = (at & ~3) + 4;
        switch (opcode) {
            case Opcodes.TABLESWITCH:
                return aligned + 12 + 4 * (integer(aligned + 8) - integer(aligned + 4) + 1) - at;
            case Opcodes.LOOKUPSWITCH:
                return aligned + 8 + 8 * integer(aligned + 4) - at;
            case Opcodes.WIDE:
                return opcode(at + 1) == 132 ? 6 : 4;
            default:
                return Opcodes.length(opcode);
        }
    }

    /** Inserts code before the instruction at this place; jumps to the instruction execute it too. */
    public void before(int at, byte[] code) {
        byte[] all = code;
        if (before[at] != null) {
            all = new byte[before[at].length + code.length];
            System.arraycopy(before[at], 0, all, 0, before[at].length);
            System.arraycopy(code, 0, all, before[at].length, code.length);
        }
        before[at] = all;
    }

    public void instead(int at, byte[] code) {
        instead[at] = code;
    }

    /** Reserves stack slots, and locals after all others. */
    public void reserve(int stack, int locals) {
        extraStack = Math.max(extraStack, stack);
        extraLocals = Math.max(extraLocals, locals);
    }

    public int locals() {
        return maxLocals;
    }

    /** Inserts code before all other code; no jump leads to it. */
    public void atStart(byte[] code) {
        atStart = code;
    }

    /** Catches everything; the handler stands at the end, and `frame` is what the verifier knows there, if it asks. */
    public void guard(byte[] handler, byte[] frame) {
        isGuarded = true;
        atEnd = handler;
        guardFrame = frame;
    }

    private void layOut() throws IOException {
        int to = atStart.length;
        for (int i = 0; i < count; i++) {
            int at = starts[i];
            moved[at] = to;
            to += before[at] == null ? 0 : before[at].length;
            placed[at] = to;
            to += instead[at] == null ? newLength(at, to) : instead[at].length;
        }
        moved[old.length] = to;
        placed[old.length] = to;
        if (to + atEnd.length > LONGEST) {
            throw new IOException("a method too long");
        }
    }

    private int newLength(int at, int to) throws IOException {
        int opcode = opcode(at);
        boolean isPadded = opcode == Opcodes.TABLESWITCH || opcode == Opcodes.LOOKUPSWITCH;
        return isPadded ? length(at) - (3 - (at & 3)) + (3 - (to & 3)) : length(at);
    }

    /** The content of the attribute. `constants` has its names. */
    public byte[] written(ConstantPool constants) throws IOException {
        layOut();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeShort(maxStack + extraStack);
        out.writeShort(maxLocals + extraLocals);
        out.writeInt(moved[old.length] + atEnd.length);
        out.write(atStart);
        for (int i = 0; i < count; i++) {
            int at = starts[i];
            if (before[at] != null) {
                out.write(before[at]);
            }
            if (instead[at] == null) {
                copy(at, out);
            } else {
                out.write(instead[at]);
            }
        }
        out.write(atEnd);
        writeExceptions(out);
        new CodeTables(moved, placed, constants).write(attributes, out, guardFrame);
        return bytes.toByteArray();
    }

    private void writeExceptions(DataOutputStream out) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(exceptions));
        out.writeShort(exceptions.length / 8 + (isGuarded ? 1 : 0));
        for (int left = exceptions.length / 8; left > 0; left--) {
            out.writeShort(moved[in.readUnsignedShort()]);
            out.writeShort(moved[in.readUnsignedShort()]);
            out.writeShort(moved[in.readUnsignedShort()]);
            out.writeShort(in.readUnsignedShort());
        }
        if (isGuarded) {
            out.writeShort(atStart.length);
            out.writeShort(moved[old.length]);
            out.writeShort(moved[old.length]);
            out.writeShort(0);
        }
    }

    private void copy(int at, DataOutputStream out) throws IOException {
        int opcode = opcode(at);
        if (Opcodes.isJump(opcode)) {
            int distance = moved[at + (short) unsigned(at + 1)] - placed[at];
            if (distance != (short) distance) {
                throw new IOException("a jump too far");
            }
            out.writeByte(opcode);
            out.writeShort(distance);
        } else if (opcode == Opcodes.GOTO_W || opcode == Opcodes.JSR_W) {
            out.writeByte(opcode);
            out.writeInt(moved[at + integer(at + 1)] - placed[at]);
        } else if (opcode == Opcodes.TABLESWITCH || opcode == Opcodes.LOOKUPSWITCH) {
            copySwitch(at, out);
        } else {
            out.write(old, at, length(at));
        }
    }

    private void copySwitch(int at, DataOutputStream out) throws IOException {
        int from = (at & ~3) + 4;
        out.writeByte(opcode(at));
        out.write(new byte[3 - (placed[at] & 3)]);
        out.writeInt(moved[at + integer(from)] - placed[at]);
        boolean isTable = opcode(at) == Opcodes.TABLESWITCH;
        int rows = isTable ? integer(from + 8) - integer(from + 4) + 1 : integer(from + 4);
        out.writeInt(integer(from + 4));
        if (isTable) {
            out.writeInt(integer(from + 8));
        }
        int row = from + (isTable ? 12 : 8);
        for (int left = rows; left > 0; left--) {
            if (!isTable) {
                out.writeInt(integer(row));
                row += 4;
            }
            out.writeInt(moved[at + integer(row)] - placed[at]);
            row += 4;
        }
    }

    /** Returns the source line at each place, 0 where it is unknown. */
    public int[] lines(ConstantPool constants) throws IOException {
        int[] lines = new int[old.length + 1];
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(attributes));
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            String name = constants.text(in.readUnsignedShort());
            byte[] content = new byte[in.readInt()];
            in.readFully(content);
            if ("LineNumberTable".equals(name)) {
                DataInputStream rows = new DataInputStream(new ByteArrayInputStream(content));
                for (int row = rows.readUnsignedShort(); row > 0; row--) {
                    int at = rows.readUnsignedShort();
                    lines[at] = rows.readUnsignedShort();
                }
            }
        }
        for (int at = 1; at < lines.length; at++) {
            lines[at] = lines[at] == 0 ? lines[at - 1] : lines[at];
        }
        return lines;
    }
}
