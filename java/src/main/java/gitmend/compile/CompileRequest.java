package gitmend.compile;

import gitmend.wire.Wire;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.List;

/** Request for one compilation. Paths are absolute. */
final class CompileRequest {
    String tree;
    String output;
    /** Empty: UTF-8 where every file is, else what is named next. */
    String encoding;
    String otherEncoding;
    List<String> classPath;
    List<String> sourcePath;
    List<String> options;
    List<String> files;
    /** Whether the first refusals are enough. */
    boolean isHasty;

    static CompileRequest read(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        CompileRequest asked = new CompileRequest();
        asked.tree = Wire.string(in);
        asked.output = Wire.string(in);
        asked.encoding = Wire.string(in);
        asked.otherEncoding = Wire.string(in);
        asked.classPath = Wire.strings(in);
        asked.sourcePath = Wire.strings(in);
        asked.options = Wire.strings(in);
        asked.files = Wire.strings(in);
        asked.isHasty = in.readBoolean();
        return asked;
    }
}
