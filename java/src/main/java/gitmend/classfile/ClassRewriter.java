package gitmend.classfile;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Rewriter of a class file. It copies all parts; subclasses replace the code of methods, and may add methods and
 * constants.
 */
public abstract class ClassRewriter {
    public static final int SYNCHRONIZED = 0x20;
    public static final int STATIC = 0x8;
    public static final int INTERFACE = 0x200;

    public final ConstantPool constants;
    public final int majorVersion;
    /** Internal name of the class, with slashes. */
    public final String name;
    /** Index of the class's own constant (`this_class` in the JVM specification). */
    public final int thisClass;
    protected final int flags;
    private final int minorVersion;
    private final DataInputStream in;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(body);
    private final ByteArrayOutputStream methodBytes = new ByteArrayOutputStream();
    private final DataOutputStream methods = new DataOutputStream(methodBytes);
    private int methodCount;

    protected ClassRewriter(byte[] original) throws IOException {
        in = new DataInputStream(new ByteArrayInputStream(original));
        in.readInt();
        minorVersion = in.readUnsignedShort();
        majorVersion = in.readUnsignedShort();
        constants = new ConstantPool(in);
        flags = in.readUnsignedShort();
        thisClass = in.readUnsignedShort();
        name = constants.className(thisClass);
    }

    /** Returns the new content of the `Code` attribute of a method. */
    protected abstract byte[] rewriteCode(int access, String method, String descriptor, byte[] content)
            throws IOException;

    /** Returns the new access flags of a method that has code. */
    protected int rewriteAccess(int access) {
        return access;
    }

    /** Adds methods, after those of the class are copied. */
    protected void addMethods() throws IOException {}

    /** Changes texts of constants, before the constant pool is written. */
    protected void renameConstants() {}

    /** Returns the rewritten class file. */
    protected final byte[] rewrite() throws IOException {
        out.writeShort(flags);
        out.writeShort(thisClass);
        copyBytes(2);
        copyBytes(2 * copyShort());
        for (int remaining = copyShort(); remaining > 0; remaining--) {
            copyBytes(6);
            copyAttributes();
        }
        writeMethods();
        copyAttributes();
        ByteArrayOutputStream classFile = new ByteArrayOutputStream();
        DataOutputStream header = new DataOutputStream(classFile);
        header.writeInt(0xcafebabe);
        header.writeShort(minorVersion);
        header.writeShort(majorVersion);
        renameConstants();
        constants.writeTo(header);
        body.writeTo(header);
        return classFile.toByteArray();
    }

    private void writeMethods() throws IOException {
        methodCount = in.readUnsignedShort();
        for (int remaining = methodCount; remaining > 0; remaining--) {
            copyMethod();
        }
        addMethods();
        out.writeShort(methodCount);
        methodBytes.writeTo(out);
    }

    /** Adds a method; `code` is the content of its `Code` attribute. */
    protected final void addMethod(int access, String method, String descriptor, byte[] code) throws IOException {
        methodCount++;
        methods.writeShort(access);
        methods.writeShort(constants.addUtf8(method));
        methods.writeShort(constants.addUtf8(descriptor));
        methods.writeShort(1);
        methods.writeShort(constants.addUtf8("Code"));
        methods.writeInt(code.length);
        methods.write(code);
    }

    private void copyMethod() throws IOException {
        int access = in.readUnsignedShort();
        int method = in.readUnsignedShort();
        int descriptor = in.readUnsignedShort();
        ByteArrayOutputStream attributeBytes = new ByteArrayOutputStream();
        DataOutputStream attributesOut = new DataOutputStream(attributeBytes);
        int attributeCount = in.readUnsignedShort();
        attributesOut.writeShort(attributeCount);
        for (int remaining = attributeCount; remaining > 0; remaining--) {
            int attribute = in.readUnsignedShort();
            byte[] content = new byte[in.readInt()];
            in.readFully(content);
            if ("Code".equals(constants.text(attribute))) {
                content = rewriteCode(access, constants.text(method), constants.text(descriptor), content);
                access = rewriteAccess(access);
            }
            attributesOut.writeShort(attribute);
            attributesOut.writeInt(content.length);
            attributesOut.write(content);
        }
        methods.writeShort(access);
        methods.writeShort(method);
        methods.writeShort(descriptor);
        attributeBytes.writeTo(methods);
    }

    private void copyAttributes() throws IOException {
        for (int remaining = copyShort(); remaining > 0; remaining--) {
            copyBytes(2);
            int length = in.readInt();
            out.writeInt(length);
            copyBytes(length);
        }
    }

    private int copyShort() throws IOException {
        int value = in.readUnsignedShort();
        out.writeShort(value);
        return value;
    }

    private void copyBytes(int length) throws IOException {
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        out.write(bytes);
    }
}
