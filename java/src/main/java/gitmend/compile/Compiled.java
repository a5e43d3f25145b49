package gitmend.compile;

import gitmend.facts.CompileErrors;
import gitmend.facts.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.Diagnostic;
import javax.tools.JavaFileObject;

/** Result of a compilation. */
final class Compiled {
    /** Whether this is no compilation for a resident compiler; the reason is its text. */
    final boolean isUnfit;
    private final String reason;
    final List<Diagnostic<? extends JavaFileObject>> errors = new ArrayList<>();
    /** The classes of each source file. */
    final Map<String, List<MemoryClass>> classes = new TreeMap<>();
    /** How many files were compiled. */
    int files;

    private Compiled(boolean isUnfit, String reason) {
        this.isUnfit = isUnfit;
        this.reason = reason;
    }

    static Compiled unfit(String reason) {
        return new Compiled(true, reason);
    }

    static Compiled of(Iterable<Diagnostic<? extends JavaFileObject>> diagnostics) {
        Compiled compiled = new Compiled(false, "");
        for (Diagnostic<? extends JavaFileObject> diagnostic : diagnostics) {
            if (diagnostic.getKind() == Diagnostic.Kind.ERROR) {
                compiled.errors.add(diagnostic);
            }
        }
        return compiled;
    }

    boolean isOk() {
        return !isUnfit && errors.isEmpty();
    }

    boolean isRefused() {
        return !isUnfit && !errors.isEmpty();
    }

    /** As javac prints it. */
    String text() {
        StringBuilder text = new StringBuilder(reason);
        for (Diagnostic<? extends JavaFileObject> error : errors) {
            text.append(error).append('\n');
        }
        if (!errors.isEmpty()) {
            text.append(errors.size()).append(errors.size() == 1 ? " error\n" : " errors\n");
        }
        return text.toString();
    }

    Writer errors() {
        return CompileErrors.of(errors);
    }
}
