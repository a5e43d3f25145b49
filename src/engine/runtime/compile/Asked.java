package gitmend.runtime;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** One compilation that is asked for. Paths are absolute. */
final class Asked {
    String tree;
    String output;
    /** Empty: UTF-8 where every file is, else what is named next. */
    String encoding;
    String otherEncoding;
    List<String> classPath;
    List<String> sourcePath;
    List<String> options;
    List<String> files;

    static Asked read(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        Asked asked = new Asked();
        asked.tree = string(in);
        asked.output = string(in);
        asked.encoding = string(in);
        asked.otherEncoding = string(in);
        asked.classPath = strings(in);
        asked.sourcePath = strings(in);
        asked.options = strings(in);
        asked.files = strings(in);
        return asked;
    }

    private static List<String> strings(DataInputStream in) throws IOException {
        List<String> strings = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            strings.add(string(in));
        }
        return strings;
    }

    private static String string(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
