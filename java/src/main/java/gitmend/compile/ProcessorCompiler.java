package gitmend.compile;

import gitmend.facts.SourceText;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiler of a unit with annotation processors. It compiles all files, because a processor may read any of them, and
 * reads them from disk, because processors search for files beside the sources. The compiler loads the processors anew
 * for each compilation, so they keep no state.
 */
final class ProcessorCompiler {
    private static final String CLASS_SUFFIX = ".class";
    private static final String SERVICE_FILE = "META-INF/services/javax.annotation.processing.Processor";
    private static final List<String> PROCESSOR_PATH_OPTIONS = Arrays.asList("-processorpath", "--processor-path");

    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private final Path scratchFolder;

    ProcessorCompiler(String outputFolder) {
        scratchFolder = Paths.get(outputFolder + ".processed");
    }

    /** Returns true if a processor may be in a folder, so that the project itself builds it. */
    static boolean runsProcessorsOfProject(CompileRequest request) {
        List<String> entries = new ArrayList<>();
        for (int i = 0; i + 1 < request.options.size(); i++) {
            if (PROCESSOR_PATH_OPTIONS.contains(request.options.get(i))) {
                Collections.addAll(entries, request.options.get(i + 1).split(File.pathSeparator));
            }
        }
        if (entries.stream().anyMatch(entry -> new File(entry).isDirectory())) {
            return true;
        }
        return request.classPath.stream().anyMatch(entry -> new File(entry, SERVICE_FILE).isFile());
    }

    /** Returns what processors may read besides sources and units: libraries, options, files beside the sources. */
    static List<String> otherInputs(CompileRequest request, Sources sources, Set<String> units) throws IOException {
        List<String> inputs = Compiler.classPathStamps(request, units);
        inputs.addAll(request.options);
        Path tree = Paths.get(request.sourceTree);
        Set<Path> folders = new TreeSet<>();
        for (String path : sources.explicitFiles()) {
            Path folder = tree.resolve(path).getParent();
            while (folder != null && folder.startsWith(tree) && folders.add(folder)) {
                folder = folder.getParent();
            }
        }
        for (Path folder : folders) {
            addOtherFiles(folder, inputs);
        }
        return inputs;
    }

    /** Adds the names and digests of the files of a folder that are no sources, such as the settings of a processor. */
    private static void addOtherFiles(Path folder, List<String> inputs) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().collect(Collectors.toList())) {
                if (!file.toString().endsWith(".java")) {
                    inputs.add(file + " " + Arrays.toString(Digests.sha256().digest(Files.readAllBytes(file))));
                }
            }
        }
    }

    CompileResult compile(CompileRequest request, Sources sources) throws IOException {
        delete(scratchFolder);
        Files.createDirectories(scratchFolder);
        CompileResult result = compileFiles(request, sources);
        if (result.isSuccess()) {
            readOutputs(result);
            result.fileCount = sources.explicitFiles().size();
        }
        delete(scratchFolder);
        return result;
    }

    private CompileResult compileFiles(CompileRequest request, Sources sources) throws IOException {
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        StringWriter output = new StringWriter();
        Charset encoding = sources.encoding();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(diagnostics, null, encoding)) {
            boolean isSuccess = compiler.getTask(output, files, diagnostics, options(request, encoding), null,
                    files.getJavaFileObjectsFromStrings(request.sourceFiles)).call();
            CompileResult result =
                    CompileResult.fromDiagnostics(withSources(diagnostics.getDiagnostics(), request, sources));
            if (result.isSuccess() != isSuccess) {
                return CompileResult.unsupported("the compiler says: " + output.toString().toLowerCase(Locale.ROOT));
            }
            return result;
        }
    }

    private List<String> options(CompileRequest request, Charset encoding) {
        List<String> options = new ArrayList<>(Arrays.asList("-g", "-nowarn", "-Xlint:-options", "-implicit:class"));
        Collections.addAll(options, "-d", scratchFolder.toString());
        Collections.addAll(options, "-cp", String.join(File.pathSeparator, request.classPath));
        Collections.addAll(options, "-sourcepath", String.join(File.pathSeparator, request.sourcePath));
        if (!request.options.contains("-encoding")) {
            Collections.addAll(options, "-encoding", encoding.name());
        }
        options.addAll(request.options);
        return options;
    }

    /** Replaces the files of the diagnostics by the sources, whose byte offsets are known. */
    private static List<Diagnostic<? extends JavaFileObject>> withSources(
            List<Diagnostic<? extends JavaFileObject>> diagnostics, CompileRequest request, Sources sources) {
        Path tree = Paths.get(request.sourceTree);
        Map<Path, SourceText> texts = new HashMap<>();
        sources.explicitFiles().forEach(path -> texts.put(tree.resolve(path), sources.source(path)));
        return diagnostics.stream().map(diagnostic -> {
            JavaFileObject file = diagnostic.getSource();
            boolean isOnDisk = file != null && "file".equals(file.toUri().getScheme());
            SourceText text = isOnDisk ? texts.get(Paths.get(file.toUri())) : null;
            return text == null ? diagnostic : new SourceDiagnostic(diagnostic, text);
        }).collect(Collectors.toList());
    }

    /** Reads the class files, and the other files that processors have written. */
    private void readOutputs(CompileResult result) throws IOException {
        List<MemoryClass> classes = new ArrayList<>();
        try (Stream<Path> files = Files.walk(scratchFolder)) {
            for (Path file : files.filter(Files::isRegularFile).collect(Collectors.toList())) {
                String path = scratchFolder.relativize(file).toString();
                byte[] content = Files.readAllBytes(file);
                if (path.endsWith(CLASS_SUFFIX)) {
                    String name = path.substring(0, path.length() - CLASS_SUFFIX.length()).replace('/', '.');
                    classes.add(new MemoryClass(name, content));
                } else {
                    result.resources.put(path, content);
                }
            }
        }
        result.classes.put(Compilation.ALL_SOURCES, classes);
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).collect(Collectors.toList())) {
                Files.delete(file);
            }
        }
    }
}
