package gitmend.compile;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Incremental compiler of the units of a project (main sources, tests). It keeps earlier compilations, and updates the
 * class folder of each unit.
 */
final class Compilations {
    private static final int OK = 0;
    private static final int FAILED = 1;
    private static final int UNSUPPORTED = 2;

    private final Map<String, Unit> units = new HashMap<>();

    ByteArrayOutputStream answer(byte[] payload) throws IOException {
        CompileRequest request = CompileRequest.read(payload);
        Unit unit = units.computeIfAbsent(request.outputFolder, Unit::new);
        CompileResult result = unit.compile(request, units);
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(answer);
        byte[] text = result.toText().getBytes(StandardCharsets.UTF_8);
        out.writeByte(result.isUnsupported ? UNSUPPORTED : result.isSuccess() ? OK : FAILED);
        out.writeInt(result.fileCount);
        out.write(Digests.digestOf(result.classes, result.resources));
        out.writeInt(text.length);
        out.write(text);
        result.encodeErrors().writeTo(out);
        return answer;
    }
}
