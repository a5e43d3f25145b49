package gitmend.classfile;

import java.io.ByteArrayOutputStream;

/** A straight line of code in the making. */
public final class Straight {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final Pool constants;
    private final String hooks;

    /** `hooks` is the class whose static methods the code calls, with slashes. */
    public Straight(Pool constants, String hooks) {
        this.constants = constants;
        this.hooks = hooks;
    }

    public Straight op(int opcode) {
        bytes.write(opcode);
        return this;
    }

    public Straight op(int opcode, int operand) {
        bytes.write(opcode);
        bytes.write(operand >> 8);
        bytes.write(operand);
        return this;
    }

    public Straight number(int value) {
        return op(Opcodes.LDC_W, constants.integer(value));
    }

    /** Calls one of the hooks. */
    public Straight hook(String name, String type) {
        return op(Opcodes.INVOKESTATIC, constants.method(hooks, name, type));
    }

    /** Loads or stores a local; the opcode is that of the kind of its value. */
    public Straight local(int opcode, int local) {
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
