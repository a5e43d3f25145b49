package gitmend.compile;

import gitmend.facts.SourceText;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

/** The compiler of one unit; libraries stay open from one compilation to the next, and the JDK's classes known. */
final class Compiler {
    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    /** These and the context are null before the first compilation. */
    private MemoryFiles files;
    private ReusableContext lasting;
    private List<String> options = Collections.emptyList();
    private List<String> stamps = Collections.emptyList();

    /** Makes ready for a compilation; whether everything but the sources is as it was. */
    boolean prepare(CompileRequest asked, Set<String> units) throws IOException {
        List<String> now = new ArrayList<>();
        for (String entry : asked.classPath) {
            now.add(units.contains(entry) ? entry : stamp(new File(entry)));
        }
        List<String> wanted = new ArrayList<>();
        Collections.addAll(wanted, "-g", "-nowarn", "-Xlint:-options", "-implicit:class", "-proc:none", "-cp");
        wanted.add(String.join(File.pathSeparator, asked.classPath));
        wanted.addAll(asked.options);
        boolean isSame = now.equals(stamps) && wanted.equals(options);
        if (files == null || !now.equals(stamps)) {
            if (files != null) {
                files.close();
            }
            files = new MemoryFiles(new Libraries(compiler.getStandardFileManager(diagnostic -> {}, null, null)));
        }
        if (!isSame) {
            lasting = lasting(files, wanted);
        }
        stamps = now;
        options = wanted;
        return isSame;
    }

    /** Creates a reusable compiler context; null where this JDK's compiler has none. */
    private static ReusableContext lasting(MemoryFiles files, List<String> options) {
        try {
            return new ReusableContext(files, options);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    /** A text that is another when what a compiler reads there may be. */
    private static String stamp(File entry) throws IOException {
        if (!entry.isDirectory()) {
            return entry + " " + entry.length() + " " + entry.lastModified();
        }
        try (Stream<Path> files = Files.walk(entry.toPath())) {
            List<String> classes = new ArrayList<>();
            for (Path file : files.collect(Collectors.toList())) {
                if (file.toString().endsWith(".class")) {
                    BasicFileAttributes of = Files.readAttributes(file, BasicFileAttributes.class);
                    classes.add(file + " " + of.size() + " " + of.lastModifiedTime());
                }
            }
            Collections.sort(classes);
            return entry + " " + classes;
        }
    }

    /** Compiles the files in `todo`; the classes of the other files are in `known`. */
    Compiled compile(Sources sources, Set<String> todo, Map<String, List<MemoryClass>> known)
            throws IOException {
        files.begin();
        known.values().forEach(classes -> classes.forEach(files::know));
        sources.offerTo(files, todo, known.keySet());
        List<SourceText> texts = todo.stream().map(sources::source).collect(Collectors.toList());
        boolean isModule = sources.explicit().stream().anyMatch(path -> path.endsWith("module-info.java"));
        Compiled compiled = !isModule && isDoneQuickly(texts) ? Compiled.of(Collections.emptyList()) : afresh(texts);
        if (compiled.isOk()) {
            compiled.classes.putAll(files.written());
            compiled.files = todo.size();
        }
        return compiled;
    }

    /** Returns true if the reusable context compiles the texts. If it refuses, a new context
     * decides. */
    private boolean isDoneQuickly(List<SourceText> texts) {
        try {
            if (lasting != null && lasting.compiles(texts)) {
                return true;
            }
        } catch (ReflectiveOperationException | RuntimeException e) {
            // Inside, this JDK's compiler is another one.
            lasting = null;
        }
        files.forgetWritten();
        return false;
    }

    private Compiled afresh(List<SourceText> texts) {
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        StringWriter said = new StringWriter();
        boolean isOk = compiler.getTask(said, files, diagnostics, options, null, texts).call();
        Compiled compiled = Compiled.of(diagnostics.getDiagnostics());
        if (compiled.isOk() != isOk) {
            return Compiled.unfit("the compiler says: " + said.toString().toLowerCase(Locale.ROOT));
        }
        return compiled;
    }
}
