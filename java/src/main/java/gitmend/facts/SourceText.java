package gitmend.facts;

import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import javax.tools.SimpleJavaFileObject;

/** Source file in memory that maps characters to bytes. */
public final class SourceText extends SimpleJavaFileObject {
    private static final long LAST_MODIFIED = System.currentTimeMillis();

    public final String path;
    public final String text;
    /** Whether the bytes are a text in the encoding that was promised. */
    public final boolean isInEncoding;
    private final byte[] content;
    private final Charset encoding;
    /** Null where characters are bytes. */
    private final int[] byteOffsets;

    public SourceText(String path, byte[] content, Charset encoding) {
        super(URI.create("mem:///" + escapePath(path)), Kind.SOURCE);
        this.path = path;
        this.content = content;
        this.encoding = encoding;
        Charset charset = encoding;
        String decoded;
        try {
            decoded = charset.newDecoder().decode(ByteBuffer.wrap(content)).toString();
        } catch (CharacterCodingException e) {
            // Another encoding than promised: a character for each byte keeps all places right.
            charset = StandardCharsets.ISO_8859_1;
            decoded = new String(content, charset);
        }
        this.text = decoded;
        this.isInEncoding = charset == encoding;
        this.byteOffsets = decoded.length() == content.length ? null : byteOffsets(decoded, charset);
    }

    /** Whether it was made of these bytes, in this encoding. */
    public boolean isDecodedFrom(byte[] bytes, Charset encoding) {
        return Arrays.equals(content, bytes) && this.encoding.equals(encoding);
    }

    public boolean hasSameBytes(SourceText other) {
        return other != null && Arrays.equals(content, other.content);
    }

    public static String escapePath(String path) {
        StringBuilder out = new StringBuilder();
        for (byte b : path.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            if (c < 0x80 && (Character.isLetterOrDigit(c) || "/._-$".indexOf(c) >= 0)) {
                out.append(c);
            } else {
                out.append(String.format("%%%02X", (int) c));
            }
        }
        return out.toString();
    }

    private static int[] byteOffsets(String text, Charset charset) {
        int[] offsets = new int[text.length() + 1];
        int byteOffset = 0;
        for (int i = 0; i < text.length(); i++) {
            offsets[i] = byteOffset;
            char c = text.charAt(i);
            if (c < 0x80) {
                byteOffset++;
            } else if (Character.isHighSurrogate(c) && i + 1 < text.length()) {
                offsets[i + 1] = byteOffset;
                byteOffset += charset.encode(CharBuffer.wrap(text, i, i + 2)).remaining();
                i++;
            } else {
                byteOffset += charset.encode(CharBuffer.wrap(text, i, i + 1)).remaining();
            }
        }
        offsets[text.length()] = byteOffset;
        return offsets;
    }

    int byteOffset(int character) {
        return byteOffsets == null ? character : byteOffsets[Math.min(character, text.length())];
    }

    /** Where a word stands next, comments left out; -1 if it is not there before `end`. */
    int findWord(String word, int start, int end) {
        int offset = start;
        while (offset + word.length() <= end) {
            if (text.startsWith("//", offset)) {
                int line = text.indexOf('\n', offset);
                offset = line < 0 ? end : line + 1;
            } else if (text.startsWith("/*", offset)) {
                int close = text.indexOf("*/", offset + 2);
                offset = close < 0 ? end : close + 2;
            } else if (Character.isJavaIdentifierStart(text.charAt(offset))) {
                int stop = offset;
                while (stop < text.length() && Character.isJavaIdentifierPart(text.charAt(stop))) {
                    stop++;
                }
                if (stop - offset == word.length() && text.startsWith(word, offset)) {
                    return offset;
                }
                offset = stop;
            } else {
                offset++;
            }
        }
        return -1;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return text;
    }

    /** Newer than libraries and older than what is compiled now: that is how javac chooses between them. */
    @Override
    public long getLastModified() {
        return LAST_MODIFIED;
    }

    @Override
    public String getName() {
        return path;
    }
}
