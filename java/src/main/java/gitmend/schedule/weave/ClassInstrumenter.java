package gitmend.schedule.weave;

import gitmend.classfile.ClassRewriter;
import gitmend.classfile.ConstantPool;
import gitmend.classfile.InstructionBuilder;
import gitmend.classfile.Opcodes;
import gitmend.framework.FrameworkClassLoader;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Instrumenter of one class file. Everything except code is copied unchanged, apart from the names of copied classes.
 */
final class ClassInstrumenter extends ClassRewriter {
    /** Role of a class, which determines its hooks. */
    enum Role {
        /** Every access to shared state is a scheduling point. */
        PROJECT,
        /** Threads, monitors and waits are controlled; variables are not observed. */
        LIBRARY,
        /** Copied JDK class: instrumented like a library; its methods also order the project's threads. */
        COPY
    }

    /** The class whose methods instrumented code calls. */
    static final String HOOKS = "gitmend/schedule/control/Hooks";
    private static final int PRIVATE_STATIC_SYNTHETIC = 0x100a;
    private static final int VIRTUAL_HANDLE = 5;
    private static final int STATIC_HANDLE = 6;
    private static final int INTERFACE_HANDLE = 9;
    private static final int PUBLIC_SYNTHETIC = 0x1001;

    final Role role;
    final ClassHierarchy hierarchy;
    private final List<Bridge> bridges = new ArrayList<>();

    /** Synthetic method that a method reference names instead of a hooked JDK method. */
    private static final class Bridge {
        final String name;
        final String descriptor;
        final byte[] code;

        Bridge(String name, String descriptor, byte[] code) {
            this.name = name;
            this.descriptor = descriptor;
            this.code = code;
        }
    }

    private ClassInstrumenter(byte[] original, Role role, ClassHierarchy hierarchy) throws IOException {
        super(original);
        this.role = role;
        this.hierarchy = hierarchy;
    }

    /** Returns the instrumented class file. */
    static byte[] instrument(byte[] original, Role role, ClassHierarchy hierarchy) throws IOException {
        ClassInstrumenter instrumenter = new ClassInstrumenter(original, role, hierarchy);
        instrumenter.bridgeMethodReferences();
        return instrumenter.rewrite();
    }

    @Override
    protected void renameConstants() {
        for (int i = 1; i < constants.size(); i++) {
            String text = constants.text(i);
            if (text != null && text.indexOf("java/util/") >= 0) {
                constants.setText(i, RelocatedClasses.renameReferences(text));
            }
        }
    }

    /** Adds a `hashCode` that is the same in each replay, if none is defined, and the bridges. */
    @Override
    protected void addMethods() throws IOException {
        boolean isForeign = (flags & INTERFACE) != 0 || FrameworkClassLoader.isFramework(name.replace('/', '.'));
        if (!isForeign && hierarchy.hasPlainHash(name)) {
            InstructionBuilder hash = new InstructionBuilder(constants, HOOKS).op(Opcodes.ALOAD_0);
            hash.callHook("identityHashCode", "(Ljava/lang/Object;)I").op(Opcodes.IRETURN);
            addMethod(PUBLIC_SYNTHETIC, "hashCode", "()I", codeAttribute(hash.toByteArray(), 1, 1));
        }
        for (Bridge bridge : bridges) {
            int access = PRIVATE_STATIC_SYNTHETIC;
            addMethod(access, bridge.name, bridge.descriptor,
                    rewriteCode(access, bridge.name, bridge.descriptor, bridge.code));
        }
    }

    @Override
    protected byte[] rewriteCode(int access, String method, String type, byte[] content) throws IOException {
        return new MethodInstrumenter(this, access, method, type, content).instrument();
    }

    /** Hooks take the place of the monitor of a synchronized method. */
    @Override
    protected int rewriteAccess(int access) {
        return access & ~SYNCHRONIZED;
    }

    /**
     * Redirects method references to synthetic methods that call the hooked method, so that these calls are
     * instrumented.
     */
    private void bridgeMethodReferences() throws IOException {
        int size = constants.size();
        for (int i = 1; i < size && majorVersion >= 52; i++) {
            if (constants.tag(i) != ConstantPool.METHOD_HANDLE) {
                continue;
            }
            int kind = constants.firstOperand(i);
            int method = constants.secondOperand(i);
            boolean isCall = kind == VIRTUAL_HANDLE || kind == STATIC_HANDLE || kind == INTERFACE_HANDLE;
            if (isCall && !constants.owner(method).startsWith("[") && MethodInstrumenter.isHooked(this, kind, method)) {
                String bridgeName = "gitmend$" + bridges.size();
                String descriptor = constants.memberDescriptor(method);
                if (kind != STATIC_HANDLE) {
                    descriptor = descriptor.replace("(", "(L" + constants.owner(method) + ";");
                }
                bridges.add(new Bridge(bridgeName, descriptor, bridgeCode(kind, method, descriptor)));
                constants.retarget(i, constants.addOwnMethodRef(thisClass, (flags & INTERFACE) != 0, bridgeName,
                        descriptor));
            }
        }
    }

    private static byte[] bridgeCode(int kind, int method, String descriptor) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream code = new DataOutputStream(bytes);
        int locals = 0;
        for (char parameterKind : MethodInstrumenter.parameterKinds(descriptor).toCharArray()) {
            code.writeByte(Opcodes.WIDE);
            code.writeByte(Opcodes.ILOAD + "IJFDA".indexOf(parameterKind));
            code.writeShort(locals);
            locals += parameterKind == 'J' || parameterKind == 'D' ? 2 : 1;
        }
        boolean isInterfaceCall = kind == INTERFACE_HANDLE;
        code.writeByte(isInterfaceCall ? Opcodes.INVOKEINTERFACE
                : kind == STATIC_HANDLE ? Opcodes.INVOKESTATIC : Opcodes.INVOKEVIRTUAL);
        code.writeShort(method);
        if (isInterfaceCall) {
            code.writeByte(locals);
            code.writeByte(0);
        }
        String result = MethodInstrumenter.parameterKinds(
                "(" + descriptor.substring(descriptor.indexOf(')') + 1) + ")");
        code.writeByte(result.isEmpty() ? Opcodes.RETURN : Opcodes.IRETURN + "IJFDA".indexOf(result));
        return codeAttribute(bytes.toByteArray(), locals + 2, locals);
    }

    /** Returns the content of a `Code` attribute without branches and handlers. */
    private static byte[] codeAttribute(byte[] code, int stack, int locals) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        DataOutputStream head = new DataOutputStream(content);
        head.writeShort(stack);
        head.writeShort(locals);
        head.writeInt(code.length);
        head.write(code);
        head.writeInt(0);
        return content.toByteArray();
    }
}
