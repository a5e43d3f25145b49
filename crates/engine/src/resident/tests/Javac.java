package gitmend.javac;

import gitmend.wire.Wire;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import javax.tools.ToolProvider;

/** Runs the compiler from scratch for each request: takes its arguments, and returns exit code and output. */
public final class Javac {
    private Javac() {}

    public static void main(String[] args) throws IOException {
        Wire.serve(Javac::answer, 64L << 20);
    }

    private static ByteArrayOutputStream answer(byte[] request) throws IOException {
        String[] arguments = Wire.readStrings(new DataInputStream(new ByteArrayInputStream(request)))
                .toArray(new String[0]);
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        int code = ToolProvider.getSystemJavaCompiler().run(null, output, output, arguments);
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        answer.write(code);
        output.writeTo(answer);
        return answer;
    }
}
