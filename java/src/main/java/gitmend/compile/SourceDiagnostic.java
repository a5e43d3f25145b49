package gitmend.compile;

import gitmend.facts.SourceText;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.JavaFileObject;

/** Diagnostic of the compiler whose file is a source in memory. */
final class SourceDiagnostic implements Diagnostic<JavaFileObject> {
    private final Diagnostic<? extends JavaFileObject> diagnostic;
    private final SourceText source;

    SourceDiagnostic(Diagnostic<? extends JavaFileObject> diagnostic, SourceText source) {
        this.diagnostic = diagnostic;
        this.source = source;
    }

    @Override
    public Kind getKind() {
        return diagnostic.getKind();
    }

    @Override
    public JavaFileObject getSource() {
        return source;
    }

    @Override
    public long getPosition() {
        return diagnostic.getPosition();
    }

    @Override
    public long getStartPosition() {
        return diagnostic.getStartPosition();
    }

    @Override
    public long getEndPosition() {
        return diagnostic.getEndPosition();
    }

    @Override
    public long getLineNumber() {
        return diagnostic.getLineNumber();
    }

    @Override
    public long getColumnNumber() {
        return diagnostic.getColumnNumber();
    }

    @Override
    public String getCode() {
        return diagnostic.getCode();
    }

    @Override
    public String getMessage(Locale locale) {
        return diagnostic.getMessage(locale);
    }

    @Override
    public String toString() {
        return diagnostic.toString();
    }
}
