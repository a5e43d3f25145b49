package gitmend.compile;

import gitmend.wire.Wire;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.List;

/** Request for one compilation. Paths are absolute. */
final class CompileRequest {
    String sourceTree;
    String outputFolder;
    /** Encoding; empty for UTF-8 if all files are valid UTF-8, else the fallback encoding. */
    String encoding;
    String fallbackEncoding;
    List<String> classPath;
    List<String> sourcePath;
    List<String> options;
    List<String> sourceFiles;
    /** True if annotation processors run. */
    boolean runsProcessors;
    /** True if a failed incremental compilation need not report all errors. */
    boolean acceptsPartialErrors;

    static CompileRequest read(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        CompileRequest request = new CompileRequest();
        request.sourceTree = Wire.readString(in);
        request.outputFolder = Wire.readString(in);
        request.encoding = Wire.readString(in);
        request.fallbackEncoding = Wire.readString(in);
        request.classPath = Wire.readStrings(in);
        request.sourcePath = Wire.readStrings(in);
        request.options = Wire.readStrings(in);
        request.sourceFiles = Wire.readStrings(in);
        request.runsProcessors = in.readBoolean();
        request.acceptsPartialErrors = in.readBoolean();
        return request;
    }
}
