package gitmend.schedule.weave;

import gitmend.classfile.ConstantPool;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Class hierarchy as read from class files: supertypes, methods and fields. */
final class ClassHierarchy {
    private static final int VOLATILE = 0x40;
    private static final int FINAL = 0x10;
    private static final int SYNTHETIC = 0x1000;
    private static final Shape NONE = new Shape();
    private static final String JDK_LOCKS = "java/util/concurrent/locks/";
    /** Prefixes of the names of methods that acquire and release a lock. */
    private static final String[][] ACQUIRE_AND_RELEASE = {{"lock", "unlock"}, {"acquire", "release"}};

    /** Source of class files. */
    interface Files {
        /** Returns the class file of this name, which has slashes, or null. */
        byte[] find(String name);
    }

    private static final class Shape {
        String parent;
        final List<String> interfaces = new ArrayList<>();
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
        for (String ancestor = name; ancestor != null; ancestor = shapeOf(ancestor).parent) {
            if (ancestor.equals(parent)) {
                return true;
            }
        }
        return false;
    }

    /** Returns true if a class extends a modelled JDK class. */
    boolean extendsModelled(String name) {
        if (ModelledMethods.isModelled(name)) {
            return false;
        }
        String ancestor = name;
        while (ancestor != null && !ModelledMethods.isModelled(ancestor)) {
            ancestor = shapeOf(ancestor).parent;
        }
        return ancestor != null;
    }

    /** Returns true if a class or a superclass outside the JDK declares the method. */
    boolean overrides(String name, String method) {
        for (String one = name; one != null && !one.startsWith("java/"); one = shapeOf(one).parent) {
            if (shapeOf(one).methods.containsKey(method)) {
                return true;
            }
        }
        return false;
    }

    /** Returns true if no class overrides `hashCode`, so that objects have identity hash codes. */
    boolean hasPlainHash(String name) {
        for (String one = name; one != null && !one.equals("java/lang/Object"); one = shapeOf(one).parent) {
            if (shapeOf(one) == NONE || shapeOf(one).methods.containsKey("hashCode()I")) {
                return false;
            }
        }
        return true;
    }

    /** Returns the class that declares a field, or the named one if none does. */
    String findDeclaringClass(String owner, String field) {
        for (String ancestor = owner; ancestor != null; ancestor = shapeOf(ancestor).parent) {
            if (shapeOf(ancestor).fields.containsKey(field)) {
                return ancestor;
            }
        }
        return owner;
    }

    /** Returns true if a field never changes once other threads see it: it is final or synthetic. */
    boolean isConstant(String declaring, String field) {
        Integer flags = shapeOf(declaring).fields.get(field);
        return flags != null && (flags & (FINAL | SYNTHETIC)) != 0;
    }

    boolean isVolatile(String declaring, String field) {
        Integer flags = shapeOf(declaring).fields.get(field);
        return flags != null && (flags & VOLATILE) != 0;
    }

    /**
     * Returns true if objects of a class behave as locks: it extends or implements a class of
     * `java.util.concurrent.locks`, or has a method that acquires and one that releases.
     */
    boolean isLock(String name) {
        for (String one = name; one != null && !one.equals("java/lang/Object"); one = shapeOf(one).parent) {
            if (one.startsWith(JDK_LOCKS) || shapeOf(one).interfaces.stream().anyMatch(this::isLock)
                    || hasAcquireAndRelease(shapeOf(one))) {
                return true;
            }
        }
        return false;
    }

    /** Returns true if a method of a project class acquires a lock, and another one releases it. */
    boolean isAcquisition(String name, String method) {
        return isHalfOfPair(name, method, 0);
    }

    /** Returns true if a method of a project class releases a lock that another one acquires. */
    boolean isRelease(String name, String method) {
        return isHalfOfPair(name, method, 1);
    }

    /** Returns true if a method or its partner is declared in a class that behaves as a lock by itself. */
    private boolean isHalfOfPair(String name, String method, int half) {
        for (String one = name; one != null && !one.startsWith("java/"); one = shapeOf(one).parent) {
            Shape shape = shapeOf(one);
            for (String[] pair : ACQUIRE_AND_RELEASE) {
                String suffix = method.startsWith(pair[half]) ? method.substring(pair[half].length()) : null;
                String released = suffix == null ? null : suffix.substring(0, suffix.length() - 1) + "V";
                boolean isAcquired = suffix != null && (shape.methods.containsKey(pair[0] + released)
                        || shape.methods.containsKey(pair[0] + released.replace(")V", ")Z")));
                boolean isPlain = suffix != null && (suffix.endsWith("()V") || half == 0 && suffix.endsWith("()Z"));
                if (isPlain && isAcquired && shape.methods.containsKey(pair[1] + released)) {
                    return !extendsJdkLock(name);
                }
            }
        }
        return false;
    }

    private boolean extendsJdkLock(String name) {
        for (String one = name; one != null; one = shapeOf(one).parent) {
            if (one.startsWith(JDK_LOCKS)) {
                return true;
            }
        }
        return false;
    }

    /** Returns true if a class has a pair such as `acquireRead` and `releaseRead` that passes no object on. */
    private static boolean hasAcquireAndRelease(Shape shape) {
        for (String method : shape.methods.keySet()) {
            for (String[] pair : ACQUIRE_AND_RELEASE) {
                String released = method.startsWith(pair[0]) ? pair[1] + method.substring(pair[0].length()) : null;
                boolean isPlain = method.endsWith("()V") || method.endsWith("()Z");
                if (released != null && isPlain && shape.methods.containsKey(
                        released.substring(0, released.length() - 1) + "V")) {
                    return true;
                }
            }
        }
        return false;
    }

    private Shape shapeOf(String name) {
        Shape shape = shapes.get(name);
        if (shape == null) {
            byte[] bytes = files.find(name);
            try {
                shape = bytes == null ? NONE : parse(bytes);
            } catch (IOException | RuntimeException e) {
                shape = NONE;
            }
            shapes.put(name, shape);
        }
        return shape;
    }

    private static Shape parse(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        in.readLong();
        ConstantPool constants = new ConstantPool(in);
        in.readUnsignedShort();
        in.readUnsignedShort();
        Shape shape = new Shape();
        int parent = in.readUnsignedShort();
        shape.parent = parent == 0 ? null : constants.className(parent);
        for (int remaining = in.readUnsignedShort(); remaining > 0; remaining--) {
            shape.interfaces.add(constants.className(in.readUnsignedShort()));
        }
        readMembers(in, constants, shape.fields, false);
        readMembers(in, constants, shape.methods, true);
        return shape;
    }

    private static void readMembers(DataInputStream in, ConstantPool constants, Map<String, Integer> members,
            boolean areMethods) throws IOException {
        for (int remaining = in.readUnsignedShort(); remaining > 0; remaining--) {
            int flags = in.readUnsignedShort();
            String name = constants.text(in.readUnsignedShort());
            String descriptor = constants.text(in.readUnsignedShort());
            members.put(areMethods ? name + descriptor : name, flags);
            for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
                in.readUnsignedShort();
                in.skipBytes(in.readInt());
            }
        }
    }
}
