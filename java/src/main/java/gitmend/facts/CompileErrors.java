package gitmend.facts;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.JavaFileObject;

/** Encoder of compile errors: file, line, byte offset, code and message of javac. */
public final class CompileErrors {
    private CompileErrors() {}

    public static Writer encode(List<Diagnostic<? extends JavaFileObject>> diagnostics) {
        List<Diagnostic<? extends JavaFileObject>> errors = new ArrayList<>();
        for (Diagnostic<? extends JavaFileObject> diagnostic : diagnostics) {
            if (diagnostic.getKind() == Diagnostic.Kind.ERROR) {
                errors.add(diagnostic);
            }
        }
        Writer answer = new Writer();
        answer.writeNumber(errors.size());
        for (Diagnostic<? extends JavaFileObject> error : errors) {
            boolean hasSource = error.getSource() instanceof SourceText;
            SourceText source = hasSource ? (SourceText) error.getSource() : null;
            answer.writeString(hasSource ? source.path : "");
            answer.writeNumber(hasSource ? (int) Math.max(0, error.getLineNumber()) : 0);
            answer.writeNumber(hasSource ? source.byteOffset((int) Math.max(0, error.getPosition())) : 0);
            String code = error.getCode();
            answer.writeString(code == null ? "" : code);
            answer.writeString(error.getMessage(Locale.ROOT));
        }
        return answer;
    }
}
