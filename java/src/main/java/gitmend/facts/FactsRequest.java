package gitmend.facts;

import gitmend.wire.Wire;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;

/** Request for facts or errors of one version of the sources. */
final class FactsRequest {
    boolean wantsFacts;
    String classPath;
    final List<String> options = new ArrayList<>();
    /** Sources to attribute. */
    final List<SourceText> sources = new ArrayList<>();
    /** Sources that only provide the classes that the others use. */
    final List<SourceText> sourcePath = new ArrayList<>();

    static FactsRequest read(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        FactsRequest request = new FactsRequest();
        request.wantsFacts = in.readByte() != 0;
        Charset encoding = Charset.forName(Wire.readString(in));
        request.classPath = Wire.readString(in);
        for (int remaining = in.readInt(); remaining > 0; remaining--) {
            request.options.add(Wire.readString(in));
        }
        for (int remaining = in.readInt(); remaining > 0; remaining--) {
            List<SourceText> list = in.readByte() != 0 ? request.sources : request.sourcePath;
            list.add(new SourceText(Wire.readString(in), readBlock(in), encoding));
        }
        return request;
    }

    private static byte[] readBlock(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return bytes;
    }
}
