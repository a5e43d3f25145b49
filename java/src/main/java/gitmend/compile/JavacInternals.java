package gitmend.compile;

/** Reflective access to internals of javac, which differ between JDKs. */
final class JavacInternals {
    private static final String PACKAGE = "com.sun.tools.javac.";

    private JavacInternals() {}

    static Class<?> findClass(String name) throws ClassNotFoundException {
        return Class.forName(PACKAGE + name);
    }

    /** Returns the instance of a class in a compiler context. */
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
