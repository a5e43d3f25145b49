package gitmend.runtime;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The source files of a unit: those to compile, and those that are compiled if they are needed. */
final class Sources {
    /** Why they cannot be compiled here, if they cannot. */
    String obstacle;
    private final Map<String, byte[]> contents = new TreeMap<>();
    private final Map<String, SourceText> texts = new TreeMap<>();
    private final Set<String> explicit = new TreeSet<>();
    /** The names of the classes that are looked for in files of source folders. */
    private final Map<String, String> offered = new TreeMap<>();

    static Sources read(Asked asked) throws IOException {
        Sources sources = new Sources();
        Path tree = Paths.get(asked.tree);
        for (String file : asked.files) {
            sources.explicit.add(sources.take(tree, Paths.get(file)));
        }
        Charset encoding = sources.encoding(asked);
        for (String root : asked.sourcePath) {
            for (Path file : javaFiles(Paths.get(root))) {
                String path = sources.take(tree, file);
                String name = Paths.get(root).relativize(file).toString();
                sources.offered.putIfAbsent(path, name.substring(0, name.length() - 5).replace('/', '.'));
            }
        }
        for (Map.Entry<String, byte[]> content : sources.contents.entrySet()) {
            sources.texts.put(
                    content.getKey(), new SourceText(content.getKey(), content.getValue(), encoding));
            if (!isIn(encoding, content.getValue())) {
                sources.obstacle = content.getKey() + " is not in " + encoding;
            }
        }
        return sources;
    }

    private String take(Path tree, Path file) throws IOException {
        String path = file.startsWith(tree) ? tree.relativize(file).toString() : file.toString();
        if (!contents.containsKey(path)) {
            contents.put(path, Files.readAllBytes(file));
        }
        return path;
    }

    private Charset encoding(Asked asked) {
        if (!asked.encoding.isEmpty()) {
            return Charset.forName(asked.encoding);
        }
        Charset usual = Charset.forName("UTF-8");
        boolean isUsual = contents.values().stream().allMatch(content -> isIn(usual, content));
        return isUsual ? usual : Charset.forName(asked.otherEncoding);
    }

    private static boolean isIn(Charset encoding, byte[] content) {
        try {
            encoding.newDecoder().decode(ByteBuffer.wrap(content));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
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

    Set<String> explicit() {
        return explicit;
    }

    SourceText source(String path) {
        return texts.get(path);
    }

    String text(String path) {
        return texts.get(path).text;
    }

    boolean hasSameNames(Sources other) {
        return explicit.equals(other.explicit) && offered.equals(other.offered);
    }

    /** The files whose content is another; both have the same names. */
    Set<String> changedSince(Sources other) {
        Set<String> changed = new TreeSet<>();
        for (Map.Entry<String, byte[]> content : contents.entrySet()) {
            if (!Arrays.equals(content.getValue(), other.contents.get(content.getKey()))) {
                changed.add(content.getKey());
            }
        }
        return changed;
    }

    /** Lets a compilation find what is compiled neither by it nor before it. */
    void offerTo(MemoryFiles files, Set<String> todo, Set<String> known) {
        offered.forEach((path, name) -> {
            if (todo.contains(path) || !known.contains(path)) {
                files.offer(texts.get(path), name);
            }
        });
    }
}
