package gitmend.facts;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Handler of requests for facts and errors. One file manager serves all requests, so that the class path is opened
 * once.
 */
public final class FactsServer {
    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private final StandardJavaFileManager files =
            compiler.getStandardFileManager(diagnostic -> {}, Locale.ROOT, null);

    public Writer answer(byte[] bytes) throws IOException {
        Writer answer = new Writer();
        FactsRequest request = FactsRequest.read(bytes);
        if (request.wantsFacts) {
            writeFacts(request, answer);
        } else {
            writeErrors(request, answer);
        }
        return answer;
    }

    private void writeFacts(FactsRequest request, Writer answer) throws IOException {
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        JavacTask task = createTask(request, diagnostics);
        Facts facts = new Facts(task, request.sources);
        Optional<Throwable> failure = facts.attribute(task);
        CompileErrors.encode(diagnostics.getDiagnostics(), failure).writeTo(answer);
        facts.collect();
        facts.write(answer);
    }

    private void writeErrors(FactsRequest request, Writer answer) throws IOException {
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        Attribution.run(createTask(request, diagnostics));
        CompileErrors.encode(diagnostics.getDiagnostics()).writeTo(answer);
    }

    private JavacTask createTask(FactsRequest request, DiagnosticCollector<JavaFileObject> diagnostics) {
        List<String> options = new ArrayList<>(request.options);
        options.add("-proc:none");
        options.add("-nowarn");
        options.add("-Xmaxerrs");
        options.add("100000");
        // Attribution continues after errors; the second option is that of JDK 8.
        options.add("-XDshould-stop.ifError=FLOW");
        options.add("-XDshouldStopPolicyIfError=FLOW");
        options.add("-cp");
        options.add(request.classPath);
        JavaFileManager manager =
                request.sourcePath.isEmpty() ? files : new SourcePath(files, request.sourcePath);
        return (JavacTask)
                compiler.getTask(new StringWriter(), manager, diagnostics, options, null, request.sources);
    }
}
