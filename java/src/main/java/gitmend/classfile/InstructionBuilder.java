package gitmend.classfile;

import java.io.ByteArrayOutputStream;

/** Builder of straight-line code. */
public final class InstructionBuilder {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final ConstantPool constants;
    private final String hookClass;

    /** Creates a builder; `hookClass` is the internal name of the class whose static methods the code calls. */
    public InstructionBuilder(ConstantPool constants, String hookClass) {
        this.constants = constants;
        this.hookClass = hookClass;
    }

    public InstructionBuilder op(int opcode) {
        bytes.write(opcode);
        return this;
    }

    public InstructionBuilder op(int opcode, int operand) {
        bytes.write(opcode);
        bytes.write(operand >> 8);
        bytes.write(operand);
        return this;
    }

    /** Pushes an int constant. */
    public InstructionBuilder pushInt(int value) {
        return op(Opcodes.LDC_W, constants.addInteger(value));
    }

    /** Calls a static method of the hook class. */
    public InstructionBuilder callHook(String name, String descriptor) {
        return op(Opcodes.INVOKESTATIC, constants.addMethodRef(hookClass, name, descriptor));
    }

    /** Loads or stores a local variable with the opcode of its type. */
    public InstructionBuilder accessLocal(int opcode, int local) {
        if (local > 255) {
            bytes.write(Opcodes.WIDE);
            return op(opcode, local);
        }
        bytes.write(opcode);
        bytes.write(local);
        return this;
    }

    public byte[] toByteArray() {
        return bytes.toByteArray();
    }
}
