package gitmend.compile;

/** Internals of javac that differ between JDKs, used by reflection. */
final class JavacInternals {
    private static final String PACKAGE = "com.sun.tools.javac.";

    private JavacInternals() {}

    static Class<?> named(String name) throws ClassNotFoundException {
        return Class.forName(PACKAGE + name);
    }

    /** The instance that a context has of a class. */
    static Object of(Object context, String name) throws ReflectiveOperationException {
        return named(name).getMethod("instance", named("util.Context")).invoke(null, context);
    }

    static Object get(Object from, String field) throws ReflectiveOperationException {
        return from.getClass().getField(field).get(from);
    }

    static void set(Object in, String field, Object value) throws ReflectiveOperationException {
        in.getClass().getField(field).set(in, value);
    }

    /** Calls a method without arguments. */
    static Object call(Object on, String method) throws ReflectiveOperationException {
        return on.getClass().getMethod(method).invoke(on);
    }
}
