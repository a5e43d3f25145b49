package gitmend.compile;

/** Internals of javac that differ between JDKs, used by reflection. */
final class JavacInternals {
    private static final String PACKAGE = "com.sun.tools.javac.";

    private JavacInternals() {}

    static Class<?> findClass(String name) throws ClassNotFoundException {
        return Class.forName(PACKAGE + name);
    }

    /** The instance that a context has of a class. */
    static Object contextInstance(Object context, String name) throws ReflectiveOperationException {
        return findClass(name).getMethod("instance", findClass("util.Context")).invoke(null, context);
    }

    static Object getField(Object target, String field) throws ReflectiveOperationException {
        return target.getClass().getField(field).get(target);
    }

    static void setField(Object target, String field, Object value) throws ReflectiveOperationException {
        target.getClass().getField(field).set(target, value);
    }

    /** Calls a method without arguments. */
    static Object callMethod(Object target, String method) throws ReflectiveOperationException {
        return target.getClass().getMethod(method).invoke(target);
    }
}
