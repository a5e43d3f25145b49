package gitmend.schedule.weave;

import gitmend.classfile.ConstantPool;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Class hierarchy as read from class files: supertypes, methods and fields. */
final class ClassHierarchy {
    private static final int VOLATILE = 0x40;
    private static final int FINAL = 0x10;
    private static final int SYNTHETIC = 0x1000;
    private static final Shape NONE = new Shape();

    /** Where class files are found. */
    interface Files {
        /** Null if there is none of this name, which has slashes. */
        byte[] find(String name);
    }

    private static final class Shape {
        String parent;
        final Map<String, Integer> fields = new HashMap<>();
        final Map<String, Integer> methods = new HashMap<>();
    }

    private final Files files;
    private final Map<String, Shape> shapes = new HashMap<>();

    ClassHierarchy(Files files) {
        this.files = files;
    }

    boolean isThread(String name) {
        return extendsClass(name, "java/lang/Thread");
    }

    boolean extendsClass(String name, String parent) {
        for (String one = name; one != null; one = shape(one).parent) {
            if (one.equals(parent)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a class that is not the JDK's extends one whose methods are seen where they are called. */
    boolean extendsWatched(String name) {
        if (ModelledMethods.isWatched(name)) {
            return false;
        }
        String one = name;
        while (one != null && !ModelledMethods.isWatched(one)) {
            one = shape(one).parent;
        }
        return one != null;
    }

    /** Whether a class that is not the JDK's has a method of its own, itself or through a superclass. */
    boolean overrides(String name, String method) {
        for (String one = name; one != null && !one.startsWith("java/"); one = shape(one).parent) {
            if (shape(one).methods.containsKey(method)) {
                return true;
            }
        }
        return false;
    }

    /** Whether nothing but its identity makes up an object's hash code. */
    boolean hasPlainHash(String name) {
        for (String one = name; one != null && !one.equals("java/lang/Object"); one = shape(one).parent) {
            if (shape(one) == NONE || shape(one).methods.containsKey("hashCode()I")) {
                return false;
            }
        }
        return true;
    }

    /** The class that declares a field, or the one that was named if none is found to. */
    String declaring(String owner, String field) {
        for (String one = owner; one != null; one = shape(one).parent) {
            if (shape(one).fields.containsKey(field)) {
                return one;
            }
        }
        return owner;
    }

    /** Whether a field never changes once others see it: it is final, or the compiler's own. */
    boolean isConstant(String declaring, String field) {
        Integer flags = shape(declaring).fields.get(field);
        return flags != null && (flags & (FINAL | SYNTHETIC)) != 0;
    }

    boolean isVolatile(String declaring, String field) {
        Integer flags = shape(declaring).fields.get(field);
        return flags != null && (flags & VOLATILE) != 0;
    }

    private Shape shape(String name) {
        Shape known = shapes.get(name);
        if (known == null) {
            byte[] bytes = files.find(name);
            try {
                known = bytes == null ? NONE : read(bytes);
            } catch (IOException | RuntimeException e) {
                known = NONE;
            }
            shapes.put(name, known);
        }
        return known;
    }

    private static Shape read(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        in.readLong();
        ConstantPool constants = new ConstantPool(in);
        in.readUnsignedShort();
        in.readUnsignedShort();
        Shape shape = new Shape();
        int parent = in.readUnsignedShort();
        shape.parent = parent == 0 ? null : constants.className(parent);
        in.skipBytes(2 * in.readUnsignedShort());
        members(in, constants, shape.fields, false);
        members(in, constants, shape.methods, true);
        return shape;
    }

    private static void members(DataInputStream in, ConstantPool constants, Map<String, Integer> to, boolean areMethods)
            throws IOException {
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            int flags = in.readUnsignedShort();
            String name = constants.text(in.readUnsignedShort());
            String type = constants.text(in.readUnsignedShort());
            to.put(areMethods ? name + type : name, flags);
            for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
                in.readUnsignedShort();
                in.skipBytes(in.readInt());
            }
        }
    }
}
