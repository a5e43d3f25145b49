package gitmend.schedule.weave;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;

/** JDK classes whose methods are each modelled as one access to their object, and the kind of access. */
public final class ModelledMethods {
    private static final Set<String> UNSHARED = new HashSet<>(Arrays.asList(
            "Objects", "Optional", "OptionalInt", "OptionalLong", "OptionalDouble", "UUID", "Locale", "Currency",
            "Comparator", "Arrays", "Collections", "Base64", "StringJoiner", "ServiceLoader", "ResourceBundle",
            "EventObject", "Formatter", "Scanner", "TimeZone"));
    private static final String[] READS = {"get", "contains", "size", "isEmpty", "iterator", "hasNext", "next", "peek",
        "first", "last", "element", "to", "indexOf", "lastIndexOf", "equals", "hashCode", "keySet", "values",
        "entrySet", "stream", "parallelStream", "forEach", "listIterator", "subList", "headMap", "tailMap", "charAt", "length",
        "nextElement", "hasMoreElements", "ceiling", "floor", "higher", "lower", "isDone", "is", "await", "join"};
    private static final Map<Class<?>, Field[]> ROOT_FIELDS = new IdentityHashMap<>();
    private static final Field[] NONE = new Field[0];

    private ModelledMethods() {}

    /** Returns true if a class is a copied one of `java.util.concurrent.locks`, or extends it. */
    public static boolean isLock(Class<?> type) {
        Class<?> ancestor = type;
        while (ancestor != null && !ancestor.getName().startsWith("gitmend.copy.concurrent.locks.")) {
            ancestor = ancestor.getSuperclass();
        }
        return ancestor != null;
    }

    /** Returns true if methods of a class, with slashes in its name, are modelled at their calls. */
    public static boolean isModelled(String name) {
        if (name.startsWith("java/util/")) {
            String simpleName = name.substring("java/util/".length());
            if (simpleName.indexOf('/') >= 0) {
                return simpleName.startsWith("concurrent/") && !simpleName.endsWith("Exception")
                        && !simpleName.equals("concurrent/TimeUnit");
            }
            return !UNSHARED.contains(simpleName) && !simpleName.endsWith("Exception");
        }
        return name.equals("java/lang/StringBuffer") || name.equals("java/lang/StringBuilder")
                || name.startsWith("java/text/") && name.endsWith("Format");
    }

    /** Returns true for print streams: a print is a step if the order of output matters. */
    public static boolean isPrintStream(String name) {
        return name.equals("java/io/PrintStream");
    }

    /** Returns true if its methods access variables that cannot be determined here. */
    static boolean isOpaque(String name) {
        return name.equals("java/lang/invoke/VarHandle") || name.endsWith("FieldUpdater");
    }

    static boolean isRead(String method) {
        String simpleName = method.substring(method.lastIndexOf('.') + 1);
        if (simpleName.startsWith("getAnd")) {
            return false;
        }
        for (String read : READS) {
            if (simpleName.startsWith(read)) {
                return true;
            }
        }
        return false;
    }

    /** Returns true if a JDK object is thread-safe because it locks itself. */
    public static boolean isThreadSafe(Object object) {
        String name = object.getClass().getName();
        return object instanceof Vector || object instanceof Hashtable || object instanceof StringBuffer
                || name.startsWith("java.util.Collections$Synchronized")
                || object instanceof java.io.PrintStream
                || object instanceof java.util.Observable || object instanceof java.util.Random
                // These classes are thread-safe.
                || name.startsWith("java.util.concurrent.");
    }

    /** Returns the collection that an iterator, a view or a wrapper accesses. */
    public static Object findRoot(Object object) {
        Object root = object;
        for (int depth = 0; depth < 5; depth++) {
            Object next = null;
            for (Field field : rootFields(root.getClass())) {
                try {
                    next = field.get(root);
                } catch (IllegalAccessException e) {
                    return root;
                }
            }
            if (next == null) {
                return root;
            }
            root = next;
        }
        return root;
    }

    /** Returns the object whose monitor a wrapper locks. */
    public static Object findMutex(Object object) {
        if (object.getClass().getName().startsWith("java.util.Collections$Synchronized")) {
            for (Class<?> declaring = object.getClass(); declaring != null; declaring = declaring.getSuperclass()) {
                try {
                    Field field = declaring.getDeclaredField("mutex");
                    field.setAccessible(true);
                    return field.get(object);
                } catch (ReflectiveOperationException | RuntimeException e) {
                    // A superclass declares it, or it is inaccessible.
                }
            }
        }
        return object;
    }

    /**
     * Returns true if reads may modify an object: the position of an iterator, the order of a map, the fields of a
     * calendar.
     */
    public static boolean canReadsMutate(Object object) {
        return object instanceof Enumeration || object instanceof Iterator
                || object instanceof LinkedHashMap || object instanceof Calendar;
    }

    /** Returns true if the object may be a view of an unknown collection. */
    public static boolean canBeView(Object object, Object root) {
        return root == object && object.getClass().getName().indexOf('$') > 0;
    }

    private static synchronized Field[] rootFields(Class<?> type) {
        Field[] cached = ROOT_FIELDS.get(type);
        if (cached == null) {
            cached = findRootFields(type);
            ROOT_FIELDS.put(type, cached);
        }
        return cached;
    }

    private static Field[] findRootFields(Class<?> type) {
        if (!type.getName().startsWith("java.util.")) {
            return NONE;
        }
        boolean isWrapper = type.getName().startsWith("java.util.Collections$");
        for (Class<?> one = type; one != null && one != Object.class; one = one.getSuperclass()) {
            for (Field field : one.getDeclaredFields()) {
                String name = field.getName();
                boolean isRoot = name.equals("this$0")
                        || isWrapper && (name.equals("c") || name.equals("m") || name.equals("list"));
                if (isRoot && !Modifier.isStatic(field.getModifiers())) {
                    try {
                        field.setAccessible(true);
                        return new Field[] {field};
                    } catch (RuntimeException e) {
                        return NONE;
                    }
                }
            }
        }
        return NONE;
    }
}
