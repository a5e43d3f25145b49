package gitmend.testserver;

import java.lang.reflect.Field;

/** Field of a JDK class, accessed by `sun.misc.Unsafe`: modules do not restrict it, and no JVM option is needed. */
final class JdkField {
    private final Field field;
    /** The object that has the field; null for a static field. */
    private final Object owner;
    private final Class<?> unsafeClass;
    private final Object unsafe;

    private JdkField(Class<?> type, String name, Object owner) throws ReflectiveOperationException {
        this.owner = owner;
        field = type.getDeclaredField(name);
        unsafeClass = Class.forName("sun.misc.Unsafe");
        Field instanceField = unsafeClass.getDeclaredField("theUnsafe");
        instanceField.setAccessible(true);
        unsafe = instanceField.get(null);
    }

    /** Returns a static field, and initialises its class if it has the field. */
    static JdkField ofClass(String type, String name) throws ReflectiveOperationException {
        ClassLoader loader = JdkField.class.getClassLoader();
        JdkField field = new JdkField(Class.forName(type, false, loader), name, null);
        Class.forName(type, true, loader);
        return field;
    }

    static JdkField ofObject(Class<?> type, String name, Object owner) throws ReflectiveOperationException {
        return new JdkField(type, name, owner);
    }

    Object get() throws ReflectiveOperationException {
        return unsafeClass.getMethod("getObject", Object.class, long.class).invoke(unsafe, base(), offset());
    }

    void set(Object value) throws ReflectiveOperationException {
        unsafeClass.getMethod("putObject", Object.class, long.class, Object.class)
                .invoke(unsafe, base(), offset(), value);
    }

    boolean getBoolean() throws ReflectiveOperationException {
        return (Boolean) unsafeClass.getMethod("getBoolean", Object.class, long.class)
                .invoke(unsafe, base(), offset());
    }

    void setBoolean(boolean value) throws ReflectiveOperationException {
        unsafeClass.getMethod("putBoolean", Object.class, long.class, boolean.class)
                .invoke(unsafe, base(), offset(), value);
    }

    private Object base() throws ReflectiveOperationException {
        return owner != null ? owner
                : unsafeClass.getMethod("staticFieldBase", Field.class).invoke(unsafe, field);
    }

    private Object offset() throws ReflectiveOperationException {
        String method = owner != null ? "objectFieldOffset" : "staticFieldOffset";
        return unsafeClass.getMethod(method, Field.class).invoke(unsafe, field);
    }
}
