package gitmend.compile;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** A folder of classes, updated by writing only changed files, also after another program wrote to
 * it. */
final class ClassFolder {
    private final Path root;
    private final Map<String, byte[]> written = new HashMap<>();
    private final Map<String, String> stamps = new HashMap<>();

    ClassFolder(String root) {
        this.root = Paths.get(root);
    }

    /** Makes it hold just these files. */
    void become(Map<String, byte[]> files) throws IOException {
        Map<String, String> found = sweep(files);
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            String path = file.getKey();
            boolean isThere = stamps.containsKey(path)
                    && stamps.get(path).equals(found.get(path))
                    && Arrays.equals(written.get(path), file.getValue());
            if (!isThere) {
                Path target = root.resolve(path);
                Files.createDirectories(target.getParent());
                stamps.remove(path);
                Files.deleteIfExists(target);
                Files.write(target, file.getValue());
                stamps.put(path, stamp(Files.readAttributes(target, BasicFileAttributes.class)));
            }
        }
        written.clear();
        written.putAll(files);
    }

    /** Removes what is not wanted, and gives the stamps of what is there. */
    private Map<String, String> sweep(Map<String, byte[]> wanted) throws IOException {
        Files.createDirectories(root);
        Map<String, String> found = new HashMap<>();
        Files.walkFileTree(root, new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                String path = root.relativize(file).toString();
                if (wanted.containsKey(path)) {
                    found.put(path, stamp(attributes));
                } else {
                    Files.delete(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, IOException e) throws IOException {
                if (!folder.equals(root) && folder.toFile().list().length == 0) {
                    Files.delete(folder);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }

    private static String stamp(BasicFileAttributes attributes) {
        return attributes.size() + " " + attributes.lastModifiedTime() + " " + attributes.fileKey();
    }
}
