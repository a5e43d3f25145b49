package gitmend.schedule.weave;

import gitmend.framework.FrameworkClassLoader;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.security.CodeSource;
import java.security.PermissionCollection;
import java.security.Permissions;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.List;

/** Class loader of instrumented classes: those of one schedule, or of those shared between
 * schedules. */
public final class InstrumentingClassLoader extends URLClassLoader {
    /** Copies that start threads of their own or count on from schedule to schedule. */
    private static final String[] REMEMBERING = {"ForkJoinPool", "CompletableFuture", "ThreadLocalRandom", "Timer"};

    private static final String HOOKS = ClassInstrumenter.HOOKS.replace('/', '.');

    private final InstrumentedClassCache store;
    /** What schedules share, or null where this is it. */
    private final InstrumentingClassLoader shared;
    /** Those of them that were loaded here. */
    private final List<Class<?>> remembering = new ArrayList<>();

    private InstrumentingClassLoader(InstrumentedClassCache store, URL[] classPath, InstrumentingClassLoader shared) {
        super(classPath, shared == null ? ClassLoader.getSystemClassLoader().getParent() : shared);
        this.store = store;
        this.shared = shared;
    }

    /** Copies, test frameworks, and what runs them. */
    public static InstrumentingClassLoader shared(InstrumentedClassCache store) {
        return new InstrumentingClassLoader(store, new URL[0], null);
    }

    /** All other classes, for one schedule. */
    public static InstrumentingClassLoader of(InstrumentedClassCache store, InstrumentingClassLoader shared) {
        return new InstrumentingClassLoader(store, store.classPath, shared);
    }

    /** Whether the next schedule would find in here what the last one did. */
    public boolean remembers() {
        for (Class<?> one : remembering) {
            if (isInitialised(one)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a class has a state; one that is only named by others has none. */
    private static boolean isInitialised(Class<?> type) {
        try {
            Class<?> unsafe = Class.forName("jdk.internal.misc.Unsafe");
            Object it = unsafe.getMethod("getUnsafe").invoke(null);
            return !(Boolean) unsafe.getMethod("shouldBeInitialized", Class.class).invoke(it, type);
        } catch (ReflectiveOperationException | RuntimeException e) {
            // This release does not provide it.
            return true;
        }
    }

    /** A class if it was loaded by now, or null. */
    Class<?> loaded(String name) {
        return findLoadedClass(name);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (name.equals(HOOKS)) {
            return ClassLoader.getSystemClassLoader().loadClass(name);
        }
        boolean isCopy = name.startsWith("gitmend.copy.");
        boolean isShared = isCopy || FrameworkClassLoader.isFramework(name) || isRunner(name);
        if (isShared != (shared == null)) {
            throw new ClassNotFoundException(name);
        }
        try {
            InstrumentedClassCache.Ready ready = isCopy ? store.copy(name) : store.of(name);
            if (ready == null) {
                return ClassLoader.getSystemClassLoader().loadClass(notOurs(name));
            }
            Class<?> defined = define(name, ready);
            for (String one : REMEMBERING) {
                if (isCopy && name.contains(one)) {
                    remembering.add(defined);
                }
            }
            return defined;
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    /** Whether it is one of ours that runs tests, with a framework that is shared. */
    private static boolean isRunner(String name) {
        return name.startsWith("gitmend.wire.")
                || name.startsWith("gitmend.runner.") && !name.startsWith("gitmend.runner.testng.");
    }

    private static String notOurs(String name) throws ClassNotFoundException {
        if (name.startsWith("gitmend.")) {
            throw new ClassNotFoundException(name);
        }
        return name;
    }

    /** Without a security manager these permissions are unused, and computing them would read the
     * file. */
    @Override
    protected PermissionCollection getPermissions(CodeSource source) {
        return new Permissions();
    }

    private Class<?> define(String name, InstrumentedClassCache.Ready ready) {
        int dot = name.lastIndexOf('.');
        if (dot > 0 && getPackage(name.substring(0, dot)) == null) {
            definePackage(name.substring(0, dot), null, null, null, null, null, null, null);
        }
        CodeSource source = ready.source == null ? null : new CodeSource(ready.source, (Certificate[]) null);
        return defineClass(name, ready.bytes, 0, ready.bytes.length, source);
    }
}
