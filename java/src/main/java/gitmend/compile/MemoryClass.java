package gitmend.compile;

import gitmend.facts.SourceText;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import javax.tools.SimpleJavaFileObject;

/** Compiled class in memory. */
final class MemoryClass extends SimpleJavaFileObject {
    /** Binary name: `.` between packages, `$` before nested names. */
    final String name;
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private byte[] bytes;
    private ClassShape shape;
    private byte[] digest;

    MemoryClass(String name) {
        super(URI.create("mem:///" + SourceText.escapePath(name.replace('.', '/')) + ".class"), Kind.CLASS);
        this.name = name;
    }

    MemoryClass(String name, byte[] bytes) {
        this(name);
        this.bytes = bytes;
    }

    byte[] bytes() {
        if (bytes == null) {
            bytes = output.toByteArray();
        }
        return bytes;
    }

    byte[] digest() {
        if (digest == null) {
            digest = Digests.sha256().digest(bytes());
        }
        return digest;
    }

    ClassShape shape() {
        if (shape == null) {
            shape = ClassShape.read(bytes());
        }
        return shape;
    }

    @Override
    public OutputStream openOutputStream() {
        return output;
    }

    @Override
    public InputStream openInputStream() {
        return new ByteArrayInputStream(bytes());
    }
}
