package gitmend.state;

import java.lang.reflect.Field;

/** Static field of the JDK, accessed by `sun.misc.Unsafe`: modules do not restrict it, and no JVM option is needed. */
final class StaticField {
    private final Field field;
    private final Class<?> unsafeClass;
    private final Object unsafe;

    StaticField(String type, String name) throws ReflectiveOperationException {
        unsafeClass = Class.forName("sun.misc.Unsafe");
        field = Class.forName(type).getDeclaredField(name);
        Field instanceField = unsafeClass.getDeclaredField("theUnsafe");
        instanceField.setAccessible(true);
        unsafe = instanceField.get(null);
    }

    Object get() throws ReflectiveOperationException {
        return unsafeClass.getMethod("getObject", Object.class, long.class).invoke(unsafe, base(), offset());
    }

    void set(Object value) throws ReflectiveOperationException {
        unsafeClass.getMethod("putObject", Object.class, long.class, Object.class)
                .invoke(unsafe, base(), offset(), value);
    }

    private Object base() throws ReflectiveOperationException {
        return unsafeClass.getMethod("staticFieldBase", Field.class).invoke(unsafe, field);
    }

    private Object offset() throws ReflectiveOperationException {
        return unsafeClass.getMethod("staticFieldOffset", Field.class).invoke(unsafe, field);
    }
}
