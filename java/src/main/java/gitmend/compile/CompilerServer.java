package gitmend.compile;

import gitmend.facts.FactsServer;
import gitmend.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;

/** Server of the warm compiler. The first byte of a request selects compilation or attribution. */
public final class CompilerServer {
    private static final int COMPILATION = 2;
    private static final long STACK_SIZE = 64L << 20;
    /** Larger stack, because attribution recurses into nested expressions. */
    private static final long FACTS_STACK_SIZE = 512L << 20;

    private final Compilations compilations = new Compilations();
    private final FactsServer facts = new FactsServer();

    private CompilerServer() {}

    public static void main(String[] args) throws IOException {
        Wire.serve(new CompilerServer()::answer, STACK_SIZE);
    }

    private ByteArrayOutputStream answer(byte[] request) throws Throwable {
        if (request[0] == COMPILATION) {
            return compilations.answer(Arrays.copyOfRange(request, 1, request.length));
        }
        Wire.Handler handler = facts::answer;
        Object[] outcome = new Object[1];
        Thread thread = new Thread(null, () -> {
            try {
                outcome[0] = handler.answer(request);
            } catch (Throwable e) {
                outcome[0] = e;
            }
        }, "facts", FACTS_STACK_SIZE);
        thread.start();
        thread.join();
        if (outcome[0] instanceof Throwable) {
            throw (Throwable) outcome[0];
        }
        return (ByteArrayOutputStream) outcome[0];
    }
}
