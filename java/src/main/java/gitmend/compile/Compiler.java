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

/** Compiler of one unit. Opened libraries and the JDK's classes are kept between compilations. */
final class Compiler {
    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    /** File manager; null before the first compilation. */
    private MemoryFiles files;
    private ReusableContext reusableContext;
    private List<String> options = Collections.emptyList();
    private List<String> classPathStamps = Collections.emptyList();

    /** Prepares a compilation. Returns true if nothing but sources has changed since the last one. */
    boolean prepare(CompileRequest request, Set<String> units) throws IOException {
        List<String> newStamps = classPathStamps(request, units);
        List<String> newOptions = new ArrayList<>();
        Collections.addAll(newOptions, "-g", "-nowarn", "-Xlint:-options", "-implicit:class", "-cp");
        newOptions.add(String.join(File.pathSeparator, request.classPath));
        newOptions.addAll(request.options);
        boolean isSame = newStamps.equals(classPathStamps) && newOptions.equals(options);
        if (files == null || !newStamps.equals(classPathStamps)) {
            if (files != null) {
                files.close();
            }
            files = new MemoryFiles(new Libraries(compiler.getStandardFileManager(diagnostic -> {}, null, null)));
        }
        if (!isSame) {
            reusableContext = createContext(files, newOptions);
        }
        classPathStamps = newStamps;
        options = newOptions;
        return isSame;
    }

    /** Creates a reusable compiler context; null if the JDK does not support it. */
    private static ReusableContext createContext(MemoryFiles files, List<String> options) {
        try {
            return new ReusableContext(files, options);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    /** Returns texts that change if libraries may have changed. Units are only named. */
    static List<String> classPathStamps(CompileRequest request, Set<String> units) throws IOException {
        List<String> stamps = new ArrayList<>();
        for (String entry : request.classPath) {
            stamps.add(units.contains(entry) ? entry : stampOf(new File(entry)));
        }
        return stamps;
    }

    /** Returns a text that changes if the content of a class path entry may have changed. */
    private static String stampOf(File entry) throws IOException {
        if (!entry.isDirectory()) {
            return entry + " " + entry.length() + " " + entry.lastModified();
        }
        try (Stream<Path> files = Files.walk(entry.toPath())) {
            List<String> classes = new ArrayList<>();
            for (Path file : files.collect(Collectors.toList())) {
                if (file.toString().endsWith(".class")) {
                    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
                    classes.add(file + " " + attributes.size() + " " + attributes.lastModifiedTime());
                }
            }
            Collections.sort(classes);
            return entry + " " + classes;
        }
    }

    /** Returns true if a library or another unit has a class with this binary name. */
    boolean hasClassOnClassPath(String name) {
        return files.hasClassOnClassPath(name);
    }

    /** Compiles `filesToCompile`. `compiledClasses` are the classes of the other files. */
    CompileResult compile(Sources sources, Set<String> filesToCompile, Map<String, List<MemoryClass>> compiledClasses)
            throws IOException {
        files.clear();
        compiledClasses.values().forEach(classes -> classes.forEach(files::addClass));
        sources.addImplicitSources(files, filesToCompile, compiledClasses.keySet());
        List<SourceText> texts = filesToCompile.stream().map(sources::source).collect(Collectors.toList());
        boolean isModule = sources.explicitFiles().stream().anyMatch(path -> path.endsWith("module-info.java"));
        CompileResult result = !isModule && compileInContext(texts)
                ? CompileResult.fromDiagnostics(Collections.emptyList()) : compileFresh(texts);
        if (result.isSuccess()) {
            result.classes.putAll(files.outputs());
            result.fileCount = filesToCompile.size();
        }
        return result;
    }

    /** Returns true if compilation in the reusable context succeeds. Otherwise a new context must decide. */
    private boolean compileInContext(List<SourceText> texts) {
        try {
            if (reusableContext != null && reusableContext.compile(texts)) {
                return true;
            }
        } catch (ReflectiveOperationException | RuntimeException e) {
            // The internals of this JDK's compiler differ.
            reusableContext = null;
        }
        files.clearOutputs();
        return false;
    }

    private CompileResult compileFresh(List<SourceText> texts) {
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        StringWriter output = new StringWriter();
        boolean isSuccess = compiler.getTask(output, files, diagnostics, options, null, texts).call();
        CompileResult result = CompileResult.fromDiagnostics(diagnostics.getDiagnostics());
        if (result.isSuccess() != isSuccess) {
            return CompileResult.unsupported("the compiler says: " + output.toString().toLowerCase(Locale.ROOT));
        }
        return result;
    }
}
