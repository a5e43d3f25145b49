package gitmend.facts;

import gitmend.wire.Wire;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;

/** Request for facts: one version of the sources, and the facts to report. */
final class FactsRequest {
    boolean wantsFacts;
    String classPath;
    final List<String> options = new ArrayList<>();
    final List<SourceText> sources = new ArrayList<>();

    static FactsRequest read(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        FactsRequest request = new FactsRequest();
        request.wantsFacts = in.readByte() != 0;
        Charset encoding = Charset.forName(Wire.string(in));
        request.classPath = Wire.string(in);
        for (int left = in.readInt(); left > 0; left--) {
            request.options.add(Wire.string(in));
        }
        for (int left = in.readInt(); left > 0; left--) {
            request.sources.add(new SourceText(Wire.string(in), block(in), encoding));
        }
        return request;
    }

    private static byte[] block(DataInputStream in) throws IOException {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return bytes;
    }
}
