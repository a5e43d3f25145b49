package gitmend.compile;

import com.sun.source.util.JavacTask;
import gitmend.facts.SourceText;
import java.io.StringWriter;
import java.io.Writer;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import javax.tools.DiagnosticListener;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;

/**
 * Compiler context that is reused between tasks, so that the JDK's classes are read once. Reading them takes longer
 * than compiling a file.
 *
 * <p>It uses `JavacTaskPool`, which javac has for JShell and which keeps all classes. The project's classes change
 * between tasks, so each task first removes them.
 */
final class ReusableContext {
    /** Number of tasks after which the context is replaced, because it accumulates state. */
    private static final int MAX_TASKS = 200;

    private final MemoryFiles files;
    private final List<String> options;
    private final Class<?> workerClass = JavacInternals.findClass("api.JavacTaskPool$Worker");
    private final Method getTask = JavacInternals.findClass("api.JavacTaskPool").getMethod(
            "getTask",
            Writer.class,
            JavaFileManager.class,
            DiagnosticListener.class,
            Iterable.class,
            Iterable.class,
            Iterable.class,
            workerClass);
    private final Method removeClass = JavacInternals.findClass("code.Symtab").getMethod(
            "removeClass", JavacInternals.findClass("code.Symbol$ModuleSymbol"), JavacInternals.findClass("util.Name"));
    // Members are looked up once, because they are read for thousands of classes.
    private final Method isCompleted = JavacInternals.findClass("code.Symbol").getMethod("isCompleted");
    private final Method packageOf = JavacInternals.findClass("code.Symbol").getMethod("packge");
    private final Method nameOf = JavacInternals.findClass("code.Symbol").getMethod("flatName");
    private final Field moduleOf = JavacInternals.findClass("code.Symbol$PackageSymbol").getField("modle");
    private final Field fileOf = JavacInternals.findClass("code.Symbol$ClassSymbol").getField("classfile");
    /** Pool of at most one context. */
    private Object pool;
    /** Context of the last task; null before the first one. */
    private Object context;
    private int taskCount;

    /** Creates a context, whose tasks all have the same files and options. */
    ReusableContext(MemoryFiles files, List<String> options) throws ReflectiveOperationException {
        this.files = files;
        this.options = options;
    }

    /** Compiles, and returns true on success. Errors are not reported, because reliable ones need a new context. */
    boolean compile(List<SourceText> texts) throws ReflectiveOperationException {
        if (taskCount++ % MAX_TASKS == 0) {
            pool = JavacInternals.findClass("api.JavacTaskPool").getConstructor(int.class).newInstance(1);
        }
        Object job = Proxy.newProxyInstance(
                workerClass.getClassLoader(),
                new Class<?>[] {workerClass},
                (proxy, method, arguments) -> compile((JavacTask) arguments[0]));
        DiagnosticListener<JavaFileObject> ignored = diagnostic -> {};
        return (Boolean) getTask.invoke(pool, new StringWriter(), files, ignored, options, null, texts, job);
    }

    private boolean compile(JavacTask task) throws ReflectiveOperationException {
        Object previous = context;
        context = JavacInternals.callMethod(task, "getContext");
        // The pool replaces a context in which a class of the JDK was compiled.
        if (context == previous) {
            removeProjectClasses();
        }
        return task.call();
    }

    /** Removes all classes but the JDK's, and the members of packages. */
    private void removeProjectClasses() throws ReflectiveOperationException {
        Object symbols = JavacInternals.contextInstance(context, "code.Symtab");
        Object completer =
                JavacInternals.callMethod(JavacInternals.contextInstance(context, "code.ClassFinder"), "getCompleter");
        List<Object> projectClasses = projectClasses(symbols);
        // Without modules (Java 8 sources), the JDK's classes and those of the project share a module symbol.
        for (String name : new String[] {"unnamedModule", "noModule"}) {
            Object module = JavacInternals.getField(symbols, name);
            for (Object symbol : projectClasses) {
                if (moduleOf.get(packageOf.invoke(symbol)) == module) {
                    removeClass.invoke(symbols, module, nameOf.invoke(symbol));
                }
            }
            for (Object packageSymbol : packages(module, JavacInternals.getField(symbols, "rootPackage"))) {
                if (!isJdkPackage(packageSymbol)) {
                    JavacInternals.setField(packageSymbol, "members_field", null);
                    JavacInternals.setField(packageSymbol, "package_info", null);
                    JavacInternals.setField(packageSymbol, "completer", completer);
                    if (packageSymbol != JavacInternals.getField(module, "unnamedPackage")) {
                        // Flags record that a package exists; the unnamed package always does.
                        JavacInternals.setField(packageSymbol, "flags_field", 0L);
                    }
                }
            }
        }
    }

    /** Returns the packages of a module, without the root package, which has no classes. */
    private static List<Object> packages(Object module, Object root) throws ReflectiveOperationException {
        List<Object> packages = new ArrayList<>();
        ((Iterable<?>) JavacInternals.getField(module, "enclosedPackages")).forEach(packages::add);
        packages.add(JavacInternals.getField(module, "unnamedPackage"));
        packages.removeIf(packageSymbol -> packageSymbol == null || packageSymbol == root);
        return packages;
    }

    /** Returns the symbols of the project's classes. Incomplete symbols without a file can stay. */
    private List<Object> projectClasses(Object symbols) throws ReflectiveOperationException {
        List<Object> projectClasses = new ArrayList<>();
        for (Object symbol : (Iterable<?>) JavacInternals.callMethod(symbols, "getAllClasses")) {
            Object file = fileOf.get(symbol);
            boolean isProjectClass = file == null ? (Boolean) isCompleted.invoke(symbol) : !files.isJdkFile(file);
            if (isProjectClass) {
                projectClasses.add(symbol);
            }
        }
        return projectClasses;
    }

    /** Returns true if a package has classes, all of them the JDK's, and the project has no files in it. */
    private boolean isJdkPackage(Object packageSymbol) throws ReflectiveOperationException {
        Object members = JavacInternals.getField(packageSymbol, "members_field");
        if (members == null || files.hasPackage(packageSymbol.toString())) {
            return false;
        }
        boolean isEmpty = true;
        for (Object symbol : (Iterable<?>) JavacInternals.callMethod(members, "getSymbols")) {
            if (!files.isJdkFile(fileOf.get(symbol))) {
                return false;
            }
            isEmpty = false;
        }
        return !isEmpty;
    }
}
