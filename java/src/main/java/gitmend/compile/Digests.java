package gitmend.compile;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/** Digests of class files. */
final class Digests {
    private Digests() {}

    /** Returns a digest of the names and contents of classes. */
    static byte[] digestOf(Map<String, ? extends Collection<MemoryClass>> classes) {
        Map<String, MemoryClass> byName = new TreeMap<>();
        classes.values().forEach(list -> list.forEach(compiledClass -> byName.put(compiledClass.name, compiledClass)));
        MessageDigest digest = sha256();
        byName.forEach((name, compiledClass) -> {
            digest.update(name.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            digest.update(compiledClass.digest());
        });
        return digest.digest();
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
