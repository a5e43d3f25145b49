package gitmend.state;

import gitmend.runner.Coverage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * A class file with a probe at the beginning of each method. Everything else is copied as it is; new constants
 * stand behind all others.
 */
final class ProbedClass {
    /** How many constants the call takes; the last one is what probes name. */
    private static final int CALL = 6;

    private static final int MOST = 65535;

    private final String name;
    private final DataInputStream in;
    /** Everything after the constants. */
    private final ByteArrayOutputStream rest = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(rest);
    private final ByteArrayOutputStream pool = new ByteArrayOutputStream();
    private String[] texts;
    private int count;

    private ProbedClass(String name, byte[] original) {
        this.name = name;
        in = new DataInputStream(new ByteArrayInputStream(original));
    }

    /** Returns the class with probes, or unchanged if they do not fit. `name` has dots between
     * packages. */
    static byte[] of(String name, byte[] original) throws IOException {
        byte[] probed = new ProbedClass(name, original).probed();
        return probed == null ? original : probed;
    }

    private byte[] probed() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        DataOutputStream head = new DataOutputStream(all);
        head.writeLong(in.readLong());
        texts = new String[in.readUnsignedShort()];
        count = texts.length;
        copyConstants();
        // Flags, this class, its superclass and its interfaces.
        copy(out, 6);
        copy(out, 2 * copyShort(out));
        members(false);
        members(true);
        attributes(false, "");
        if (count > MOST) {
            return null;
        }
        head.writeShort(count);
        pool.writeTo(head);
        rest.writeTo(head);
        return all.toByteArray();
    }

    private void copyConstants() throws IOException {
        DataOutputStream to = new DataOutputStream(pool);
        for (int i = 1; i < texts.length; i++) {
            int tag = in.readUnsignedByte();
            to.writeByte(tag);
            if (tag == 1) {
                texts[i] = in.readUTF();
                to.writeUTF(texts[i]);
            } else if (tag == 5 || tag == 6) {
                copy(to, 8);
                i++;
            } else {
                copy(to, tag == 15 ? 3 : tag == 7 || tag == 8 || tag == 16 || tag == 19 || tag == 20 ? 2 : 4);
            }
        }
        addCall(to);
    }

    /** The method that probes call. */
    private void addCall(DataOutputStream to) throws IOException {
        to.writeByte(1);
        to.writeUTF("gitmend/runner/Coverage");
        to.writeByte(7);
        to.writeShort(count);
        to.writeByte(1);
        to.writeUTF("enter");
        to.writeByte(1);
        to.writeUTF("(I)V");
        to.writeByte(12);
        to.writeShort(count + 2);
        to.writeShort(count + 3);
        to.writeByte(10);
        to.writeShort(count + 1);
        to.writeShort(count + 4);
        count += CALL;
    }

    /** The constant with the number of a new probe. */
    private int number(String method) throws IOException {
        DataOutputStream to = new DataOutputStream(pool);
        to.writeByte(3);
        to.writeInt(Coverage.add(name + "#" + method));
        return count++;
    }

    private void members(boolean areMethods) throws IOException {
        for (int left = copyShort(out); left > 0; left--) {
            copy(out, 2);
            String member = texts[copyShort(out)];
            copy(out, 2);
            attributes(areMethods, member);
        }
    }

    private void attributes(boolean ofMethod, String member) throws IOException {
        for (int left = copyShort(out); left > 0; left--) {
            String attribute = texts[copyShort(out)];
            byte[] content = new byte[in.readInt()];
            in.readFully(content);
            if (ofMethod && "Code".equals(attribute) && count < MOST) {
                int constant = number(methodOf(member));
                content = ProbedCode.of(content, texts, constant, texts.length + CALL - 1);
            }
            out.writeInt(content.length);
            out.write(content);
        }
    }

    /** What is written inside a method is a part of it. */
    private static String methodOf(String member) {
        int end = member.lastIndexOf('$');
        return member.startsWith("lambda$") && end > 7 ? member.substring(7, end) : member;
    }

    private int copyShort(DataOutputStream to) throws IOException {
        int value = in.readUnsignedShort();
        to.writeShort(value);
        return value;
    }

    private void copy(DataOutputStream to, int length) throws IOException {
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        to.write(bytes);
    }
}
