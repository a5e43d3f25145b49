package gitmend.state;

import java.io.DataOutputStream;
import java.io.IOException;

/** The code of a method with a probe before it. */
final class ProbedCode {
    private static final int NOP = 0;
    private static final int LDC_W = 19;
    private static final int INVOKESTATIC = 184;
    private static final int LONGEST = 65535;

    private ProbedCode() {}

    /**
     * The content of the attribute. `texts`, `number` and `call` are of the class's constants: its texts, the probe's
     * number, and what it calls.
     */
    static byte[] of(byte[] original, String[] texts, int number, int call) throws IOException {
        Mover code = new Mover(original);
        DataOutputStream out = code.out;
        out.writeShort(Math.max(1, code.in.readUnsignedShort()));
        code.copyShort();
        int length = code.in.readInt();
        if (length + Mover.DISTANCE > LONGEST) {
            return original;
        }
        out.writeInt(length + Mover.DISTANCE);
        out.writeByte(LDC_W);
        out.writeShort(number);
        out.writeByte(INVOKESTATIC);
        out.writeShort(call);
        out.writeByte(NOP);
        out.writeByte(NOP);
        code.copy(length);
        for (int left = code.copyShort(); left > 0; left--) {
            // From, to, and the handler; then what is caught.
            code.moveShort();
            code.moveShort();
            code.moveShort();
            code.copy(2);
        }
        for (int left = code.copyShort(); left > 0; left--) {
            String name = String.valueOf(texts[code.copyShort()]);
            byte[] content = new byte[code.in.readInt()];
            code.in.readFully(content);
            byte[] moved = moved(name, content);
            out.writeInt(moved.length);
            out.write(moved);
        }
        return code.bytes.toByteArray();
    }

    private static byte[] moved(String attribute, byte[] content) throws IOException {
        Mover mover = new Mover(content);
        switch (attribute) {
            case "LineNumberTable":
                mover.rows(2);
                break;
            case "LocalVariableTable":
            case "LocalVariableTypeTable":
                mover.rows(8);
                break;
            case "StackMapTable":
                mover.frames();
                break;
            default:
                return content;
        }
        return mover.bytes.toByteArray();
    }
}
