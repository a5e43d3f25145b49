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
 * Serializer of values to text. It calls no code of the project, which could hang or have side effects. It is copied
 * into a copy of the project for one run.
 */
final class ValueSerializer {
    /** Depth limit and element limit for a value that a test observes. */
    private static final int VALUE_DEPTH = 4;
    private static final int VALUE_ELEMENTS = 50;
    /** Depth limit, element limit and text limit for a state. */
    private static final int STATE_DEPTH = 100;
    private static final int STATE_ELEMENTS = 1000;
    private static final int STATE_LENGTH = 10000;

    private final int maxDepth;
    private final int maxElements;
    /** True if all fields count as state, including those that the compiler adds. */
    private final boolean isState;
    /** Objects on the path from the root to the current value. */
    private final List<Object> ancestors = new ArrayList<Object>();
    private int remainingLength;
    private boolean isComplete = true;

    private ValueSerializer(int maxDepth, int maxElements, int maxLength, boolean isState) {
        this.maxDepth = maxDepth;
        this.maxElements = maxElements;
        this.remainingLength = maxLength;
        this.isState = isState;
    }

    /** Describes a value as a test observes it. */
    static String describeValue(Object value) {
        return new ValueSerializer(VALUE_DEPTH, VALUE_ELEMENTS, Integer.MAX_VALUE, false).describe(value);
    }

    /** Describes the state of some values; null if it is too large or cannot be read. */
    static String describeState(Object... values) {
        ValueSerializer serializer = new ValueSerializer(STATE_DEPTH, STATE_ELEMENTS, STATE_LENGTH, true);
        StringBuilder text = new StringBuilder();
        for (Object value : values) {
            text.append(serializer.describe(value)).append('\n');
        }
        return serializer.isComplete ? removeAddresses(text.toString()) : null;
    }

    /** Removes identity hash codes, which differ between runs. */
    static String removeAddresses(String text) {
        return text.replaceAll("@[0-9a-f]{4,}", "@");
    }

    private String describe(Object value) {
        if (remainingLength < 0) {
            isComplete = false;
            return "";
        } else if (value == null || isScalar(value)) {
            String text = describeScalar(value);
            remainingLength -= text.length();
            return text;
        } else if (ancestors.size() == maxDepth) {
            isComplete = false;
            return value.getClass().getName();
        }
        for (int i = ancestors.size() - 1; isState && i >= 0; i--) {
            if (ancestors.get(i) == value) {
                return "^" + (ancestors.size() - i);
            }
        }
        ancestors.add(value);
        String text = describeParts(value);
        ancestors.remove(ancestors.size() - 1);
        return text;
    }

    private static boolean isScalar(Object value) {
        return value instanceof Boolean || value instanceof Number || value instanceof Character
            || value instanceof String || value instanceof Enum || value instanceof Class
            || value instanceof Throwable;
    }

    private static String describeScalar(Object value) {
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

    private String describeParts(Object value) {
        String name = value.getClass().getName();
        if (value.getClass().isArray()) {
            List<String> parts = new ArrayList<String>();
            for (int i = 0; i < Array.getLength(value) && i < maxElements; i++) {
                parts.add(describe(Array.get(value, i)));
            }
            return joinParts(parts, Array.getLength(value));
        } else if (name.startsWith("java.util.") && value instanceof Collection) {
            return describeElements((Collection<?>) value);
        } else if (name.startsWith("java.util.") && value instanceof Map) {
            return describeEntries((Map<?, ?>) value);
        } else if (name.startsWith("java.") || name.startsWith("javax.") || name.startsWith("jdk.")) {
            return describeJdkObject(value, name);
        }
        // The behaviour of a lambda is not in its fields.
        isComplete &= !value.getClass().isSynthetic();
        return describeFields(value);
    }

    private String joinParts(List<String> parts, int count) {
        isComplete &= count == parts.size();
        return count + parts.toString();
    }

    private String describeElements(Collection<?> values) {
        List<String> parts = new ArrayList<String>();
        for (Object value : values) {
            if (parts.size() < maxElements) {
                parts.add(describe(value));
            }
        }
        if (values instanceof Set && !(values instanceof SortedSet)) {
            Collections.sort(parts);
        }
        return joinParts(parts, values.size());
    }

    private String describeEntries(Map<?, ?> map) {
        List<String> parts = new ArrayList<String>();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            if (parts.size() < maxElements) {
                parts.add(describe(entry.getKey()) + "=" + describe(entry.getValue()));
            }
        }
        if (!(map instanceof SortedMap)) {
            Collections.sort(parts);
        }
        return joinParts(parts, map.size());
    }

    /** Describes an object of the JDK by `toString()`; the default text does not describe it completely. */
    private String describeJdkObject(Object value, String name) {
        String text = String.valueOf(value);
        boolean isDefaultText = text.equals(name + '@' + Integer.toHexString(value.hashCode()));
        isComplete &= !isDefaultText || value.getClass() == Object.class;
        remainingLength -= text.length();
        return text;
    }

    private String describeFields(Object value) {
        StringBuilder text = new StringBuilder(value.getClass().getName()).append('{');
        for (Class<?> type = value.getClass(); type != null && type != Object.class; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) || field.isSynthetic() && !isState) {
                    continue;
                }
                remainingLength -= field.getName().length();
                try {
                    field.setAccessible(true);
                    text.append(field.getName()).append('=').append(describe(field.get(value))).append(';');
                } catch (Exception e) {
                    // Unreadable fields are omitted from observed values, and make a state incomplete.
                    isComplete = false;
                }
            }
        }
        return text.append('}').toString();
    }
}
