package gitmend.classfile;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Rewriter of a class file. It copies everything; subclasses replace the code of methods, and may add methods and
 * constants.
 */
public abstract class ClassRewriter {
    public static final int SYNCHRONIZED = 0x20;
    public static final int STATIC = 0x8;
    public static final int INTERFACE = 0x200;

    public final ConstantPool constants;
    public final int version;
    /** Name of the class, with slashes. */
    public final String name;
    /** Constant of the class. */
    public final int self;
    protected final int flags;
    private final int minor;
    private final DataInputStream in;
    private final ByteArrayOutputStream rest = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(rest);
    private final ByteArrayOutputStream methodBytes = new ByteArrayOutputStream();
    private final DataOutputStream methods = new DataOutputStream(methodBytes);
    private int methodCount;

    protected ClassRewriter(byte[] original) throws IOException {
        in = new DataInputStream(new ByteArrayInputStream(original));
        in.readInt();
        minor = in.readUnsignedShort();
        version = in.readUnsignedShort();
        constants = new ConstantPool(in);
        flags = in.readUnsignedShort();
        self = in.readUnsignedShort();
        name = constants.className(self);
    }

    /** Returns the new content of the `Code` attribute of a method. */
    protected abstract byte[] code(int access, String method, String type, byte[] content) throws IOException;

    /** Returns the new access flags of a method that has code. */
    protected int access(int access) {
        return access;
    }

    /** Called after the methods are copied; may add methods. */
    protected void addMethods() throws IOException {}

    /** Called before the constants are written; may change texts. */
    protected void renameConstants() {}

    /** Returns the rewritten class file. */
    protected final byte[] rewritten() throws IOException {
        out.writeShort(flags);
        out.writeShort(self);
        copy(2);
        copy(2 * copyShort());
        for (int left = copyShort(); left > 0; left--) {
            copy(6);
            copyAttributes();
        }
        writeMethods();
        copyAttributes();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        DataOutputStream head = new DataOutputStream(all);
        head.writeInt(0xcafebabe);
        head.writeShort(minor);
        head.writeShort(version);
        renameConstants();
        constants.writeTo(head);
        rest.writeTo(head);
        return all.toByteArray();
    }

    private void writeMethods() throws IOException {
        methodCount = in.readUnsignedShort();
        for (int left = methodCount; left > 0; left--) {
            method();
        }
        addMethods();
        out.writeShort(methodCount);
        methodBytes.writeTo(out);
    }

    /** Adds a method with this content of its `Code` attribute. */
    protected final void addMethod(int access, String method, String type, byte[] code) throws IOException {
        methodCount++;
        methods.writeShort(access);
        methods.writeShort(constants.utf8(method));
        methods.writeShort(constants.utf8(type));
        methods.writeShort(1);
        methods.writeShort(constants.utf8("Code"));
        methods.writeInt(code.length);
        methods.write(code);
    }

    private void method() throws IOException {
        int access = in.readUnsignedShort();
        int method = in.readUnsignedShort();
        int type = in.readUnsignedShort();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream to = new DataOutputStream(bytes);
        int count = in.readUnsignedShort();
        to.writeShort(count);
        for (int left = count; left > 0; left--) {
            int attribute = in.readUnsignedShort();
            byte[] content = new byte[in.readInt()];
            in.readFully(content);
            if ("Code".equals(constants.text(attribute))) {
                content = code(access, constants.text(method), constants.text(type), content);
                access = access(access);
            }
            to.writeShort(attribute);
            to.writeInt(content.length);
            to.write(content);
        }
        methods.writeShort(access);
        methods.writeShort(method);
        methods.writeShort(type);
        bytes.writeTo(methods);
    }

    private void copyAttributes() throws IOException {
        for (int left = copyShort(); left > 0; left--) {
            copy(2);
            int length = in.readInt();
            out.writeInt(length);
            copy(length);
        }
    }

    private int copyShort() throws IOException {
        int value = in.readUnsignedShort();
        out.writeShort(value);
        return value;
    }

    private void copy(int length) throws IOException {
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        out.write(bytes);
    }
}
