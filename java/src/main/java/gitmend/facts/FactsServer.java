package gitmend.facts;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Returns facts and errors of sources. One file manager serves all requests, so that the class path
 * is opened once.
 */
public final class FactsServer {
    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private final StandardJavaFileManager files =
            compiler.getStandardFileManager(diagnostic -> {}, Locale.ROOT, null);

    public Writer answer(byte[] bytes) throws IOException {
        Writer answer = new Writer();
        FactsRequest request = FactsRequest.read(bytes);
        if (request.wantsFacts) {
            facts(request, answer);
        } else {
            check(request, answer);
        }
        return answer;
    }

    private void facts(FactsRequest request, Writer answer) throws IOException {
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        JavacTask task = task(request, diagnostics);
        Facts facts = new Facts(task, request.sources);
        facts.collect(task);
        facts.write(answer);
    }

    private void check(FactsRequest request, Writer answer) throws IOException {
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        task(request, diagnostics).analyze();
        CompileErrors.of(diagnostics.getDiagnostics()).writeTo(answer);
    }

    private JavacTask task(FactsRequest request, DiagnosticCollector<JavaFileObject> diagnostics) {
        List<String> options = new ArrayList<>(request.options);
        options.add("-proc:none");
        options.add("-nowarn");
        options.add("-Xmaxerrs");
        options.add("100000");
        // Attribute what can be attributed, whatever is wrong elsewhere.
        options.add("-XDshould-stop.ifError=FLOW");
        options.add("-XDshouldStopPolicyIfError=FLOW");
        options.add("-cp");
        options.add(request.classPath);
        return (JavacTask)
                compiler.getTask(new StringWriter(), files, diagnostics, options, null, request.sources);
    }
}
