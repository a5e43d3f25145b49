package gitmend.runtime;

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

/** The compiler of one unit; libraries stay open from one compilation to the next. */
final class Compiler {
    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private Libraries libraries;
    private List<String> options = Collections.emptyList();
    private List<String> stamps = Collections.emptyList();

    /** Makes ready for a compilation; whether everything but the sources is as it was. */
    boolean prepare(Asked asked, Set<String> units) throws IOException {
        List<String> now = new ArrayList<>();
        for (String entry : asked.classPath) {
            now.add(units.contains(entry) ? entry : stamp(new File(entry)));
        }
        List<String> wanted = new ArrayList<>();
        Collections.addAll(wanted, "-g", "-nowarn", "-Xlint:-options", "-implicit:class", "-proc:none", "-cp");
        wanted.add(String.join(File.pathSeparator, asked.classPath));
        wanted.addAll(asked.options);
        boolean isSame = now.equals(stamps) && wanted.equals(options);
        if (!now.equals(stamps)) {
            if (libraries != null) {
                libraries.close();
            }
            libraries = null;
        }
        if (libraries == null) {
            libraries = new Libraries(compiler.getStandardFileManager(diagnostic -> {}, null, null));
        }
        stamps = now;
        options = wanted;
        return isSame;
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

    /** Compiles files; the classes of others are known. */
    Compiled compile(Sources sources, Set<String> todo, Map<String, List<MemoryClass>> known)
            throws IOException {
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        MemoryFiles files = new MemoryFiles(libraries);
        known.values().forEach(classes -> classes.forEach(files::know));
        sources.offerTo(files, todo, known.keySet());
        List<SourceText> texts = todo.stream().map(sources::source).collect(Collectors.toList());
        StringWriter said = new StringWriter();
        boolean isOk = compiler.getTask(said, files, diagnostics, options, null, texts).call();
        Compiled compiled = Compiled.of(diagnostics.getDiagnostics());
        if (compiled.isOk() != isOk) {
            return Compiled.unfit("the compiler says: " + said.toString().toLowerCase(Locale.ROOT));
        }
        compiled.classes.putAll(files.written);
        compiled.files = todo.size();
        return compiled;
    }
}
