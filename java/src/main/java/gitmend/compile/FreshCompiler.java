package gitmend.compile;

import gitmend.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;

/**
 * The command, call by call, for one build: nothing of a call is left for the next one but what the JVM has loaded
 * and translated.
 */
public final class FreshCompiler {
    private static final int OK = 0;
    private static final int REFUSED = 1;
    /** The stack that the command has. */
    private static final long USUAL = 0;

    private FreshCompiler() {}

    public static void main(String[] args) throws IOException {
        Wire.serve(FreshCompiler::answer, USUAL);
    }

    /** A request is the name of a file with arguments; an answer is how it went, and what the compiler said. */
    private static ByteArrayOutputStream answer(byte[] request) throws IOException {
        String arguments = "@" + new String(request, StandardCharsets.UTF_8);
        StringWriter said = new StringWriter();
        int code = com.sun.tools.javac.Main.compile(new String[] {arguments}, new PrintWriter(said, true));
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        answer.write(code == 0 ? OK : REFUSED);
        answer.write(said.toString().getBytes(StandardCharsets.UTF_8));
        return answer;
    }
}
