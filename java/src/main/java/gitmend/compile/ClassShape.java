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

/** Shape of a class (ABI): everything that the compilation of other classes depends on, without method bodies. */
final class ClassShape {
    private static final int INTERFACE = 0x0200;
    private static final int ANNOTATION = 0x2000;
    private static final int SYNTHETIC = 0x1000;
    private static final int BRIDGE = 0x0040;
    private static final int ENUM = 0x4000;
    /** `synchronized`, `native` and `strictfp` are of the body. */
    private static final int BODY = 0x0020 | 0x0100 | 0x0800;

    /** With `/` between packages. */
    String name;
    String superName;
    List<String> interfaces = new ArrayList<>();
    /** A local class: code outside its method cannot name it. */
    boolean isLocal;
    boolean isInterface;
    boolean isEnum;
    /** Its kind, its supertypes and what else is not a member. */
    final StringBuilder header = new StringBuilder();
    /** Fields by name, methods by name and descriptor, and nested classes; constants have their values. */
    final Map<String, String> members = new TreeMap<>();

    private Object[] pool;

    private ClassShape() {}

    static ClassShape read(byte[] bytes) {
        ClassShape shape = new ClassShape();
        try {
            shape.read(new DataInputStream(new ByteArrayInputStream(bytes)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if ((shape.flags & ANNOTATION) != 0) {
            // Its own annotations and its defaults count too.
            shape.header.append(Arrays.hashCode(bytes)).append(' ').append(bytes.length);
        }
        shape.pool = null;
        return shape;
    }

    private int flags;

    private void read(DataInputStream in) throws IOException {
        in.readInt();
        in.readInt();
        readPool(in);
        flags = in.readUnsignedShort();
        isInterface = (flags & INTERFACE) != 0;
        isEnum = (flags & ENUM) != 0;
        name = text(in.readUnsignedShort());
        superName = text(in.readUnsignedShort());
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            interfaces.add(text(in.readUnsignedShort()));
        }
        header.append(flags).append(superName).append(interfaces);
        members(in, false);
        members(in, true);
        attributes(in, header, false);
    }

    private void members(DataInputStream in, boolean areMethods) throws IOException {
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            int access = in.readUnsignedShort();
            String member = text(in.readUnsignedShort());
            String type = text(in.readUnsignedShort());
            StringBuilder detail = new StringBuilder();
            detail.append(areMethods ? access & ~BODY : access).append(' ').append(type);
            attributes(in, detail, true);
            boolean isHidden = (access & SYNTHETIC) != 0 && !(areMethods && (access & BRIDGE) != 0);
            if (!isHidden && !member.equals("<clinit>")) {
                members.put(areMethods ? member + ' ' + type : member, detail.toString());
            }
        }
    }

    private void attributes(DataInputStream in, StringBuilder to, boolean ofMember) throws IOException {
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            String attribute = text(in.readUnsignedShort());
            byte[] content = new byte[in.readInt()];
            in.readFully(content);
            DataInputStream inside = new DataInputStream(new ByteArrayInputStream(content));
            switch (attribute) {
                case "Signature":
                case "ConstantValue":
                    to.append(' ').append(attribute).append(text(inside.readUnsignedShort()));
                    break;
                case "Exceptions":
                case "PermittedSubclasses":
                    to.append(' ').append(attribute);
                    for (int count = inside.readUnsignedShort(); count > 0; count--) {
                        to.append(text(inside.readUnsignedShort())).append(',');
                    }
                    break;
                case "Record":
                    to.append(" Record");
                    for (int count = inside.readUnsignedShort(); count > 0; count--) {
                        to.append(text(inside.readUnsignedShort())).append(text(inside.readUnsignedShort()));
                        attributes(inside, to, true);
                    }
                    break;
                case "InnerClasses":
                    innerClasses(inside, to);
                    break;
                case "EnclosingMethod":
                    isLocal = !ofMember;
                    break;
                default:
            }
        }
    }

    /** Those that are members are that, and what this class is where it is nested itself. */
    private void innerClasses(DataInputStream in, StringBuilder to) throws IOException {
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            String inner = text(in.readUnsignedShort());
            String outer = text(in.readUnsignedShort());
            String simple = text(in.readUnsignedShort());
            int access = in.readUnsignedShort();
            if (name.equals(inner)) {
                to.append(' ').append(inner).append('/').append(simple).append(access);
            } else if (name.equals(outer)) {
                members.put(simple + " class", String.valueOf(access));
            }
        }
    }

    private void readPool(DataInputStream in) throws IOException {
        pool = new Object[in.readUnsignedShort()];
        for (int i = 1; i < pool.length; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1:
                    pool[i] = in.readUTF();
                    break;
                case 3:
                    pool[i] = "int " + in.readInt();
                    break;
                case 4:
                    pool[i] = "float " + in.readInt();
                    break;
                case 5:
                case 6:
                    // Floating point by its bits: text would confuse the zeros.
                    pool[i++] = "long " + in.readLong();
                    break;
                case 7:
                case 8:
                case 16:
                case 19:
                case 20:
                    pool[i] = in.readUnsignedShort();
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

    private String text(int index) {
        Object entry = pool[index];
        return entry instanceof Integer ? text((Integer) entry) : String.valueOf(entry);
    }
}
