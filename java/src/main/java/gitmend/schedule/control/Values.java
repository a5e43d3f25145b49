package gitmend.schedule.control;

import gitmend.schedule.weave.Sites;
import java.lang.reflect.Array;
import java.lang.reflect.Field;

/** Current values of variables as text. No method of the project is called. */
final class Values {
    private static final int MAX_LENGTH = 40;

    private Values() {}

    /** Returns the value of a variable, or null if it cannot be read. */
    static String readVariable(Location location) {
        try {
            if (location.index >= 0) {
                int length = Array.getLength(location.object);
                return location.index < length ? format(Array.get(location.object, location.index)) : null;
            }
            return location.subject < 0 ? null : format(readField(location));
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            return null;
        }
    }

    private static Object readField(Location location) throws ReflectiveOperationException {
        String name = Sites.subjectName(location.subject);
        int end = name.lastIndexOf('.');
        String declaring = name.substring(0, end);
        Class<?> type = location.object == null ? null : location.object.getClass();
        while (type != null && !type.getName().equals(declaring)) {
            type = type.getSuperclass();
        }
        if (type == null) {
            ClassLoader loader = Scheduler.active.mainThread().thread.getContextClassLoader();
            type = Class.forName(declaring, false, loader);
        }
        Field field = type.getDeclaredField(name.substring(end + 1));
        field.setAccessible(true);
        return field.get(location.object);
    }

    private static String format(Object value) {
        if (value == null || value instanceof Number && value.getClass().getName().startsWith("java.lang.")
                || value instanceof Boolean) {
            return String.valueOf(value);
        } else if (value instanceof Character) {
            return "'" + value + "'";
        } else if (value instanceof String) {
            String text = (String) value;
            return text.length() > MAX_LENGTH ? '"' + text.substring(0, MAX_LENGTH) + "…\"" : '"' + text + '"';
        } else if (value instanceof Enum) {
            return ((Enum<?>) value).name();
        } else if (value.getClass().isArray()) {
            String type = value.getClass().getComponentType().getSimpleName();
            return type + "[" + Array.getLength(value) + "]";
        }
        boolean hasName = !value.getClass().isSynthetic() && !value.getClass().isAnonymousClass();
        return hasName ? withArticle(Names.typeName(value)) : null;
    }

    /** Returns a noun with its indefinite article. Nouns with `U` mostly begin with a consonant, as in `User`. */
    static String withArticle(String noun) {
        return ("AEIO".indexOf(noun.charAt(0)) < 0 ? "a " : "an ") + noun;
    }
}
