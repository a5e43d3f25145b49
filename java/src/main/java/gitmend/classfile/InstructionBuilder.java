package gitmend.classfile;

import java.io.ByteArrayOutputStream;

/** Builder of code without jumps. */
public final class InstructionBuilder {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final ConstantPool constants;
    private final String hooks;

    /** `hooks` is the class whose static methods the code calls, with slashes. */
    public InstructionBuilder(ConstantPool constants, String hooks) {
        this.constants = constants;
        this.hooks = hooks;
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

    public InstructionBuilder number(int value) {
        return op(Opcodes.LDC_W, constants.integer(value));
    }

    /** Calls one of the hooks. */
    public InstructionBuilder hook(String name, String type) {
        return op(Opcodes.INVOKESTATIC, constants.method(hooks, name, type));
    }

    /** Loads or stores a local; the opcode is that of the kind of its value. */
    public InstructionBuilder local(int opcode, int local) {
        if (local > 255) {
            bytes.write(Opcodes.WIDE);
            return op(opcode, local);
        }
        bytes.write(opcode);
        bytes.write(local);
        return this;
    }

    public byte[] code() {
        return bytes.toByteArray();
    }
}
