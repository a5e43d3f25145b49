package gitmend.facts;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.JavaFileObject;

/** Errors that stop a compilation, each with file, line, byte, kind and javac's message. */
public final class CompileErrors {
    private CompileErrors() {}

    public static Writer of(List<Diagnostic<? extends JavaFileObject>> diagnostics) {
        List<Diagnostic<? extends JavaFileObject>> errors = new ArrayList<>();
        for (Diagnostic<? extends JavaFileObject> diagnostic : diagnostics) {
            if (diagnostic.getKind() == Diagnostic.Kind.ERROR) {
                errors.add(diagnostic);
            }
        }
        Writer answer = new Writer();
        answer.number(errors.size());
        for (Diagnostic<? extends JavaFileObject> error : errors) {
            boolean isPlaced = error.getSource() instanceof SourceText;
            SourceText source = isPlaced ? (SourceText) error.getSource() : null;
            answer.string(isPlaced ? source.path : "");
            answer.number(isPlaced ? (int) Math.max(0, error.getLineNumber()) : 0);
            answer.number(isPlaced ? source.byteAt((int) Math.max(0, error.getPosition())) : 0);
            String code = error.getCode();
            answer.string(code == null ? "" : code);
            answer.string(error.getMessage(Locale.ROOT));
        }
        return answer;
    }
}
