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

/**
 * Folder of class files. An update writes only the files that differ, including those that another program has changed.
 */
final class ClassFolder {
    private final Path root;
    private final Map<String, byte[]> writtenFiles = new HashMap<>();
    private final Map<String, String> writtenStamps = new HashMap<>();

    ClassFolder(String root) {
        this.root = Paths.get(root);
    }

    /** Updates the folder so that it has exactly these files. */
    void update(Map<String, byte[]> files) throws IOException {
        Map<String, String> foundStamps = deleteObsolete(files);
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            String path = file.getKey();
            boolean isUpToDate = writtenStamps.containsKey(path)
                    && writtenStamps.get(path).equals(foundStamps.get(path))
                    && Arrays.equals(writtenFiles.get(path), file.getValue());
            if (!isUpToDate) {
                Path target = root.resolve(path);
                Files.createDirectories(target.getParent());
                writtenStamps.remove(path);
                Files.deleteIfExists(target);
                Files.write(target, file.getValue());
                writtenStamps.put(path, stampOf(Files.readAttributes(target, BasicFileAttributes.class)));
            }
        }
        writtenFiles.clear();
        writtenFiles.putAll(files);
    }

    /** Deletes all other files, and returns the stamps of those that exist. */
    private Map<String, String> deleteObsolete(Map<String, byte[]> files) throws IOException {
        Files.createDirectories(root);
        Map<String, String> stamps = new HashMap<>();
        Files.walkFileTree(root, new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                String path = root.relativize(file).toString();
                if (files.containsKey(path)) {
                    stamps.put(path, stampOf(attributes));
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
        return stamps;
    }

    private static String stampOf(BasicFileAttributes attributes) {
        return attributes.size() + " " + attributes.lastModifiedTime() + " " + attributes.fileKey();
    }
}
