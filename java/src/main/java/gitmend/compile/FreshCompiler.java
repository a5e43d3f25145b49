package gitmend.compile;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;

/**
 * Runs the `javac` command for clean builds. Calls share no compiler state with each other or with the warm compiler,
 * only the classes and compiled code of the JVM.
 */
final class FreshCompiler {
    private static final int OK = 0;
    private static final int FAILED = 1;
    /** The compiler itself failed, for example for lack of memory. */
    private static final int BROKEN = 2;
    /** Largest exit code of `javac` that concerns the sources or the command line. */
    private static final int MAX_ORDINARY_EXIT_CODE = 2;

    private FreshCompiler() {}

    /**
     * Runs the compiler. The request is a byte and the name of an argument file; the response is the status and the
     * output.
     */
    static ByteArrayOutputStream answer(byte[] request) throws IOException {
        String arguments = "@" + new String(request, 1, request.length - 1, StandardCharsets.UTF_8);
        StringWriter output = new StringWriter();
        int exitCode = com.sun.tools.javac.Main.compile(new String[] {arguments}, new PrintWriter(output, true));
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        answer.write(exitCode == 0 ? OK : exitCode <= MAX_ORDINARY_EXIT_CODE ? FAILED : BROKEN);
        answer.write(output.toString().getBytes(StandardCharsets.UTF_8));
        return answer;
    }
}
