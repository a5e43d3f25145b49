package gitmend.schedule.weave;

import gitmend.classfile.ConstantPool;
import gitmend.classfile.InstructionBuilder;
import gitmend.classfile.Opcodes;
import gitmend.framework.FrameworkClassLoader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** An instrumented class file. Everything except code is copied unchanged, apart from the names of
 * copies. */
final class ClassInstrumenter {
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
    static final int SYNCHRONIZED = 0x20;
    static final int STATIC = 0x8;
    static final int INTERFACE = 0x200;
    private static final int PRIVATE_STATIC_SYNTHETIC = 0x100a;
    private static final int VIRTUAL_HANDLE = 5;
    private static final int STATIC_HANDLE = 6;
    private static final int INTERFACE_HANDLE = 9;
    private static final int PUBLIC_SYNTHETIC = 0x1001;

    final Role role;
    final ClassHierarchy outside;
    final ConstantPool constants;
    final int version;
    /** With slashes. */
    final String name;
    final int self;
    private final DataInputStream in;
    private final int minor;
    private final int flags;
    private final ByteArrayOutputStream rest = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(rest);
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
        this.role = role;
        this.outside = outside;
        in = new DataInputStream(new ByteArrayInputStream(original));
        in.readInt();
        minor = in.readUnsignedShort();
        version = in.readUnsignedShort();
        constants = new ConstantPool(in);
        flags = in.readUnsignedShort();
        self = in.readUnsignedShort();
        name = constants.className(self);
    }

    /** The class as it is to be loaded. */
    static byte[] of(byte[] original, Role role, ClassHierarchy outside) throws IOException {
        return new ClassInstrumenter(original, role, outside).instrumented();
    }

    private byte[] instrumented() throws IOException {
        out.writeShort(flags);
        out.writeShort(self);
        copy(2);
        copy(2 * copyShort());
        for (int left = copyShort(); left > 0; left--) {
            copy(6);
            attributes();
        }
        bridge();
        boolean isForeign = (flags & INTERFACE) != 0 || FrameworkClassLoader.isFramework(name.replace('/', '.'));
        methods(!isForeign && outside.hasPlainHash(name));
        attributes();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        DataOutputStream head = new DataOutputStream(all);
        head.writeInt(0xcafebabe);
        head.writeShort(minor);
        head.writeShort(version);
        rename();
        constants.writeTo(head);
        rest.writeTo(head);
        return all.toByteArray();
    }

    private void rename() {
        for (int i = 1; i < constants.size(); i++) {
            String text = constants.text(i);
            if (text != null && text.indexOf("java/util/") >= 0) {
                constants.setText(i, RelocatedClasses.renamed(text));
            }
        }
    }

    /** The methods, and one for a hash code that is the same in each run of a schedule, if that is wanted. */
    private void methods(boolean hasHash) throws IOException {
        int count = in.readUnsignedShort();
        out.writeShort(count + bridges.size() + (hasHash ? 1 : 0));
        for (int left = count; left > 0; left--) {
            method();
        }
        if (hasHash) {
            InstructionBuilder hash = new InstructionBuilder(constants, HOOKS).op(Opcodes.ALOAD_0);
            hash.hook("identityHashCode", "(Ljava/lang/Object;)I").op(Opcodes.IRETURN);
            out.writeShort(PUBLIC_SYNTHETIC);
            out.writeShort(constants.utf8("hashCode"));
            out.writeShort(constants.utf8("()I"));
            out.writeShort(1);
            out.writeShort(constants.utf8("Code"));
            byte[] code = whole(hash.code(), 1, 1);
            out.writeInt(code.length);
            out.write(code);
        }
        for (Bridge bridge : bridges) {
            out.writeShort(PRIVATE_STATIC_SYNTHETIC);
            out.writeShort(constants.utf8(bridge.name));
            out.writeShort(constants.utf8(bridge.type));
            out.writeShort(1);
            out.writeShort(constants.utf8("Code"));
            int access = PRIVATE_STATIC_SYNTHETIC;
            byte[] code = new MethodInstrumenter(this, access, bridge.name, bridge.type, bridge.code).woven();
            out.writeInt(code.length);
            out.write(code);
        }
    }

    private void method() throws IOException {
        int access = in.readUnsignedShort();
        int methodName = in.readUnsignedShort();
        int type = in.readUnsignedShort();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream to = new DataOutputStream(bytes);
        boolean hasCode = false;
        int count = in.readUnsignedShort();
        to.writeShort(count);
        for (int left = count; left > 0; left--) {
            int attribute = in.readUnsignedShort();
            byte[] content = new byte[in.readInt()];
            in.readFully(content);
            if ("Code".equals(constants.text(attribute))) {
                hasCode = true;
                String called = constants.text(methodName);
                content = new MethodInstrumenter(this, access, called, constants.text(type), content).woven();
            }
            to.writeShort(attribute);
            to.writeInt(content.length);
            to.write(content);
        }
        out.writeShort(hasCode ? access & ~SYNCHRONIZED : access);
        out.writeShort(methodName);
        out.writeShort(type);
        bytes.writeTo(out);
    }

    /** Has method references call methods here that call what they named, so that those calls are seen. */
    private void bridge() throws IOException {
        int size = constants.size();
        for (int i = 1; i < size && version >= 52; i++) {
            if (constants.tag(i) != ConstantPool.HANDLE) {
                continue;
            }
            int kind = constants.first(i);
            int method = constants.second(i);
            boolean isCall = kind == VIRTUAL_HANDLE || kind == STATIC_HANDLE || kind == INTERFACE_HANDLE;
            if (isCall && !constants.owner(method).startsWith("[") && MethodInstrumenter.isHooked(this, kind, method)) {
                String called = "gitmend$" + bridges.size();
                String type = constants.memberType(method);
                if (kind != STATIC_HANDLE) {
                    type = type.replace("(", "(L" + constants.owner(method) + ";");
                }
                bridges.add(new Bridge(called, type, calling(kind, method, type)));
                constants.retarget(i, constants.ownMethod(self, (flags & INTERFACE) != 0, called, type));
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

    private void attributes() throws IOException {
        for (int left = copyShort(); left > 0; left--) {
            copy(2);
            int length = in.readInt();
            out.writeInt(length);
            copy(length);
        }
    }

    private int copyShort() throws IOException {
        int value = in.readUnsignedShort();
        out.writeShort(value);
        return value;
    }

    private void copy(int length) throws IOException {
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        out.write(bytes);
    }
}
