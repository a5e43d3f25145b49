package gitmend.compile;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Compiles the units of a project (its main sources, its tests) again and again. What was compiled before is
 * kept, and a unit's folder of classes is kept in step with it.
 */
final class Compilations {
    private final Map<String, Unit> units = new HashMap<>();

    ByteArrayOutputStream answer(byte[] request) throws IOException {
        CompileRequest asked = CompileRequest.read(request);
        Unit unit = units.computeIfAbsent(asked.output, Unit::new);
        Compiled compiled = unit.compile(asked, units);
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(answer);
        byte[] text = compiled.text().getBytes(StandardCharsets.UTF_8);
        out.writeByte(compiled.isUnfit ? 2 : compiled.isOk() ? 0 : 1);
        out.writeInt(compiled.files);
        out.write(Digests.of(compiled.classes));
        out.writeInt(text.length);
        out.write(text);
        compiled.errors().writeTo(out);
        return answer;
    }
}
