package gitmend.classfile;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Constant pool of a class file, to which constants can be added. */
public final class ConstantPool {
    private static final int UTF8 = 1;
    private static final int INTEGER = 3;
    private static final int FLOAT = 4;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;
    private static final int CLASS = 7;
    private static final int STRING = 8;
    private static final int METHOD_REF = 10;
    private static final int INTERFACE_METHOD_REF = 11;
    private static final int NAME_AND_TYPE = 12;
    public static final int METHOD_HANDLE = 15;
    private static final int METHOD_TYPE = 16;
    private static final int MODULE = 19;
    private static final int PACKAGE = 20;
    /** Kind of a method handle that calls a static method. */
    private static final int REF_INVOKE_STATIC = 6;
    private static final int MAX_SIZE = 65535;

    private final List<Integer> tags = new ArrayList<>();
    private final List<Integer> firstOperands = new ArrayList<>();
    private final List<Integer> secondOperands = new ArrayList<>();
    private final List<String> texts = new ArrayList<>();
    private final Map<String, Integer> addedIndices = new HashMap<>();

    public ConstantPool(DataInputStream in) throws IOException {
        int count = in.readUnsignedShort();
        append(0, 0, 0, null);
        while (tags.size() < count) {
            int tag = in.readUnsignedByte();
            if (tag == UTF8) {
                append(tag, 0, 0, in.readUTF());
            } else if (tag == LONG || tag == DOUBLE) {
                append(tag, in.readInt(), in.readInt(), null);
                append(0, 0, 0, null);
            } else if (tag == INTEGER || tag == FLOAT) {
                append(tag, in.readInt(), 0, null);
            } else if (tag == METHOD_HANDLE) {
                append(tag, in.readUnsignedByte(), in.readUnsignedShort(), null);
            } else if (hasSingleOperand(tag)) {
                append(tag, in.readUnsignedShort(), 0, null);
            } else {
                append(tag, in.readUnsignedShort(), in.readUnsignedShort(), null);
            }
        }
    }

    private static boolean hasSingleOperand(int tag) {
        return tag == CLASS || tag == STRING || tag == METHOD_TYPE || tag == MODULE || tag == PACKAGE;
    }

    public void writeTo(DataOutputStream out) throws IOException {
        if (tags.size() > MAX_SIZE) {
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
                out.writeInt(firstOperands.get(i));
                out.writeInt(secondOperands.get(i));
            } else if (tag == INTEGER || tag == FLOAT) {
                out.writeInt(firstOperands.get(i));
            } else if (tag == METHOD_HANDLE) {
                out.writeByte(firstOperands.get(i));
                out.writeShort(secondOperands.get(i));
            } else {
                out.writeShort(firstOperands.get(i));
                if (!hasSingleOperand(tag)) {
                    out.writeShort(secondOperands.get(i));
                }
            }
        }
    }

    private int append(int tag, int first, int second, String text) {
        tags.add(tag);
        firstOperands.add(first);
        secondOperands.add(second);
        texts.add(text);
        return tags.size() - 1;
    }

    public int size() {
        return tags.size();
    }

    public int tag(int index) {
        return tags.get(index);
    }

    public int firstOperand(int index) {
        return firstOperands.get(index);
    }

    public int secondOperand(int index) {
        return secondOperands.get(index);
    }

    /** Redirects a method handle to a static method. */
    public void retarget(int handle, int method) {
        firstOperands.set(handle, REF_INVOKE_STATIC);
        secondOperands.set(handle, method);
    }

    public String text(int index) {
        return texts.get(index);
    }

    public void setText(int index, String text) {
        texts.set(index, text);
    }

    /** Returns the internal name of a class constant, with slashes. */
    public String className(int index) {
        return text(firstOperand(index));
    }

    /** Returns the internal name of the class that a field or method constant refers to. */
    public String owner(int index) {
        return className(firstOperand(index));
    }

    public String memberName(int index) {
        return text(firstOperand(secondOperand(index)));
    }

    public String memberDescriptor(int index) {
        return text(secondOperand(secondOperand(index)));
    }

    public int addUtf8(String text) {
        return intern("u" + text, () -> append(UTF8, 0, 0, text));
    }

    int addInteger(int value) {
        return intern("i" + value, () -> append(INTEGER, value, 0, null));
    }

    public int addClass(String name) {
        int nameIndex = addUtf8(name);
        return intern("c" + name, () -> append(CLASS, nameIndex, 0, null));
    }

    public int addMethodRef(String owner, String name, String descriptor) {
        int classIndex = addClass(owner);
        int nameAndTypeIndex = addNameAndType(name, descriptor);
        return intern("m" + owner + "." + name + descriptor,
                () -> append(METHOD_REF, classIndex, nameAndTypeIndex, null));
    }

    /** Adds a reference to a static method of a class or interface, given the index of its class constant. */
    public int addOwnMethodRef(int classIndex, boolean isInterface, String name, String descriptor) {
        int tag = isInterface ? INTERFACE_METHOD_REF : METHOD_REF;
        return append(tag, classIndex, addNameAndType(name, descriptor), null);
    }

    private int addNameAndType(String name, String descriptor) {
        int nameIndex = addUtf8(name);
        int descriptorIndex = addUtf8(descriptor);
        return intern("n" + name + ":" + descriptor, () -> append(NAME_AND_TYPE, nameIndex, descriptorIndex, null));
    }

    private int intern(String key, java.util.function.IntSupplier create) {
        Integer index = addedIndices.get(key);
        if (index == null) {
            index = create.getAsInt();
            addedIndices.put(key, index);
        }
        return index;
    }
}
