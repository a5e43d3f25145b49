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
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Class loader of instrumented classes: those of one schedule, or of those shared between
 * schedules. */
public final class InstrumentingClassLoader extends URLClassLoader {
    /** Copied classes that start threads or whose state persists between schedules. */
    private static final String[] STATEFUL_COPIES = {"ForkJoinPool", "CompletableFuture", "ThreadLocalRandom", "Timer"};

    private static final String HOOKS = ClassInstrumenter.HOOKS.replace('/', '.');

    private final InstrumentedClassCache classes;
    /** Loader of the classes that schedules share; null if this is that loader. */
    private final InstrumentingClassLoader sharedLoader;
    /** Stateful copies that this loader has defined. */
    private final List<Class<?>> statefulClasses = new ArrayList<>();
    /** States of those that were initialised before the first schedule. */
    private final Map<Class<?>, StaticState> initialStates = new HashMap<>();

    private InstrumentingClassLoader(InstrumentedClassCache classes, URL[] classPath,
            InstrumentingClassLoader sharedLoader) {
        super(classPath, sharedLoader == null ? ClassLoader.getSystemClassLoader().getParent() : sharedLoader);
        this.classes = classes;
        this.sharedLoader = sharedLoader;
    }

    /**
     * Returns a loader of copied classes, test frameworks and runners. Stateful copies that earlier schedules used are
     * initialised, so that a later schedule that only initialises them leaves no state.
     */
    public static InstrumentingClassLoader createShared(InstrumentedClassCache classes) {
        InstrumentingClassLoader loader = new InstrumentingClassLoader(classes, new URL[0], null);
        loader.initialiseStatefulClasses();
        return loader;
    }

    /** Returns a loader of all other classes, for one schedule. */
    public static InstrumentingClassLoader createForSchedule(InstrumentedClassCache classes,
            InstrumentingClassLoader sharedLoader) {
        return new InstrumentingClassLoader(classes, classes.classPath, sharedLoader);
    }

    private void initialiseStatefulClasses() {
        for (String name : classes.usedStatefulCopies) {
            try {
                Class.forName(name, true, this);
            } catch (ClassNotFoundException | LinkageError e) {
                // The schedule that uses the class gets the error.
            }
        }
        for (Class<?> type : statefulClasses) {
            if (isSharedOnceInitialised(type) && isInitialised(type)) {
                initialStates.put(type, readState(type));
            }
        }
    }

    /** Returns true if a loaded class has state that the next schedule would see. */
    public boolean hasState() {
        boolean hasState = false;
        for (Class<?> type : statefulClasses) {
            if (isInitialised(type)) {
                StaticState initial = initialStates.get(type);
                StaticState current = initial == null ? null : readState(type);
                hasState |= current == null || !current.isSame(initial);
                if (isSharedOnceInitialised(type)) {
                    classes.usedStatefulCopies.add(type.getName());
                }
            }
        }
        return hasState;
    }

    /** Returns false for the random numbers of threads: their first seed is the time in the schedule. */
    private static boolean isSharedOnceInitialised(Class<?> type) {
        return !type.getName().contains("ThreadLocalRandom");
    }

    /** Returns the state of a class, or null if it cannot be read. */
    private static StaticState readState(Class<?> type) {
        try {
            return StaticState.read(type);
        } catch (IllegalAccessException | RuntimeException | LinkageError e) {
            return null;
        }
    }

    /** Returns true if a class is initialised: before that, it has no state. */
    private static boolean isInitialised(Class<?> type) {
        try {
            Class<?> unsafe = Class.forName("jdk.internal.misc.Unsafe");
            Object instance = unsafe.getMethod("getUnsafe").invoke(null);
            return !(Boolean) unsafe.getMethod("shouldBeInitialized", Class.class).invoke(instance, type);
        } catch (ReflectiveOperationException | RuntimeException e) {
            // This release has no such method.
            return true;
        }
    }

    /** Returns a class if this loader has loaded it, or null. */
    Class<?> findLoaded(String name) {
        return findLoadedClass(name);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (name.equals(HOOKS)) {
            return ClassLoader.getSystemClassLoader().loadClass(name);
        }
        boolean isCopy = name.startsWith("gitmend.copy.");
        boolean isShared = isCopy || FrameworkClassLoader.isFramework(name) || isRunner(name);
        if (isShared != (sharedLoader == null)) {
            throw new ClassNotFoundException(name);
        }
        try {
            InstrumentedClassCache.LoadableClass loadable = isCopy ? classes.getCopy(name) : classes.findClass(name);
            if (loadable == null) {
                return ClassLoader.getSystemClassLoader().loadClass(requireForeign(name));
            }
            Class<?> defined = defineLoadable(name, loadable);
            for (String statefulCopy : STATEFUL_COPIES) {
                if (isCopy && name.contains(statefulCopy)) {
                    statefulClasses.add(defined);
                }
            }
            return defined;
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    /** Returns true for classes that run tests with a shared framework. */
    private static boolean isRunner(String name) {
        return name.startsWith("gitmend.wire.")
                || name.startsWith("gitmend.runner.") && !name.startsWith("gitmend.runner.testng.");
    }

    private static String requireForeign(String name) throws ClassNotFoundException {
        if (name.startsWith("gitmend.")) {
            throw new ClassNotFoundException(name);
        }
        return name;
    }

    /** Without a security manager these permissions are unused, and computing them would read the file. */
    @Override
    protected PermissionCollection getPermissions(CodeSource source) {
        return new Permissions();
    }

    private Class<?> defineLoadable(String name, InstrumentedClassCache.LoadableClass loadable) {
        int dot = name.lastIndexOf('.');
        if (dot > 0 && getPackage(name.substring(0, dot)) == null) {
            definePackage(name.substring(0, dot), null, null, null, null, null, null, null);
        }
        CodeSource source = loadable.source == null ? null : new CodeSource(loadable.source, (Certificate[]) null);
        return defineClass(name, loadable.bytes, 0, loadable.bytes.length, source);
    }
}
