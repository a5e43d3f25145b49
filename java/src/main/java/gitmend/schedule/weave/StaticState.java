package gitmend.schedule.weave;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** Values of the static fields of a class, and of the objects of the same class loader that they refer to. */
final class StaticState {
    private final ClassLoader loader;
    private final List<Object> values = new ArrayList<>();
    private final Set<Object> visited = Collections.newSetFromMap(new IdentityHashMap<>());

    private StaticState(ClassLoader loader) {
        this.loader = loader;
    }

    /** Reads the current state of an initialised class. */
    static StaticState read(Class<?> type) throws IllegalAccessException {
        StaticState state = new StaticState(type.getClassLoader());
        state.addFields(type, null);
        return state;
    }

    /** Adds the fields that a class declares: those of an object, or the static ones if it is null. */
    private void addFields(Class<?> type, Object object) throws IllegalAccessException {
        for (Field field : type.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) == (object == null)) {
                field.setAccessible(true);
                addValue(field.get(object));
            }
        }
    }

    private void addValue(Object value) throws IllegalAccessException {
        values.add(value);
        if (value == null || !visited.add(value)) {
            return;
        }
        Class<?> type = value.getClass();
        for (int i = 0; type.isArray() && i < Array.getLength(value); i++) {
            addValue(Array.get(value, i));
        }
        for (; type.getClassLoader() == loader; type = type.getSuperclass()) {
            addFields(type, value);
        }
    }

    /** Returns true if all values are the same. */
    boolean isSame(StaticState other) {
        if (values.size() != other.values.size()) {
            return false;
        }
        for (int i = 0; i < values.size(); i++) {
            if (!isSameValue(values.get(i), other.values.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSameValue(Object one, Object other) {
        boolean isImmutable = one instanceof Boolean || one instanceof Character || one instanceof String
                || one instanceof Number && one.getClass().getClassLoader() == null;
        return one == other || isImmutable && one.equals(other);
    }
}
