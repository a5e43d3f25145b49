package gitmend.probe;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * Describes values as text. It calls no code of the project, which might hang or have side effects. It lives in a copy
 * of the project, for one run.
 */
final class ValueSerializer {
    /** Depth limit and element limit for a value that a test observes. */
    private static final int SEEN_DEEP = 4;
    private static final int SEEN_WIDE = 50;
    /** Depth limit, element limit and text limit for a state. */
    private static final int STATE_DEEP = 100;
    private static final int STATE_WIDE = 1000;
    private static final int STATE_LONG = 10000;

    private final int deepest;
    private final int widest;
    /** True if all fields count as state, including those that the compiler adds. */
    private final boolean isState;
    /** The objects on the path to the current value. */
    private final List<Object> around = new ArrayList<Object>();
    private int left;
    private boolean isWhole = true;

    private ValueSerializer(int deepest, int widest, int longest, boolean isState) {
        this.deepest = deepest;
        this.widest = widest;
        this.left = longest;
        this.isState = isState;
    }

    /** Describes a value as a test observes it. */
    static String seen(Object value) {
        return new ValueSerializer(SEEN_DEEP, SEEN_WIDE, Integer.MAX_VALUE, false).of(value);
    }

    /** Describes the state of some values; null if it is too large or cannot be read. */
    static String state(Object... values) {
        ValueSerializer told = new ValueSerializer(STATE_DEEP, STATE_WIDE, STATE_LONG, true);
        StringBuilder text = new StringBuilder();
        for (Object value : values) {
            text.append(told.of(value)).append('\n');
        }
        return told.isWhole ? withoutAddresses(text.toString()) : null;
    }

    /** Without what is another in each run. */
    static String withoutAddresses(String text) {
        return text.replaceAll("@[0-9a-f]{4,}", "@");
    }

    private String of(Object value) {
        if (left < 0) {
            isWhole = false;
            return "";
        } else if (value == null || isPlain(value)) {
            String text = plain(value);
            left -= text.length();
            return text;
        } else if (around.size() == deepest) {
            isWhole = false;
            return value.getClass().getName();
        }
        for (int i = around.size() - 1; isState && i >= 0; i--) {
            if (around.get(i) == value) {
                return "^" + (around.size() - i);
            }
        }
        around.add(value);
        String text = parts(value);
        around.remove(around.size() - 1);
        return text;
    }

    private static boolean isPlain(Object value) {
        return value instanceof Boolean || value instanceof Number || value instanceof Character
            || value instanceof String || value instanceof Enum || value instanceof Class
            || value instanceof Throwable;
    }

    private static String plain(Object value) {
        if (value instanceof String) {
            return '"' + (String) value + '"';
        } else if (value instanceof Enum) {
            return ((Enum<?>) value).name();
        } else if (value instanceof Class) {
            return ((Class<?>) value).getName();
        } else if (value instanceof Throwable) {
            return value.getClass().getName() + ((Throwable) value).getMessage();
        }
        return String.valueOf(value);
    }

    private String parts(Object value) {
        String name = value.getClass().getName();
        if (value.getClass().isArray()) {
            List<String> parts = new ArrayList<String>();
            for (int i = 0; i < Array.getLength(value) && i < widest; i++) {
                parts.add(of(Array.get(value, i)));
            }
            return of(parts, Array.getLength(value));
        } else if (name.startsWith("java.util.") && value instanceof Collection) {
            return elements((Collection<?>) value);
        } else if (name.startsWith("java.util.") && value instanceof Map) {
            return entries((Map<?, ?>) value);
        } else if (name.startsWith("java.") || name.startsWith("javax.") || name.startsWith("jdk.")) {
            return opaque(value, name);
        }
        // What a lambda does stands in no field.
        isWhole &= !value.getClass().isSynthetic();
        return fields(value);
    }

    private String of(List<String> parts, int count) {
        isWhole &= count == parts.size();
        return count + parts.toString();
    }

    private String elements(Collection<?> values) {
        List<String> parts = new ArrayList<String>();
        for (Object value : values) {
            if (parts.size() < widest) {
                parts.add(of(value));
            }
        }
        if (values instanceof Set && !(values instanceof SortedSet)) {
            Collections.sort(parts);
        }
        return of(parts, values.size());
    }

    private String entries(Map<?, ?> map) {
        List<String> parts = new ArrayList<String>();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            if (parts.size() < widest) {
                parts.add(of(entry.getKey()) + "=" + of(entry.getValue()));
            }
        }
        if (!(map instanceof SortedMap)) {
            Collections.sort(parts);
        }
        return of(parts, map.size());
    }

    /** Describes an object of the JDK by its text; some have none. */
    private String opaque(Object value, String name) {
        String text = String.valueOf(value);
        boolean saysNothing = text.equals(name + '@' + Integer.toHexString(value.hashCode()));
        isWhole &= !saysNothing || value.getClass() == Object.class;
        left -= text.length();
        return text;
    }

    private String fields(Object value) {
        StringBuilder text = new StringBuilder(value.getClass().getName()).append('{');
        for (Class<?> type = value.getClass(); type != null && type != Object.class; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) || field.isSynthetic() && !isState) {
                    continue;
                }
                left -= field.getName().length();
                try {
                    field.setAccessible(true);
                    text.append(field.getName()).append('=').append(of(field.get(value))).append(';');
                } catch (Exception e) {
                    // What cannot be read makes no difference to what is seen.
                    isWhole = false;
                }
            }
        }
        return text.append('}').toString();
    }
}
