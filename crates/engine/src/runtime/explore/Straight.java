package gitmend.runtime;

import java.io.ByteArrayOutputStream;

/** A straight line of code in the making. */
final class Straight {
    private static final String HOOKS = "gitmend/runtime/Hooks";

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final Pool constants;

    Straight(Pool constants) {
        this.constants = constants;
    }

    Straight op(int opcode) {
        bytes.write(opcode);
        return this;
    }

    Straight op(int opcode, int operand) {
        bytes.write(opcode);
        bytes.write(operand >> 8);
        bytes.write(operand);
        return this;
    }

    Straight number(int value) {
        return op(Opcodes.LDC_W, constants.integer(value));
    }

    /** Calls one of the hooks. */
    Straight hook(String name, String type) {
        return op(Opcodes.INVOKESTATIC, constants.method(HOOKS, name, type));
    }

    /** Loads or stores a local; the opcode is that of the kind of its value. */
    Straight local(int opcode, int local) {
        if (local > 255) {
            bytes.write(Opcodes.WIDE);
            return op(opcode, local);
        }
        bytes.write(opcode);
        bytes.write(local);
        return this;
    }

    byte[] code() {
        return bytes.toByteArray();
    }
}
