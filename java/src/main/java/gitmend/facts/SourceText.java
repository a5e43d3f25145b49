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
    private static final long START = System.currentTimeMillis();

    public final String path;
    public final String text;
    /** Whether the bytes are a text in the encoding that was promised. */
    public final boolean isAsPromised;
    private final byte[] content;
    private final Charset promised;
    /** Null where characters are bytes. */
    private final int[] bytes;

    public SourceText(String path, byte[] content, Charset encoding) {
        super(URI.create("mem:///" + escaped(path)), Kind.SOURCE);
        this.path = path;
        this.content = content;
        this.promised = encoding;
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
        this.isAsPromised = charset == encoding;
        this.bytes = decoded.length() == content.length ? null : offsets(decoded, charset);
    }

    /** Whether it was made of these bytes, in this encoding. */
    public boolean isOf(byte[] bytes, Charset encoding) {
        return Arrays.equals(content, bytes) && promised.equals(encoding);
    }

    public boolean hasBytesOf(SourceText other) {
        return other != null && Arrays.equals(content, other.content);
    }

    public static String escaped(String path) {
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

    private static int[] offsets(String text, Charset charset) {
        int[] offsets = new int[text.length() + 1];
        int at = 0;
        for (int i = 0; i < text.length(); i++) {
            offsets[i] = at;
            char c = text.charAt(i);
            if (c < 0x80) {
                at++;
            } else if (Character.isHighSurrogate(c) && i + 1 < text.length()) {
                offsets[i + 1] = at;
                at += charset.encode(CharBuffer.wrap(text, i, i + 2)).remaining();
                i++;
            } else {
                at += charset.encode(CharBuffer.wrap(text, i, i + 1)).remaining();
            }
        }
        offsets[text.length()] = at;
        return offsets;
    }

    int byteAt(int character) {
        return bytes == null ? character : bytes[Math.min(character, text.length())];
    }

    /** Where a word stands next, comments left out; -1 if it is not there before `end`. */
    int find(String word, int start, int end) {
        int at = start;
        while (at + word.length() <= end) {
            if (text.startsWith("//", at)) {
                int line = text.indexOf('\n', at);
                at = line < 0 ? end : line + 1;
            } else if (text.startsWith("/*", at)) {
                int close = text.indexOf("*/", at + 2);
                at = close < 0 ? end : close + 2;
            } else if (Character.isJavaIdentifierStart(text.charAt(at))) {
                int stop = at;
                while (stop < text.length() && Character.isJavaIdentifierPart(text.charAt(stop))) {
                    stop++;
                }
                if (stop - at == word.length() && text.startsWith(word, at)) {
                    return at;
                }
                at = stop;
            } else {
                at++;
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
        return START;
    }

    @Override
    public String getName() {
        return path;
    }
}
