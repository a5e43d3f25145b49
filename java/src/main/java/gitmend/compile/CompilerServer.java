package gitmend.compile;

import gitmend.facts.FactsServer;
import gitmend.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;

/** Server of the warm compiler. The first byte of a request selects compilation, clean build or attribution. */
public final class CompilerServer {
    private static final int COMPILATION = 2;
    private static final int CLEAN_BUILD = 3;
    private static final long STACK_SIZE = 64L << 20;
    /** Larger stack, because attribution recurses into nested expressions. */
    private static final long FACTS_STACK_SIZE = 512L << 20;
    /** Default stack size, which the `javac` command uses too. */
    private static final long DEFAULT_STACK_SIZE = 0;

    private final Compilations compilations = new Compilations();
    private final FactsServer facts = new FactsServer();

    private CompilerServer() {}

    public static void main(String[] args) throws IOException {
        Wire.serve(new CompilerServer()::answer, STACK_SIZE);
    }

    private ByteArrayOutputStream answer(byte[] request) throws Throwable {
        switch (request[0]) {
            case COMPILATION:
                return compilations.answer(Arrays.copyOfRange(request, 1, request.length));
            case CLEAN_BUILD:
                return answerInThread(FreshCompiler::answer, request, DEFAULT_STACK_SIZE);
            default:
                return answerInThread(facts::answer, request, FACTS_STACK_SIZE);
        }
    }

    /** Answers a request in a thread with a stack of `stackSize` bytes. */
    private static ByteArrayOutputStream answerInThread(Wire.Handler handler, byte[] request, long stackSize)
            throws Throwable {
        Object[] outcome = new Object[1];
        Thread thread = new Thread(null, () -> {
            try {
                outcome[0] = handler.answer(request);
            } catch (Throwable e) {
                outcome[0] = e;
            }
        }, "request", stackSize);
        thread.start();
        thread.join();
        if (outcome[0] instanceof Throwable) {
            throw (Throwable) outcome[0];
        }
        return (ByteArrayOutputStream) outcome[0];
    }
}
