package gitmend.probe;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;

/** Writes down what generated tests see. It lives in a copy of the project, for one run. */
public final class Trace {
    private static final OutputStream OUT = open();
    /** So deep an object is looked into. */
    private static final int DEPTH = 4;
    /** So many elements of one are. */
    private static final int MOST = 50;
    /** So much is written of one value. */
    private static final int LONGEST = 2000;

    /** Promises that the test broke. */
    private static final BitSet BROKEN = new BitSet();

    private Trace() {}

    private static OutputStream open() {
        try {
            return new FileOutputStream(@OUTPUT@);
        } catch (IOException e) {
            return null;
        }
    }

    /** A test begins. */
    public static synchronized void begin(int number) {
        BROKEN.clear();
        write("T " + number);
    }

    /** A promise is broken: the first time it is written down. */
    public static synchronized void broken(int promise) {
        if (!BROKEN.get(promise)) {
            BROKEN.set(promise);
            write("P " + promise);
        }
    }

    /** A test sees values. */
    public static void saw(Object... values) {
        for (Object value : values) {
            write("W " + told(value, DEPTH));
        }
    }

    /** A test ends by what was thrown. */
    public static void threw(Throwable thrown) {
        write("X " + thrown.getClass().getName() + " " + plain(String.valueOf(thrown.getMessage())));
    }

    /** A further call ends by what was thrown, and the test goes on. */
    public static void caught(Throwable thrown) {
        write("C " + thrown.getClass().getName() + " " + plain(String.valueOf(thrown.getMessage())));
    }

    /** A test came to its end. */
    public static void end() {
        write("E ");
    }

    /** Nothing of the project is called: that might not come back, or change something. */
    private static String told(Object value, int depth) {
        if (value == null || value instanceof Boolean || value instanceof Number || value instanceof Character) {
            return String.valueOf(value);
        } else if (value instanceof String) {
            return '"' + (String) value + '"';
        } else if (value instanceof Enum) {
            return ((Enum<?>) value).name();
        } else if (value instanceof Class) {
            return ((Class<?>) value).getName();
        } else if (value instanceof Throwable) {
            return value.getClass().getName() + ((Throwable) value).getMessage();
        } else if (depth == 0) {
            return value.getClass().getName();
        } else if (value.getClass().isArray()) {
            List<String> parts = new ArrayList<String>();
            for (int i = 0; i < Array.getLength(value) && i < MOST; i++) {
                parts.add(told(Array.get(value, i), depth - 1));
            }
            return Array.getLength(value) + parts.toString();
        }
        String name = value.getClass().getName();
        if (name.startsWith("java.util.") && value instanceof Collection) {
            return elements((Collection<?>) value, depth);
        } else if (name.startsWith("java.util.") && value instanceof Map) {
            return entries((Map<?, ?>) value, depth);
        } else if (name.startsWith("java.") || name.startsWith("javax.") || name.startsWith("jdk.")) {
            return String.valueOf(value);
        }
        return fields(value, depth);
    }

    private static String elements(Collection<?> values, int depth) {
        List<String> parts = new ArrayList<String>();
        for (Object value : values) {
            if (parts.size() < MOST) {
                parts.add(told(value, depth - 1));
            }
        }
        if (values instanceof Set && !(values instanceof SortedSet)) {
            Collections.sort(parts);
        }
        return values.size() + parts.toString();
    }

    private static String entries(Map<?, ?> map, int depth) {
        List<String> parts = new ArrayList<String>();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            if (parts.size() < MOST) {
                parts.add(told(entry.getKey(), depth - 1) + "=" + told(entry.getValue(), depth - 1));
            }
        }
        if (!(map instanceof SortedMap)) {
            Collections.sort(parts);
        }
        return map.size() + parts.toString();
    }

    private static String fields(Object value, int depth) {
        StringBuilder text = new StringBuilder(value.getClass().getName()).append('{');
        for (Class<?> type = value.getClass(); type != null && type != Object.class; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) || field.isSynthetic()) {
                    continue;
                }
                try {
                    field.setAccessible(true);
                    text.append(field.getName()).append('=').append(told(field.get(value), depth - 1)).append(';');
                } catch (Exception e) {
                    // What cannot be read makes no difference.
                }
            }
        }
        return text.append('}').toString();
    }

    /** In one line, and without what is another in each run. */
    private static String plain(String text) {
        String line = text.replaceAll("@[0-9a-f]{4,}", "@").replaceAll("[\\r\\n]+", " ");
        return line.length() > LONGEST ? line.substring(0, LONGEST) + line.hashCode() : line;
    }

    private static synchronized void write(String line) {
        try {
            if (OUT != null) {
                OUT.write((plain(line) + "\n").getBytes("UTF-8"));
            }
        } catch (IOException e) {
            // What is not written down was not seen.
        }
    }
}
