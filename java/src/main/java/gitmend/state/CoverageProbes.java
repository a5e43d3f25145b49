package gitmend.state;

import gitmend.classfile.ClassRewriter;
import gitmend.classfile.InstructionBuilder;
import gitmend.classfile.MethodCode;
import gitmend.runner.Coverage;
import java.io.IOException;

/** Inserter of a probe at the beginning of each method of a class. */
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

    /** A method that is too long for a probe stays as it is. */
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

    /** Counts a lambda as a part of the method that contains it. */
    private static String enclosingMethod(String member) {
        int end = member.lastIndexOf('$');
        return member.startsWith("lambda$") && end > 7 ? member.substring(7, end) : member;
    }
}
