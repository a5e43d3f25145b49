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
 * Tasks of a compiler that read the JDK's classes once: to read them takes longer than to compile a file.
 *
 * <p>The compiler can do that by itself, for JShell, with one that keeps what it read of all classes. Here classes of
 * the project change from one task to the next, so that each begins by forgetting everything but the JDK's.
 */
final class ReusableContext {
    /** Number of tasks after which the context is replaced, because it accumulates state. */
    private static final int LONGEST_LIFE = 200;

    private final MemoryFiles files;
    private final List<String> options;
    private final Class<?> worker = JavacInternals.named("api.JavacTaskPool$Worker");
    private final Method getTask = JavacInternals.named("api.JavacTaskPool").getMethod(
            "getTask",
            Writer.class,
            JavaFileManager.class,
            DiagnosticListener.class,
            Iterable.class,
            Iterable.class,
            Iterable.class,
            worker);
    private final Method removeClass = JavacInternals.named("code.Symtab").getMethod(
            "removeClass", JavacInternals.named("code.Symbol$ModuleSymbol"), JavacInternals.named("util.Name"));
    // There are thousands of classes, so that what each is asked is not looked up each time.
    private final Method isCompleted = JavacInternals.named("code.Symbol").getMethod("isCompleted");
    private final Method packageOf = JavacInternals.named("code.Symbol").getMethod("packge");
    private final Method nameOf = JavacInternals.named("code.Symbol").getMethod("flatName");
    private final Field moduleOf = JavacInternals.named("code.Symbol$PackageSymbol").getField("modle");
    private final Field fileOf = JavacInternals.named("code.Symbol$ClassSymbol").getField("classfile");
    /** With one context at most. */
    private Object pool;
    /** Null before the first task. */
    private Object context;
    private int tasks;

    /** All tasks have the same files and options. */
    ReusableContext(MemoryFiles files, List<String> options) throws ReflectiveOperationException {
        this.files = files;
        this.options = options;
    }

    /** Compiles, and returns true on success. Only a task in its own context gives reliable errors. */
    boolean compiles(List<SourceText> texts) throws ReflectiveOperationException {
        if (tasks++ % LONGEST_LIFE == 0) {
            pool = JavacInternals.named("api.JavacTaskPool").getConstructor(int.class).newInstance(1);
        }
        Object work = Proxy.newProxyInstance(
                worker.getClassLoader(),
                new Class<?>[] {worker},
                (proxy, method, arguments) -> compiles((JavacTask) arguments[0]));
        DiagnosticListener<JavaFileObject> ignored = diagnostic -> {};
        return (Boolean) getTask.invoke(pool, new StringWriter(), files, ignored, options, null, texts, work);
    }

    private boolean compiles(JavacTask task) throws ReflectiveOperationException {
        Object last = context;
        context = JavacInternals.call(task, "getContext");
        // The pool drops one in which a class of the JDK was compiled.
        if (context == last) {
            forget();
        }
        return task.call();
    }

    /** Forgets all classes but those of the JDK, and what there is in packages. */
    private void forget() throws ReflectiveOperationException {
        Object symbols = JavacInternals.of(context, "code.Symtab");
        Object completer = JavacInternals.call(JavacInternals.of(context, "code.ClassFinder"), "getCompleter");
        List<Object> others = others(symbols);
        // Without modules the JDK's classes are beside those of the project.
        for (String name : new String[] {"unnamedModule", "noModule"}) {
            Object module = JavacInternals.get(symbols, name);
            for (Object symbol : others) {
                if (moduleOf.get(packageOf.invoke(symbol)) == module) {
                    removeClass.invoke(symbols, module, nameOf.invoke(symbol));
                }
            }
            for (Object one : packages(module, JavacInternals.get(symbols, "rootPackage"))) {
                if (!isOfJdk(one)) {
                    JavacInternals.set(one, "members_field", null);
                    JavacInternals.set(one, "package_info", null);
                    JavacInternals.set(one, "completer", completer);
                    if (one != JavacInternals.get(module, "unnamedPackage")) {
                        // Only that one is there whatever is in it.
                        JavacInternals.set(one, "flags_field", 0L);
                    }
                }
            }
        }
    }

    /** The packages of a module; above them is the root, which has no classes. */
    private static List<Object> packages(Object module, Object root) throws ReflectiveOperationException {
        List<Object> packages = new ArrayList<>();
        ((Iterable<?>) JavacInternals.get(module, "enclosedPackages")).forEach(packages::add);
        packages.add(JavacInternals.get(module, "unnamedPackage"));
        packages.removeIf(one -> one == null || one == root);
        return packages;
    }

    /** The symbols of classes that are not the JDK's; one that is only a name yet will be looked for again. */
    private List<Object> others(Object symbols) throws ReflectiveOperationException {
        List<Object> others = new ArrayList<>();
        for (Object symbol : (Iterable<?>) JavacInternals.call(symbols, "getAllClasses")) {
            Object file = fileOf.get(symbol);
            boolean isOther = file == null ? (Boolean) isCompleted.invoke(symbol) : !files.isOfJdk(file);
            if (isOther) {
                others.add(symbol);
            }
        }
        return others;
    }

    /** Whether there are classes in a package, all of them the JDK's, and no others have come. */
    private boolean isOfJdk(Object inside) throws ReflectiveOperationException {
        Object members = JavacInternals.get(inside, "members_field");
        if (members == null || files.havePackage(inside.toString())) {
            return false;
        }
        boolean isEmpty = true;
        for (Object symbol : (Iterable<?>) JavacInternals.call(members, "getSymbols")) {
            if (!files.isOfJdk(fileOf.get(symbol))) {
                return false;
            }
            isEmpty = false;
        }
        return !isEmpty;
    }
}
