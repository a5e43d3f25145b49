package gitmend.compile;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Shape of a class (ABI): the parts that the compilation of other classes depends on, without method bodies. */
final class ClassShape {
    private static final int INTERFACE = 0x0200;
    private static final int ANNOTATION = 0x2000;
    private static final int SYNTHETIC = 0x1000;
    private static final int BRIDGE = 0x0040;
    private static final int ENUM = 0x4000;
    /** Flags that concern only the method body: `synchronized`, `native` and `strictfp`. */
    private static final int BODY_FLAGS = 0x0020 | 0x0100 | 0x0800;

    /** Internal name, with slashes. */
    String name;
    String superName;
    List<String> interfaces = new ArrayList<>();
    /** True for a local or anonymous class, which code outside its method cannot name. */
    boolean isLocal;
    boolean isInterface;
    boolean isEnum;
    /** Flags, supertypes and attributes of the class, as text. */
    final StringBuilder header = new StringBuilder();
    /** Members as text: fields by name, methods by name and descriptor, nested classes. Constants have values. */
    final Map<String, String> members = new TreeMap<>();

    private int flags;
    private Object[] constantPool;

    private ClassShape() {}

    static ClassShape read(byte[] bytes) {
        ClassShape shape = new ClassShape();
        try {
            shape.read(new DataInputStream(new ByteArrayInputStream(bytes)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if ((shape.flags & ANNOTATION) != 0) {
            // Meta-annotations and defaults of elements are part of the interface, so all bytes count.
            shape.header.append(Arrays.hashCode(bytes)).append(' ').append(bytes.length);
        }
        shape.constantPool = null;
        return shape;
    }

    private void read(DataInputStream in) throws IOException {
        in.readInt();
        in.readInt();
        readConstantPool(in);
        flags = in.readUnsignedShort();
        isInterface = (flags & INTERFACE) != 0;
        isEnum = (flags & ENUM) != 0;
        name = resolveText(in.readUnsignedShort());
        superName = resolveText(in.readUnsignedShort());
        for (int remaining = in.readUnsignedShort(); remaining > 0; remaining--) {
            interfaces.add(resolveText(in.readUnsignedShort()));
        }
        header.append(flags).append(superName).append(interfaces);
        readMembers(in, false);
        readMembers(in, true);
        readAttributes(in, header, false);
    }

    private void readMembers(DataInputStream in, boolean areMethods) throws IOException {
        for (int remaining = in.readUnsignedShort(); remaining > 0; remaining--) {
            int access = in.readUnsignedShort();
            String member = resolveText(in.readUnsignedShort());
            String descriptor = resolveText(in.readUnsignedShort());
            StringBuilder detail = new StringBuilder();
            detail.append(areMethods ? access & ~BODY_FLAGS : access).append(' ').append(descriptor);
            readAttributes(in, detail, true);
            boolean isHidden = (access & SYNTHETIC) != 0 && !(areMethods && (access & BRIDGE) != 0);
            if (!isHidden && !member.equals("<clinit>")) {
                members.put(areMethods ? member + ' ' + descriptor : member, detail.toString());
            }
        }
    }

    private void readAttributes(DataInputStream in, StringBuilder out, boolean isMember) throws IOException {
        for (int remaining = in.readUnsignedShort(); remaining > 0; remaining--) {
            String attribute = resolveText(in.readUnsignedShort());
            byte[] content = new byte[in.readInt()];
            in.readFully(content);
            DataInputStream contentIn = new DataInputStream(new ByteArrayInputStream(content));
            switch (attribute) {
                case "Signature":
                case "ConstantValue":
                    out.append(' ').append(attribute).append(resolveText(contentIn.readUnsignedShort()));
                    break;
                case "Exceptions":
                case "PermittedSubclasses":
                    out.append(' ').append(attribute);
                    for (int count = contentIn.readUnsignedShort(); count > 0; count--) {
                        out.append(resolveText(contentIn.readUnsignedShort())).append(',');
                    }
                    break;
                case "Record":
                    out.append(" Record");
                    for (int count = contentIn.readUnsignedShort(); count > 0; count--) {
                        out.append(resolveText(contentIn.readUnsignedShort()))
                                .append(resolveText(contentIn.readUnsignedShort()));
                        readAttributes(contentIn, out, true);
                    }
                    break;
                case "InnerClasses":
                    readInnerClasses(contentIn, out);
                    break;
                case "EnclosingMethod":
                    isLocal = !isMember;
                    break;
                default:
            }
        }
    }

    /** Adds nested classes to the members, and the flags of this class, if it is nested, to the header. */
    private void readInnerClasses(DataInputStream in, StringBuilder out) throws IOException {
        for (int remaining = in.readUnsignedShort(); remaining > 0; remaining--) {
            String inner = resolveText(in.readUnsignedShort());
            String outer = resolveText(in.readUnsignedShort());
            String simpleName = resolveText(in.readUnsignedShort());
            int access = in.readUnsignedShort();
            if (name.equals(inner)) {
                out.append(' ').append(inner).append('/').append(simpleName).append(access);
            } else if (name.equals(outer)) {
                members.put(simpleName + " class", String.valueOf(access));
            }
        }
    }

    private void readConstantPool(DataInputStream in) throws IOException {
        constantPool = new Object[in.readUnsignedShort()];
        for (int i = 1; i < constantPool.length; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1:
                    constantPool[i] = in.readUTF();
                    break;
                case 3:
                    constantPool[i] = "int " + in.readInt();
                    break;
                case 4:
                    constantPool[i] = "float " + in.readInt();
                    break;
                case 5:
                case 6:
                    // Bits instead of text distinguish the two zeros of `double`.
                    constantPool[i++] = "long " + in.readLong();
                    break;
                case 7:
                case 8:
                case 16:
                case 19:
                case 20:
                    constantPool[i] = in.readUnsignedShort();
                    break;
                case 15:
                    in.readUnsignedByte();
                    in.readUnsignedShort();
                    break;
                default:
                    in.readInt();
            }
        }
    }

    private String resolveText(int index) {
        Object entry = constantPool[index];
        return entry instanceof Integer ? resolveText((Integer) entry) : String.valueOf(entry);
    }
}
