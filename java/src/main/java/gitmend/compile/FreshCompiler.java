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
    private static final int FAILED = 1;
    /** The stack that the command has. */
    private static final long DEFAULT_STACK_SIZE = 0;

    private FreshCompiler() {}

    public static void main(String[] args) throws IOException {
        Wire.serve(FreshCompiler::answer, DEFAULT_STACK_SIZE);
    }

    /** A request is the name of a file with arguments; an answer is how it went, and what the compiler said. */
    private static ByteArrayOutputStream answer(byte[] request) throws IOException {
        String arguments = "@" + new String(request, StandardCharsets.UTF_8);
        StringWriter output = new StringWriter();
        int exitCode = com.sun.tools.javac.Main.compile(new String[] {arguments}, new PrintWriter(output, true));
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        answer.write(exitCode == 0 ? OK : FAILED);
        answer.write(output.toString().getBytes(StandardCharsets.UTF_8));
        return answer;
    }
}
