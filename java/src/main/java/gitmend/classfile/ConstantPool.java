package gitmend.classfile;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Constant pool of a class file; constants can be added. */
public final class ConstantPool {
    private static final int UTF8 = 1;
    private static final int INTEGER = 3;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;
    private static final int CLASS = 7;
    private static final int METHOD = 10;
    private static final int NAME_AND_TYPE = 12;
    public static final int HANDLE = 15;
    private static final int MOST = 65535;

    private final List<Integer> tags = new ArrayList<>();
    private final List<Integer> firsts = new ArrayList<>();
    private final List<Integer> seconds = new ArrayList<>();
    private final List<String> texts = new ArrayList<>();
    private final Map<String, Integer> added = new HashMap<>();

    public ConstantPool(DataInputStream in) throws IOException {
        int count = in.readUnsignedShort();
        put(0, 0, 0, null);
        while (tags.size() < count) {
            int tag = in.readUnsignedByte();
            if (tag == UTF8) {
                put(tag, 0, 0, in.readUTF());
            } else if (tag == LONG || tag == DOUBLE) {
                put(tag, in.readInt(), in.readInt(), null);
                put(0, 0, 0, null);
            } else if (tag == INTEGER || tag == 4) {
                put(tag, in.readInt(), 0, null);
            } else if (tag == HANDLE) {
                put(tag, in.readUnsignedByte(), in.readUnsignedShort(), null);
            } else if (hasOne(tag)) {
                put(tag, in.readUnsignedShort(), 0, null);
            } else {
                put(tag, in.readUnsignedShort(), in.readUnsignedShort(), null);
            }
        }
    }

    private static boolean hasOne(int tag) {
        return tag == CLASS || tag == 8 || tag == 16 || tag == 19 || tag == 20;
    }

    public void writeTo(DataOutputStream out) throws IOException {
        if (tags.size() > MOST) {
            throw new IOException("too many constants");
        }
        out.writeShort(tags.size());
        for (int i = 1; i < tags.size(); i++) {
            int tag = tags.get(i);
            if (tag == 0) {
                continue;
            }
            out.writeByte(tag);
            if (tag == UTF8) {
                out.writeUTF(texts.get(i));
            } else if (tag == LONG || tag == DOUBLE) {
                out.writeInt(firsts.get(i));
                out.writeInt(seconds.get(i));
            } else if (tag == INTEGER || tag == 4) {
                out.writeInt(firsts.get(i));
            } else if (tag == HANDLE) {
                out.writeByte(firsts.get(i));
                out.writeShort(seconds.get(i));
            } else {
                out.writeShort(firsts.get(i));
                if (!hasOne(tag)) {
                    out.writeShort(seconds.get(i));
                }
            }
        }
    }

    private int put(int tag, int first, int second, String text) {
        tags.add(tag);
        firsts.add(first);
        seconds.add(second);
        texts.add(text);
        return tags.size() - 1;
    }

    public int size() {
        return tags.size();
    }

    public int tag(int index) {
        return tags.get(index);
    }

    public int first(int index) {
        return firsts.get(index);
    }

    public int second(int index) {
        return seconds.get(index);
    }

    /** Makes a method handle call another method, which is static. */
    public void retarget(int handle, int method) {
        firsts.set(handle, 6);
        seconds.set(handle, method);
    }

    public String text(int index) {
        return texts.get(index);
    }

    public void setText(int index, String text) {
        texts.set(index, text);
    }

    /** The name of a class constant, with slashes. */
    public String className(int index) {
        return text(first(index));
    }

    /** The class that a field or method constant names. */
    public String owner(int index) {
        return className(first(index));
    }

    public String memberName(int index) {
        return text(first(second(index)));
    }

    public String memberType(int index) {
        return text(second(second(index)));
    }

    public int utf8(String text) {
        return known("u" + text, () -> put(UTF8, 0, 0, text));
    }

    int integer(int value) {
        return known("i" + value, () -> put(INTEGER, value, 0, null));
    }

    public int classOf(String name) {
        int text = utf8(name);
        return known("c" + name, () -> put(CLASS, text, 0, null));
    }

    public int method(String owner, String name, String type) {
        int holder = classOf(owner);
        int member = nameAndType(name, type);
        return known("m" + owner + "." + name + type, () -> put(METHOD, holder, member, null));
    }

    /** A static method of the class with this constant, which may be an interface. */
    public int ownMethod(int holder, boolean isInterface, String name, String type) {
        return put(isInterface ? 11 : METHOD, holder, nameAndType(name, type), null);
    }

    private int nameAndType(String name, String type) {
        int first = utf8(name);
        int second = utf8(type);
        return known("n" + name + ":" + type, () -> put(NAME_AND_TYPE, first, second, null));
    }

    private int known(String key, java.util.function.IntSupplier make) {
        Integer index = added.get(key);
        if (index == null) {
            index = make.getAsInt();
            added.put(key, index);
        }
        return index;
    }
}
