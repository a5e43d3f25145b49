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
final class CompileResult {
    /** True if the warm compiler does not support the compilation. The text is the reason. */
    final boolean isUnsupported;
    private final String reason;
    final List<Diagnostic<? extends JavaFileObject>> errors = new ArrayList<>();
    /** Classes by source file. */
    final Map<String, List<MemoryClass>> classes = new TreeMap<>();
    /** Contents of the other files that annotation processors have written, by path. */
    final Map<String, byte[]> resources = new TreeMap<>();
    /** Number of compiled files. */
    int fileCount;

    private CompileResult(boolean isUnsupported, String reason) {
        this.isUnsupported = isUnsupported;
        this.reason = reason;
    }

    static CompileResult unsupported(String reason) {
        return new CompileResult(true, reason);
    }

    static CompileResult fromDiagnostics(Iterable<Diagnostic<? extends JavaFileObject>> diagnostics) {
        CompileResult result = new CompileResult(false, "");
        for (Diagnostic<? extends JavaFileObject> diagnostic : diagnostics) {
            if (diagnostic.getKind() == Diagnostic.Kind.ERROR) {
                result.errors.add(diagnostic);
            }
        }
        return result;
    }

    /** Returns the result of a compilation that need not be repeated. */
    static CompileResult unchanged(Compilation compilation) {
        CompileResult result = new CompileResult(false, "");
        result.classes.putAll(compilation.classes);
        result.resources.putAll(compilation.resources);
        return result;
    }

    boolean isSuccess() {
        return !isUnsupported && errors.isEmpty();
    }

    boolean hasErrors() {
        return !isUnsupported && !errors.isEmpty();
    }

    /** Returns the errors as javac prints them. */
    String toText() {
        StringBuilder text = new StringBuilder(reason);
        for (Diagnostic<? extends JavaFileObject> error : errors) {
            text.append(error).append('\n');
        }
        if (!errors.isEmpty()) {
            text.append(errors.size()).append(errors.size() == 1 ? " error\n" : " errors\n");
        }
        return text.toString();
    }

    Writer encodeErrors() {
        return CompileErrors.encode(errors);
    }
}
