package gitmend.schedule.weave;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Methods that instrumented subclasses of `Thread` override. */
public final class OverriddenMethods {
    /** Overridable methods of `Thread` that have hooks. */
    static final List<String> HOOKED_NAMES = Arrays.asList("start", "interrupt", "isInterrupted");

    private static final ClassValue<Set<String>> OVERRIDES_BY_CLASS = new ClassValue<Set<String>>() {
        @Override
        protected Set<String> computeValue(Class<?> type) {
            Set<String> overrides = new HashSet<>();
            for (String name : HOOKED_NAMES) {
                try {
                    Class<?> declaring = type.getMethod(name).getDeclaringClass();
                    if (declaring.getClassLoader() instanceof InstrumentingClassLoader) {
                        overrides.add(name);
                    }
                } catch (NoSuchMethodException | LinkageError e) {
                    // Every thread has the method; but a class may name missing types.
                }
            }
            return overrides;
        }
    };

    private OverriddenMethods() {}

    public static boolean isOverridden(Thread thread, String method) {
        return OVERRIDES_BY_CLASS.get(thread.getClass()).contains(method);
    }

    /** Calls the JDK's method without parameters, even if the thread's class overrides it. */
    public static Object callOriginal(Thread thread, String method) {
        try {
            Class<?> result = Thread.class.getMethod(method).getReturnType();
            MethodHandle plain =
                    lookup().findSpecial(Thread.class, method, MethodType.methodType(result), Thread.class);
            return (Object) plain.invoke(thread);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static Lookup lookup() throws ReflectiveOperationException {
        try {
            return (Lookup) MethodHandles.class.getMethod("privateLookupIn", Class.class, Lookup.class)
                    .invoke(null, Thread.class, MethodHandles.lookup());
        } catch (NoSuchMethodException e) {
            // Java 8 has no modules.
            Constructor<Lookup> constructor = Lookup.class.getDeclaredConstructor(Class.class);
            constructor.setAccessible(true);
            return constructor.newInstance(Thread.class);
        }
    }
}
