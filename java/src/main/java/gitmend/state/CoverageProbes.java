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
            return new CoverageProbes(original).rewritten();
        } catch (IOException e) {
            return original;
        }
    }

    /** A method that is too long for a probe stays as it is. */
    @Override
    protected byte[] code(int access, String method, String type, byte[] content) {
        try {
            MethodCode code = new MethodCode(content);
            int probe = Coverage.add(name.replace('/', '.') + "#" + methodOf(method));
            code.atStart(new InstructionBuilder(constants, COVERAGE).number(probe).hook("enter", "(I)V").code());
            code.reserve(1, 0);
            return code.written(constants);
        } catch (IOException e) {
            return content;
        }
    }

    /** Counts a lambda as a part of the method that contains it. */
    private static String methodOf(String member) {
        int end = member.lastIndexOf('$');
        return member.startsWith("lambda$") && end > 7 ? member.substring(7, end) : member;
    }
}
