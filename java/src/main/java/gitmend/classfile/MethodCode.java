package gitmend.classfile;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Code of a method into which straight-line code is inserted, before instructions or in their place. Inserted code
 * contains no jumps and no jump targets, so stack map frames keep their content and only their offsets change.
 */
public final class MethodCode {
    private static final int MAX_CODE_LENGTH = 65535;

    final byte[] originalCode;
    /** Offsets of the instructions, in ascending order. */
    public final int[] instructionOffsets;
    public final int instructionCount;
    private final byte[][] insertedBefore;
    private final byte[][] replacements;
    /** New offsets by original offset: of the code inserted before an instruction, and of the instruction itself. */
    private final int[] newOffsets;
    private final int[] newInstructionOffsets;
    private byte[] prologue = new byte[0];
    private byte[] handlerCode = new byte[0];
    private int maxStack;
    private int maxLocals;
    private final byte[] exceptionTable;
    private final byte[] attributes;
    /** Stack map frame of the catch-all handler, or null. */
    private byte[] handlerFrame;
    private boolean hasHandler;
    private int extraStack;
    private int extraLocals;

    public MethodCode(byte[] content) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
        maxStack = in.readUnsignedShort();
        maxLocals = in.readUnsignedShort();
        originalCode = new byte[in.readInt()];
        in.readFully(originalCode);
        exceptionTable = new byte[8 * in.readUnsignedShort()];
        in.readFully(exceptionTable);
        attributes = new byte[in.available()];
        in.readFully(attributes);
        instructionOffsets = new int[originalCode.length];
        int index = 0;
        for (int offset = 0; offset < originalCode.length; offset += instructionLength(offset)) {
            instructionOffsets[index++] = offset;
        }
        instructionCount = index;
        insertedBefore = new byte[originalCode.length][];
        replacements = new byte[originalCode.length][];
        newOffsets = new int[originalCode.length + 1];
        newInstructionOffsets = new int[originalCode.length + 1];
    }

    public int opcodeAt(int offset) {
        return originalCode[offset] & 255;
    }

    public int operandAt(int offset) {
        return unsignedShortAt(offset + 1);
    }

    private int unsignedShortAt(int offset) {
        return (originalCode[offset] & 255) << 8 | originalCode[offset + 1] & 255;
    }

    private int intAt(int offset) {
        return unsignedShortAt(offset) << 16 | unsignedShortAt(offset + 2);
    }

    private int instructionLength(int offset) throws IOException {
        int opcode = opcodeAt(offset);
        int operandsStart = (offset & ~3) + 4;
        switch (opcode) {
            case Opcodes.TABLESWITCH:
                return operandsStart + 12 + 4 * (intAt(operandsStart + 8) - intAt(operandsStart + 4) + 1) - offset;
            case Opcodes.LOOKUPSWITCH:
                return operandsStart + 8 + 8 * intAt(operandsStart + 4) - offset;
            case Opcodes.WIDE:
                return opcodeAt(offset + 1) == Opcodes.IINC ? 6 : 4;
            default:
                return Opcodes.length(opcode);
        }
    }

    /** Inserts code before the instruction at an offset. Jumps to the instruction execute it too. */
    public void insertBefore(int offset, byte[] code) {
        byte[] combined = code;
        if (insertedBefore[offset] != null) {
            combined = new byte[insertedBefore[offset].length + code.length];
            System.arraycopy(insertedBefore[offset], 0, combined, 0, insertedBefore[offset].length);
            System.arraycopy(code, 0, combined, insertedBefore[offset].length, code.length);
        }
        insertedBefore[offset] = combined;
    }

    public void replace(int offset, byte[] code) {
        replacements[offset] = code;
    }

    /** Reserves additional stack slots and local variables for inserted code. */
    public void reserve(int stack, int locals) {
        extraStack = Math.max(extraStack, stack);
        extraLocals = Math.max(extraLocals, locals);
    }

    public int maxLocals() {
        return maxLocals;
    }

    /** Inserts code at the start of the method. No jump executes it. */
    public void insertAtStart(byte[] code) {
        prologue = code;
    }

    /** Adds a handler of all exceptions behind the code. `frame` is its stack map frame; null for old class files. */
    public void addCatchAllHandler(byte[] handler, byte[] frame) {
        hasHandler = true;
        handlerCode = handler;
        handlerFrame = frame;
    }

    private void computeOffsets() throws IOException {
        int newOffset = prologue.length;
        for (int i = 0; i < instructionCount; i++) {
            int offset = instructionOffsets[i];
            newOffsets[offset] = newOffset;
            newOffset += insertedBefore[offset] == null ? 0 : insertedBefore[offset].length;
            newInstructionOffsets[offset] = newOffset;
            newOffset += replacements[offset] == null ? newInstructionLength(offset, newOffset)
                    : replacements[offset].length;
        }
        newOffsets[originalCode.length] = newOffset;
        newInstructionOffsets[originalCode.length] = newOffset;
        if (newOffset + handlerCode.length > MAX_CODE_LENGTH) {
            throw new IOException("a method too long");
        }
    }

    private int newInstructionLength(int offset, int newOffset) throws IOException {
        int opcode = opcodeAt(offset);
        boolean isPadded = opcode == Opcodes.TABLESWITCH || opcode == Opcodes.LOOKUPSWITCH;
        return isPadded ? instructionLength(offset) - (3 - (offset & 3)) + (3 - (newOffset & 3))
                : instructionLength(offset);
    }

    /** Returns the content of the new `Code` attribute. `constants` has the names of its attributes. */
    public byte[] assemble(ConstantPool constants) throws IOException {
        computeOffsets();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeShort(maxStack + extraStack);
        out.writeShort(maxLocals + extraLocals);
        out.writeInt(newOffsets[originalCode.length] + handlerCode.length);
        out.write(prologue);
        for (int i = 0; i < instructionCount; i++) {
            int offset = instructionOffsets[i];
            if (insertedBefore[offset] != null) {
                out.write(insertedBefore[offset]);
            }
            if (replacements[offset] == null) {
                copyInstruction(offset, out);
            } else {
                out.write(replacements[offset]);
            }
        }
        out.write(handlerCode);
        writeExceptionTable(out);
        new CodeTables(newOffsets, newInstructionOffsets, constants).write(attributes, out, handlerFrame);
        return bytes.toByteArray();
    }

    private void writeExceptionTable(DataOutputStream out) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(exceptionTable));
        out.writeShort(exceptionTable.length / 8 + (hasHandler ? 1 : 0));
        for (int remaining = exceptionTable.length / 8; remaining > 0; remaining--) {
            out.writeShort(newOffsets[in.readUnsignedShort()]);
            out.writeShort(newOffsets[in.readUnsignedShort()]);
            out.writeShort(newOffsets[in.readUnsignedShort()]);
            out.writeShort(in.readUnsignedShort());
        }
        if (hasHandler) {
            out.writeShort(prologue.length);
            out.writeShort(newOffsets[originalCode.length]);
            out.writeShort(newOffsets[originalCode.length]);
            out.writeShort(0);
        }
    }

    private void copyInstruction(int offset, DataOutputStream out) throws IOException {
        int opcode = opcodeAt(offset);
        if (Opcodes.isJump(opcode)) {
            int distance = newOffsets[offset + (short) unsignedShortAt(offset + 1)] - newInstructionOffsets[offset];
            if (distance != (short) distance) {
                throw new IOException("a jump too far");
            }
            out.writeByte(opcode);
            out.writeShort(distance);
        } else if (opcode == Opcodes.GOTO_W || opcode == Opcodes.JSR_W) {
            out.writeByte(opcode);
            out.writeInt(newOffsets[offset + intAt(offset + 1)] - newInstructionOffsets[offset]);
        } else if (opcode == Opcodes.TABLESWITCH || opcode == Opcodes.LOOKUPSWITCH) {
            copySwitch(offset, out);
        } else {
            out.write(originalCode, offset, instructionLength(offset));
        }
    }

    private void copySwitch(int offset, DataOutputStream out) throws IOException {
        int operandsStart = (offset & ~3) + 4;
        out.writeByte(opcodeAt(offset));
        out.write(new byte[3 - (newInstructionOffsets[offset] & 3)]);
        out.writeInt(newOffsets[offset + intAt(operandsStart)] - newInstructionOffsets[offset]);
        boolean isTable = opcodeAt(offset) == Opcodes.TABLESWITCH;
        int caseCount = isTable ? intAt(operandsStart + 8) - intAt(operandsStart + 4) + 1 : intAt(operandsStart + 4);
        out.writeInt(intAt(operandsStart + 4));
        if (isTable) {
            out.writeInt(intAt(operandsStart + 8));
        }
        int rowOffset = operandsStart + (isTable ? 12 : 8);
        for (int remaining = caseCount; remaining > 0; remaining--) {
            if (!isTable) {
                out.writeInt(intAt(rowOffset));
                rowOffset += 4;
            }
            out.writeInt(newOffsets[offset + intAt(rowOffset)] - newInstructionOffsets[offset]);
            rowOffset += 4;
        }
    }

    /** Returns the source line by code offset; 0 if unknown. */
    public int[] lineNumbers(ConstantPool constants) throws IOException {
        int[] lines = new int[originalCode.length + 1];
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(attributes));
        for (int remaining = in.readUnsignedShort(); remaining > 0; remaining--) {
            String name = constants.text(in.readUnsignedShort());
            byte[] content = new byte[in.readInt()];
            in.readFully(content);
            if ("LineNumberTable".equals(name)) {
                DataInputStream rows = new DataInputStream(new ByteArrayInputStream(content));
                for (int remainingRows = rows.readUnsignedShort(); remainingRows > 0; remainingRows--) {
                    int offset = rows.readUnsignedShort();
                    lines[offset] = rows.readUnsignedShort();
                }
            }
        }
        for (int offset = 1; offset < lines.length; offset++) {
            lines[offset] = lines[offset] == 0 ? lines[offset - 1] : lines[offset];
        }
        return lines;
    }
}
