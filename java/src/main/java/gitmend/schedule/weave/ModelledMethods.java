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
        "entrySet", "stream", "forEach", "listIterator", "subList", "headMap", "tailMap", "charAt", "length",
        "nextElement", "hasMoreElements", "ceiling", "floor", "higher", "lower", "isDone", "is", "await", "join"};
    private static final Map<Class<?>, Field[]> INNER = new IdentityHashMap<>();
    private static final Field[] NONE = new Field[0];

    private ModelledMethods() {}

    /** Whether the methods of a class, with slashes in its name, are seen where the project calls them. */
    public static boolean isWatched(String name) {
        if (name.startsWith("java/util/")) {
            String own = name.substring("java/util/".length());
            if (own.indexOf('/') >= 0) {
                return own.startsWith("concurrent/") && !own.endsWith("Exception")
                        && !own.equals("concurrent/TimeUnit");
            }
            return !UNSHARED.contains(own) && !own.endsWith("Exception");
        }
        return name.equals("java/lang/StringBuffer") || name.equals("java/lang/StringBuilder")
                || name.startsWith("java/text/") && name.endsWith("Format");
    }

    /** Returns true for print streams: a print is a step if the order of output matters. */
    public static boolean isStream(String name) {
        return name.equals("java/io/PrintStream");
    }

    /** Returns true if its methods access variables that cannot be determined here. */
    static boolean isOpaque(String name) {
        return name.equals("java/lang/invoke/VarHandle") || name.endsWith("FieldUpdater");
    }

    static boolean isRead(String method) {
        String own = method.substring(method.lastIndexOf('.') + 1);
        if (own.startsWith("getAnd")) {
            return false;
        }
        for (String read : READS) {
            if (own.startsWith(read)) {
                return true;
            }
        }
        return false;
    }

    /** Whether several threads may call an object of the JDK, as it guards itself. */
    public static boolean isGuarded(Object object) {
        String name = object.getClass().getName();
        return object instanceof Vector || object instanceof Hashtable || object instanceof StringBuffer
                || name.startsWith("java.util.Collections$Synchronized")
                || object instanceof java.io.PrintStream
                || object instanceof java.util.Observable || object instanceof java.util.Random
                // What the JDK makes by itself, for several threads too.
                || name.startsWith("java.util.concurrent.");
    }

    /** What an iterator, a view or a wrapper is about. */
    public static Object root(Object object) {
        Object root = object;
        for (int depth = 0; depth < 5; depth++) {
            Object next = null;
            for (Field field : inner(root.getClass())) {
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

    /** The object whose monitor a wrapper takes. */
    public static Object mutex(Object object) {
        if (object.getClass().getName().startsWith("java.util.Collections$Synchronized")) {
            for (Class<?> one = object.getClass(); one != null; one = one.getSuperclass()) {
                try {
                    Field field = one.getDeclaredField("mutex");
                    field.setAccessible(true);
                    return field.get(object);
                } catch (ReflectiveOperationException | RuntimeException e) {
                    // It is declared further up, or is not accessible.
                }
            }
        }
        return object;
    }

    /** Whether asking may change an object: where an iterator is, the order of a map, the fields of a calendar. */
    public static boolean mayChangeWhenAsked(Object object) {
        return object instanceof Enumeration || object instanceof Iterator
                || object instanceof LinkedHashMap || object instanceof Calendar;
    }

    /** Whether what a call changes may be part of another object, which one is not known. */
    public static boolean isView(Object object, Object root) {
        return root == object && object.getClass().getName().indexOf('$') > 0;
    }

    private static synchronized Field[] inner(Class<?> type) {
        Field[] known = INNER.get(type);
        if (known == null) {
            known = find(type);
            INNER.put(type, known);
        }
        return known;
    }

    private static Field[] find(Class<?> type) {
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
