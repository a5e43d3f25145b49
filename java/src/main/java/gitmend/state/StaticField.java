package gitmend.state;

import java.lang.reflect.Field;

/** A static field of the JDK, whatever modules keep to themselves; all JDKs so far let it be read without an option. */
final class StaticField {
    private final Field field;
    private final Class<?> unsafe;
    private final Object it;

    StaticField(String type, String name) throws ReflectiveOperationException {
        unsafe = Class.forName("sun.misc.Unsafe");
        field = Class.forName(type).getDeclaredField(name);
        Field only = unsafe.getDeclaredField("theUnsafe");
        only.setAccessible(true);
        it = only.get(null);
    }

    Object get() throws ReflectiveOperationException {
        return unsafe.getMethod("getObject", Object.class, long.class).invoke(it, base(), offset());
    }

    void set(Object value) throws ReflectiveOperationException {
        unsafe.getMethod("putObject", Object.class, long.class, Object.class).invoke(it, base(), offset(), value);
    }

    private Object base() throws ReflectiveOperationException {
        return unsafe.getMethod("staticFieldBase", Field.class).invoke(it, field);
    }

    private Object offset() throws ReflectiveOperationException {
        return unsafe.getMethod("staticFieldOffset", Field.class).invoke(it, field);
    }
}
