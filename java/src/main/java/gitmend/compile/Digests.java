package gitmend.compile;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/** Digests of class files and resources. */
final class Digests {
    private Digests() {}

    /** Returns a digest of the names and contents of classes and resources. Generated sources do not affect a test. */
    static byte[] digestOf(Map<String, ? extends Collection<MemoryClass>> classes, Map<String, byte[]> resources) {
        Map<String, MemoryClass> byName = new TreeMap<>();
        classes.values().forEach(list -> list.forEach(compiledClass -> byName.put(compiledClass.name, compiledClass)));
        MessageDigest digest = sha256();
        byName.forEach((name, compiledClass) -> add(digest, name, compiledClass.digest()));
        resources.forEach((path, content) -> {
            if (!path.endsWith(".java")) {
                add(digest, path, sha256().digest(content));
            }
        });
        return digest.digest();
    }

    private static void add(MessageDigest digest, String name, byte[] contentDigest) {
        digest.update(name.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0);
        digest.update(contentDigest);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
