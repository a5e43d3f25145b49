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

/** An instrumented class file. Everything except code is copied unchanged, apart from the names of
 * copies. */
final class ClassInstrumenter extends ClassRewriter {
    /** What a class is to us. */
    enum Role {
        /** Every access to what threads may share is a decision. */
        PROJECT,
        /** Its threads, monitors and waits are controlled; its variables are not observed. */
        LIBRARY,
        /** As a library; its methods are what the project's threads meet in. */
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
    final ClassHierarchy outside;
    private final List<Bridge> bridges = new ArrayList<>();

    /** A method of our own, which stands for one of the JDK that is only named. */
    private static final class Bridge {
        final String name;
        final String type;
        final byte[] code;

        Bridge(String name, String type, byte[] code) {
            this.name = name;
            this.type = type;
            this.code = code;
        }
    }

    private ClassInstrumenter(byte[] original, Role role, ClassHierarchy outside) throws IOException {
        super(original);
        this.role = role;
        this.outside = outside;
    }

    /** The class as it is to be loaded. */
    static byte[] of(byte[] original, Role role, ClassHierarchy outside) throws IOException {
        ClassInstrumenter instrumenter = new ClassInstrumenter(original, role, outside);
        instrumenter.bridge();
        return instrumenter.rewrite();
    }

    @Override
    protected void renameConstants() {
        for (int i = 1; i < constants.size(); i++) {
            String text = constants.text(i);
            if (text != null && text.indexOf("java/util/") >= 0) {
                constants.setText(i, RelocatedClasses.renamed(text));
            }
        }
    }

    /** Adds a hash code that is the same in each run of a schedule, if none is defined, and the bridges. */
    @Override
    protected void addMethods() throws IOException {
        boolean isForeign = (flags & INTERFACE) != 0 || FrameworkClassLoader.isFramework(name.replace('/', '.'));
        if (!isForeign && outside.hasPlainHash(name)) {
            InstructionBuilder hash = new InstructionBuilder(constants, HOOKS).op(Opcodes.ALOAD_0);
            hash.callHook("identityHashCode", "(Ljava/lang/Object;)I").op(Opcodes.IRETURN);
            addMethod(PUBLIC_SYNTHETIC, "hashCode", "()I", whole(hash.toByteArray(), 1, 1));
        }
        for (Bridge bridge : bridges) {
            int access = PRIVATE_STATIC_SYNTHETIC;
            addMethod(access, bridge.name, bridge.type, rewriteCode(access, bridge.name, bridge.type, bridge.code));
        }
    }

    @Override
    protected byte[] rewriteCode(int access, String method, String type, byte[] content) throws IOException {
        return new MethodInstrumenter(this, access, method, type, content).woven();
    }

    /** Hooks take the place of the monitor of a synchronized method. */
    @Override
    protected int rewriteAccess(int access) {
        return access & ~SYNCHRONIZED;
    }

    /** Has method references call methods here that call what they named, so that those calls are seen. */
    private void bridge() throws IOException {
        int size = constants.size();
        for (int i = 1; i < size && majorVersion >= 52; i++) {
            if (constants.tag(i) != ConstantPool.METHOD_HANDLE) {
                continue;
            }
            int kind = constants.firstOperand(i);
            int method = constants.secondOperand(i);
            boolean isCall = kind == VIRTUAL_HANDLE || kind == STATIC_HANDLE || kind == INTERFACE_HANDLE;
            if (isCall && !constants.owner(method).startsWith("[") && MethodInstrumenter.isHooked(this, kind, method)) {
                String called = "gitmend$" + bridges.size();
                String type = constants.memberDescriptor(method);
                if (kind != STATIC_HANDLE) {
                    type = type.replace("(", "(L" + constants.owner(method) + ";");
                }
                bridges.add(new Bridge(called, type, calling(kind, method, type)));
                constants.retarget(i, constants.addOwnMethodRef(thisClass, (flags & INTERFACE) != 0, called, type));
            }
        }
    }

    private static byte[] calling(int kind, int method, String type) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream code = new DataOutputStream(bytes);
        int locals = 0;
        for (char one : MethodInstrumenter.kinds(type).toCharArray()) {
            code.writeByte(Opcodes.WIDE);
            code.writeByte(Opcodes.ILOAD + "IJFDA".indexOf(one));
            code.writeShort(locals);
            locals += one == 'J' || one == 'D' ? 2 : 1;
        }
        boolean isOfInterface = kind == INTERFACE_HANDLE;
        code.writeByte(isOfInterface ? Opcodes.INVOKEINTERFACE
                : kind == STATIC_HANDLE ? Opcodes.INVOKESTATIC : Opcodes.INVOKEVIRTUAL);
        code.writeShort(method);
        if (isOfInterface) {
            code.writeByte(locals);
            code.writeByte(0);
        }
        String result = MethodInstrumenter.kinds("(" + type.substring(type.indexOf(')') + 1) + ")");
        code.writeByte(result.isEmpty() ? Opcodes.RETURN : Opcodes.IRETURN + "IJFDA".indexOf(result));
        return whole(bytes.toByteArray(), locals + 2, locals);
    }

    /** The content of the attribute for straight code. */
    private static byte[] whole(byte[] code, int stack, int locals) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        DataOutputStream head = new DataOutputStream(all);
        head.writeShort(stack);
        head.writeShort(locals);
        head.writeInt(code.length);
        head.write(code);
        head.writeInt(0);
        return all.toByteArray();
    }
}
