package gitmend.facts;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;

/** Attribution of the sources of a task, without the sources that javac finds on its source path. */
final class Attribution {
    private Attribution() {}

    /**
     * Attributes the sources of a task. {@link JavacTask#analyze()} also attributes every class that it reads from the
     * source path, and then those that these use.
     */
    static void run(JavacTask task) throws IOException {
        try {
            Object classes = task.getClass().getMethod("enter").invoke(task);
            task.getClass().getMethod("analyze", Iterable.class).invoke(task, classes);
        } catch (InvocationTargetException e) {
            rethrow(e.getCause());
        } catch (ReflectiveOperationException e) {
            task.analyze();
        }
    }

    private static void rethrow(Throwable cause) throws IOException {
        if (cause instanceof IOException) {
            throw (IOException) cause;
        }
        if (cause instanceof Error) {
            throw (Error) cause;
        }
        throw cause instanceof RuntimeException ? (RuntimeException) cause : new IllegalStateException(cause);
    }
}
