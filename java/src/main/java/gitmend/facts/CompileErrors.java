package gitmend.facts;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.tools.Diagnostic;
import javax.tools.JavaFileObject;

/** Encoder of compile errors: file, line, byte offset, code and message of javac. */
public final class CompileErrors {
    private CompileErrors() {}

    public static Writer encode(List<Diagnostic<? extends JavaFileObject>> diagnostics) {
        return encode(diagnostics, Optional.empty());
    }

    /** Encodes the errors among the diagnostics, and the exception with which the compiler ended, if any. */
    static Writer encode(
            List<Diagnostic<? extends JavaFileObject>> diagnostics, Optional<Throwable> failure) {
        List<Diagnostic<? extends JavaFileObject>> errors = new ArrayList<>();
        for (Diagnostic<? extends JavaFileObject> diagnostic : diagnostics) {
            if (diagnostic.getKind() == Diagnostic.Kind.ERROR) {
                errors.add(diagnostic);
            }
        }
        Writer answer = new Writer();
        answer.writeNumber(errors.size() + (failure.isPresent() ? 1 : 0));
        failure.ifPresent(exception -> write(answer, "", 0, 0, "", exception.toString()));
        for (Diagnostic<? extends JavaFileObject> error : errors) {
            boolean hasSource = error.getSource() instanceof SourceText;
            SourceText source = hasSource ? (SourceText) error.getSource() : null;
            String path = hasSource ? source.path : "";
            int line = hasSource ? (int) Math.max(0, error.getLineNumber()) : 0;
            int offset = hasSource ? source.byteOffset((int) Math.max(0, error.getPosition())) : 0;
            String code = error.getCode();
            write(answer, path, line, offset, code == null ? "" : code, error.getMessage(Locale.ROOT));
        }
        return answer;
    }

    private static void write(Writer answer, String path, int line, int offset, String code, String message) {
        answer.writeString(path);
        answer.writeNumber(line);
        answer.writeNumber(offset);
        answer.writeString(code);
        answer.writeString(message);
    }
}
