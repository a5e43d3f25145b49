package gitmend.facts;

import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;
import javax.tools.SimpleJavaFileObject;

/** Source file in memory that maps characters to bytes. */
public final class SourceText extends SimpleJavaFileObject {
    private static final Pattern COMMENT_OR_SPACE = Pattern.compile("\\s|//[^\n]*|/\\*.*?\\*/", Pattern.DOTALL);
    private static final long LAST_MODIFIED = System.currentTimeMillis();

    public final String path;
    public final String text;
    /** True if the bytes are valid in the requested encoding. */
    public final boolean isInEncoding;
    private final byte[] content;
    private final Charset encoding;
    /** Byte offset of each character; null if each character is one byte. */
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
            // Invalid in this encoding: one character per byte keeps all offsets right.
            charset = StandardCharsets.ISO_8859_1;
            decoded = new String(content, charset);
        }
        this.text = decoded;
        this.isInEncoding = charset == encoding;
        this.byteOffsets = decoded.length() == content.length ? null : byteOffsets(decoded, charset);
    }

    /** Returns true if the text was decoded from these bytes in this encoding. */
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

    /** Returns the package that the source declares; the empty name for the unnamed package. */
    String packageName() {
        int keyword = findWord("package", 0, text.length());
        int end = text.indexOf(';', keyword + 1);
        if (keyword < 0 || end < 0) {
            return "";
        }
        String name = text.substring(keyword + "package".length(), end);
        return COMMENT_OR_SPACE.matcher(name).replaceAll("");
    }

    /** Returns the name of the class that javac looks up in this file. */
    String binaryName() {
        String packageName = packageName();
        String fileName = path.substring(path.lastIndexOf('/') + 1);
        String className = fileName.substring(0, fileName.length() - Kind.SOURCE.extension.length());
        return packageName.isEmpty() ? className : packageName + "." + className;
    }

    /** Returns the offset of the next occurrence of a word outside comments; -1 if there is none before `end`. */
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

    /** Returns the start of this JVM. Javac prefers newer files: sources to libraries, new classes to sources. */
    @Override
    public long getLastModified() {
        return LAST_MODIFIED;
    }

    @Override
    public String getName() {
        return path;
    }
}
