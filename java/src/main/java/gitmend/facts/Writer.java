package gitmend.facts;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writer of variable-length numbers (seven bits per byte) and length-prefixed strings. */
public final class Writer extends ByteArrayOutputStream {
    void writeNumber(int value) {
        int rest = value;
        while ((rest & ~0x7f) != 0) {
            write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        write(rest);
    }

    void writeString(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        writeNumber(bytes.length);
        write(bytes, 0, bytes.length);
    }
}
