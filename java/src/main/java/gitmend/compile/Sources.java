package gitmend.compile;

import gitmend.facts.SourceText;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Source files of a unit: explicit files, and files of source folders that are compiled if needed. */
final class Sources {
    /** Reason for which the warm compiler cannot compile the sources; null if it can. */
    String unsupportedReason;
    private Charset encoding;
    private final Map<String, SourceText> texts = new TreeMap<>();
    private final Set<String> explicitFiles = new TreeSet<>();
    /** Class names by path, for the files of source folders. */
    private final Map<String, String> implicitClassNames = new TreeMap<>();

    /** Reads the sources. Unchanged files of `previous`, which may be null, are not decoded again. */
    static Sources read(CompileRequest request, Sources previous) throws IOException {
        Sources sources = new Sources();
        Path tree = Paths.get(request.sourceTree);
        Map<String, byte[]> contents = new TreeMap<>();
        for (String file : request.sourceFiles) {
            sources.explicitFiles.add(readFile(contents, tree, Paths.get(file)));
        }
        for (String root : request.sourcePath) {
            for (Path file : javaFiles(Paths.get(root))) {
                String path = readFile(contents, tree, file);
                String name = Paths.get(root).relativize(file).toString();
                sources.implicitClassNames.putIfAbsent(path, name.substring(0, name.length() - 5).replace('/', '.'));
            }
        }
        Map<String, SourceText> previousTexts = previous == null ? Collections.emptyMap() : previous.texts;
        boolean hasEncoding = !request.encoding.isEmpty();
        sources.decode(contents, Charset.forName(hasEncoding ? request.encoding : "UTF-8"), previousTexts);
        if (!hasEncoding && !sources.explicitFiles.stream().allMatch(path -> sources.source(path).isInEncoding)) {
            sources.decode(contents, Charset.forName(request.fallbackEncoding), previousTexts);
        }
        return sources;
    }

    /** Reads a file and returns its path, relative to the source tree if it is inside. */
    private static String readFile(Map<String, byte[]> contents, Path tree, Path file) throws IOException {
        String path = file.startsWith(tree) ? tree.relativize(file).toString() : file.toString();
        if (!contents.containsKey(path)) {
            contents.put(path, Files.readAllBytes(file));
        }
        return path;
    }

    private void decode(Map<String, byte[]> contents, Charset encoding, Map<String, SourceText> previousTexts) {
        unsupportedReason = null;
        this.encoding = encoding;
        contents.forEach((path, content) -> {
            SourceText text = previousTexts.get(path);
            if (text == null || !text.isDecodedFrom(content, encoding)) {
                text = new SourceText(path, content, encoding);
            }
            texts.put(path, text);
            if (!text.isInEncoding) {
                unsupportedReason = path + " is not in " + encoding;
            }
        });
    }

    private static List<Path> javaFiles(Path root) throws IOException {
        if (!Files.isDirectory(root)) {
            return new ArrayList<>();
        }
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.endsWith("module-info.java"))
                    .filter(Files::isRegularFile)
                    .collect(Collectors.toList());
        }
    }

    Charset encoding() {
        return encoding;
    }

    Set<String> explicitFiles() {
        return explicitFiles;
    }

    SourceText source(String path) {
        return texts.get(path);
    }

    String text(String path) {
        return texts.get(path).text;
    }

    boolean hasSameFiles(Sources other) {
        return explicitFiles.equals(other.explicitFiles) && implicitClassNames.equals(other.implicitClassNames);
    }

    boolean contains(String path) {
        return texts.containsKey(path);
    }

    /** Returns true if the file is compiled only if another file needs it. */
    boolean isImplicit(String path) {
        return implicitClassNames.containsKey(path) && !explicitFiles.contains(path);
    }

    /** Returns the names of the classes of source folders. */
    Collection<String> implicitClassNames() {
        return implicitClassNames.values();
    }

    /**
     * Returns true if classes of the other sources can be reused. Not if a file is no longer explicit: its classes would
     * remain although nothing needs them.
     */
    boolean canReuseClassesOf(Sources other) {
        return encoding.equals(other.encoding)
                && other.explicitFiles.stream().noneMatch(path -> contains(path) && isImplicit(path));
    }

    /** Returns the files that the other sources do not have, do not have as explicit files, or have with other content. */
    Set<String> changedSince(Sources other) {
        Set<String> changed = new TreeSet<>();
        texts.forEach((path, text) -> {
            boolean isNewlyExplicit = other.isImplicit(path) && !isImplicit(path);
            if (isNewlyExplicit || !text.hasSameBytes(other.texts.get(path))) {
                changed.add(path);
            }
        });
        return changed;
    }

    /** Returns the files of the other sources that these do not have. */
    Set<String> removedSince(Sources other) {
        Set<String> removed = new TreeSet<>(other.texts.keySet());
        removed.removeAll(texts.keySet());
        return removed;
    }

    /** Adds files that are not compiled yet, for implicit compilation. */
    void addImplicitSources(MemoryFiles files, Set<String> filesToCompile, Set<String> compiledFiles) {
        implicitClassNames.forEach((path, name) -> {
            if (filesToCompile.contains(path) || !compiledFiles.contains(path)) {
                files.addSource(texts.get(path), name);
            }
        });
    }
}
