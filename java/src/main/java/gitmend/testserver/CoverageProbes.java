package gitmend.testserver;

import gitmend.classfile.ClassRewriter;
import gitmend.classfile.InstructionBuilder;
import gitmend.classfile.MethodCode;
import gitmend.runner.Coverage;
import java.io.IOException;

/** Rewriter that inserts a coverage probe at the beginning of each method. */
final class CoverageProbes extends ClassRewriter {
    private static final String COVERAGE = Coverage.class.getName().replace('.', '/');

    private CoverageProbes(byte[] original) throws IOException {
        super(original);
    }

    /** Returns the class with probes, or unchanged if they do not fit. */
    static byte[] insert(byte[] original) {
        try {
            return new CoverageProbes(original).rewrite();
        } catch (IOException e) {
            return original;
        }
    }

    /** Inserts a probe. A method that would become too long is not changed. */
    @Override
    protected byte[] rewriteCode(int access, String method, String descriptor, byte[] content) {
        try {
            MethodCode code = new MethodCode(content);
            int probe = Coverage.addProbe(name.replace('/', '.') + "#" + enclosingMethod(method));
            code.insertAtStart(new InstructionBuilder(constants, COVERAGE).pushInt(probe).callHook("enter", "(I)V")
                    .toByteArray());
            code.reserve(1, 0);
            return code.assemble(constants);
        } catch (IOException e) {
            return content;
        }
    }

    /** Returns the method that contains a lambda; for other methods, the name itself. */
    private static String enclosingMethod(String member) {
        int end = member.lastIndexOf('$');
        return member.startsWith("lambda$") && end > 7 ? member.substring(7, end) : member;
    }
}
