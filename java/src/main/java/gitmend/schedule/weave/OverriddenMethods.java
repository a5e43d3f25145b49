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

/** Methods that instrumented subclasses of `Thread` override, reached by calls of the thread's own
 * methods. */
public final class OverriddenMethods {
    /** Those that a class may have, and for which there are hooks. */
    static final List<String> NAMES = Arrays.asList("start", "interrupt", "isInterrupted");

    private static final ClassValue<Set<String>> OWN = new ClassValue<Set<String>>() {
        @Override
        protected Set<String> computeValue(Class<?> type) {
            Set<String> own = new HashSet<>();
            for (String name : NAMES) {
                try {
                    Class<?> declaring = type.getMethod(name).getDeclaringClass();
                    if (declaring.getClassLoader() instanceof InstrumentingClassLoader) {
                        own.add(name);
                    }
                } catch (NoSuchMethodException | LinkageError e) {
                    // Every thread has it; but a class may name types that are not there.
                }
            }
            return own;
        }
    };

    private OverriddenMethods() {}

    public static boolean has(Thread thread, String method) {
        return OWN.get(thread.getClass()).contains(method);
    }

    /** Calls the method that the JDK has, which takes nothing, be there another one in the thread's class. */
    public static Object plain(Thread thread, String method) {
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
            // A release without modules.
            Constructor<Lookup> made = Lookup.class.getDeclaredConstructor(Class.class);
            made.setAccessible(true);
            return made.newInstance(Thread.class);
        }
    }
}
