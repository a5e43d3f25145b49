package gitmend.schedule.weave;

import gitmend.classfile.ConstantPool;
import gitmend.classfile.InstructionBuilder;
import gitmend.classfile.MethodCode;
import gitmend.classfile.Opcodes;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Instrumenter of one method: inserts calls of hooks. */
final class MethodInstrumenter {
    private static final String OBJECT = "Ljava/lang/Object;";

    private final ClassInstrumenter owner;
    private final ConstantPool constants;
    private final int flags;
    private final String method;
    private final String type;
    private final MethodCode code;
    private final int[] lines;
    private final boolean isProject;
    private final Map<String, Integer> turns = new HashMap<>();

    MethodInstrumenter(ClassInstrumenter owner, int flags, String method, String type, byte[] content)
            throws IOException {
        this.owner = owner;
        this.flags = flags;
        this.method = method;
        this.type = type;
        constants = owner.constants;
        code = new MethodCode(content);
        lines = code.lineNumbers(constants);
        isProject = owner.role == ClassInstrumenter.Role.PROJECT;
    }

    private InstructionBuilder straight() {
        return new InstructionBuilder(constants, ClassInstrumenter.HOOKS);
    }

    private boolean isStatic() {
        return (flags & ClassInstrumenter.STATIC) != 0;
    }

    byte[] woven() throws IOException {
        // Until then a constructor's object is none.
        boolean isMade = !method.equals("<init>");
        int making = 0;
        for (int i = 0; i < code.instructionCount; i++) {
            int at = code.instructionOffsets[i];
            int opcode = code.opcodeAt(at);
            if (opcode == Opcodes.NEW) {
                making++;
            }
            boolean makes = opcode == Opcodes.INVOKESPECIAL
                    && constants.memberName(code.operandAt(at)).equals("<init>");
            if (makes) {
                isMade |= making == 0;
                making = Math.max(0, making - 1);
            }
            instruction(at, opcode, isMade);
        }
        around();
        return code.assemble(constants);
    }

    private void instruction(int at, int opcode, boolean isMade) {
        if (opcode == Opcodes.MONITORENTER || opcode == Opcodes.MONITOREXIT) {
            String hook = opcode == Opcodes.MONITORENTER ? "enterMonitor" : "exitMonitor";
            code.replace(at,
                    straight().pushInt(site(at, "monitor")).callHook(hook, "(" + OBJECT + "I)V").toByteArray());
            code.reserve(1, 0);
        } else if (opcode >= Opcodes.GETSTATIC && opcode <= Opcodes.PUTFIELD) {
            field(at, opcode, isMade);
        } else if (opcode >= Opcodes.INVOKEVIRTUAL && opcode <= Opcodes.INVOKEINTERFACE) {
            call(at, opcode);
        } else if (isProject && opcode >= Opcodes.IALOAD && opcode <= Opcodes.SALOAD) {
            int site = site(at, "[]");
            code.insertBefore(at, straight().op(Opcodes.DUP2).pushInt(site)
                    .callHook("readElement", "(" + OBJECT + "II)V").toByteArray());
            code.reserve(3, 0);
        } else if (isProject && opcode >= Opcodes.IASTORE && opcode <= Opcodes.SASTORE) {
            store(at, opcode);
        }
    }

    private void store(int at, int opcode) {
        boolean isLong = opcode == Opcodes.LASTORE || opcode == Opcodes.DASTORE;
        InstructionBuilder line = straight();
        line.op(isLong ? Opcodes.DUP2_X2 : Opcodes.DUP_X2).op(isLong ? Opcodes.POP2 : Opcodes.POP);
        line.op(Opcodes.DUP2).pushInt(site(at, "[]")).callHook("writeElement", "(" + OBJECT + "II)V");
        line.op(isLong ? Opcodes.DUP2_X2 : Opcodes.DUP2_X1).op(Opcodes.POP2);
        code.insertBefore(at, line.toByteArray());
        code.reserve(4, 0);
    }

    private void field(int at, int opcode, boolean isMade) {
        int constant = code.operandAt(at);
        String name = constants.memberName(constant);
        if (owner.role == ClassInstrumenter.Role.COPY) {
            if (opcode == Opcodes.PUTFIELD && name.equals("sync")) {
                code.insertBefore(at,
                        straight().op(Opcodes.DUP2).callHook("named", "(" + OBJECT + OBJECT + ")V").toByteArray());
                code.reserve(2, 0);
            }
            return;
        }
        String declaring = owner.outside.declaring(constants.owner(constant), name);
        boolean isVolatile = owner.outside.isVolatile(declaring, name);
        boolean isPut = opcode == Opcodes.PUTFIELD && isMade || opcode == Opcodes.PUTSTATIC;
        boolean isNamed = isPut && isReference(constant);
        boolean isConstant = owner.outside.isConstant(declaring, name);
        boolean isSilent = isConstant && !isNamed;
        if (isSilent || !isProject && !isVolatile || declaring.startsWith("java/")) {
            return;
        }
        int subject = Sites.subject((declaring + "." + name).replace('/', '.'), isVolatile);
        int site = site(at, subject);
        boolean isWrite = opcode == Opcodes.PUTSTATIC || opcode == Opcodes.PUTFIELD;
        if (opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC) {
            code.insertBefore(at, ofClass(site, isWrite, isNamed, isConstant));
            code.reserve(2, 0);
        } else if (isMade || !isWrite) {
            code.insertBefore(at, isWrite ? write(constant, site, declaring, name) : read(site));
            code.reserve(4, 0);
        }
    }

    private byte[] ofClass(int site, boolean isWrite, boolean isNamed, boolean isConstant) {
        InstructionBuilder line = straight();
        if (isNamed) {
            line.op(Opcodes.DUP).pushInt(site).callHook("nameStatic", "(" + OBJECT + "I)V");
        }
        if (!isConstant) {
            line.pushInt(site).callHook(isWrite ? "writeStatic" : "readStatic", "(I)V");
        }
        return line.toByteArray();
    }

    private boolean isReference(int constant) {
        char kind = constants.memberDescriptor(constant).charAt(0);
        return kind == 'L' || kind == '[';
    }

    private byte[] read(int site) {
        return straight().op(Opcodes.DUP).pushInt(site).callHook("read", "(" + OBJECT + "I)V").toByteArray();
    }

    private byte[] write(int constant, int site, String declaring, String name) {
        char kind = constants.memberDescriptor(constant).charAt(0);
        String hook = owner.outside.isConstant(declaring, name) ? "name" : "write";
        if (kind == 'J' || kind == 'D') {
            InstructionBuilder line = straight().op(Opcodes.DUP2_X1).op(Opcodes.POP2).op(Opcodes.DUP).pushInt(site);
            return line.callHook("write", "(" + OBJECT + "I)V").op(Opcodes.DUP_X2).op(Opcodes.POP).toByteArray();
        } else if (kind == 'L' || kind == '[') {
            return straight().op(Opcodes.DUP2).pushInt(site).callHook(hook, "(" + OBJECT + OBJECT + "I)V")
                    .toByteArray();
        }
        InstructionBuilder line = straight().op(Opcodes.DUP2).op(Opcodes.POP).pushInt(site);
        return line.callHook("write", "(" + OBJECT + "I)V").toByteArray();
    }

    /** Whether calls of a method that a handle of this kind names are seen. */
    static boolean isHooked(ClassInstrumenter owner, int handleKind, int method) {
        ConstantPool constants = owner.constants;
        boolean isStatic = handleKind == 6;
        String holder = constants.owner(method);
        String member = constants.memberName(method) + constants.memberDescriptor(method);
        return MethodRedirects.of(isStatic, holder, member, owner.outside) != null
                || owner.role == ClassInstrumenter.Role.PROJECT && isWatched(owner, isStatic, method);
    }

    /** Returns true if it is a method of the JDK, also if a project class inherits it; it is
     * observed at its call. */
    private static boolean isWatched(ClassInstrumenter owner, boolean isStatic, int method) {
        ConstantPool constants = owner.constants;
        String holder = constants.owner(method);
        String name = constants.memberName(method);
        boolean isTaken = !isStatic && !name.equals("<init>") && owner.outside.extendsWatched(holder)
                && !owner.outside.overrides(holder, name + constants.memberDescriptor(method));
        return isTaken || ModelledMethods.isWatched(holder) || ModelledMethods.isStream(holder)
                || ArgumentEffects.isWatched(holder, name);
    }

    private void call(int at, int opcode) {
        int constant = code.operandAt(at);
        String holder = constants.owner(constant);
        String name = constants.memberName(constant);
        String callType = constants.memberDescriptor(constant);
        String shim = MethodRedirects.of(opcode == Opcodes.INVOKESTATIC, holder, name + callType, owner.outside);
        boolean isMaking = name.equals("<init>");
        if (shim != null) {
            int end = shim.indexOf('(');
            String hook = shim.substring(0, end);
            InstructionBuilder line = straight();
            if (owner.role != ClassInstrumenter.Role.COPY) {
                line.pushInt(site(at, name)).callHook("place", "(I)V");
            } else if (hook.equals("interrupted") || hook.equals("isInterrupted")) {
                hook += "Inside";
            }
            boolean isOfThread = shim.startsWith("(Ljava/lang/Thread;)", end);
            if (opcode == Opcodes.INVOKEVIRTUAL && isOfThread && OverriddenMethods.NAMES.contains(hook)) {
                hook += "Own";
            }
            code.replace(at, line.callHook(hook, shim.substring(end)).toByteArray());
            code.reserve(2, 0);
        } else if (isMaking && holder.equals("java/util/Random") && callType.equals("()V")) {
            int seeded = constants.addMethodRef(holder, name, "(J)V");
            code.replace(at, straight().callHook("seed", "()J").op(Opcodes.INVOKESPECIAL, seeded).toByteArray());
            code.reserve(2, 0);
        } else if (isMaking && holder.equals("java/util/Date") && callType.equals("()V")) {
            int timed = constants.addMethodRef(holder, name, "(J)V");
            InstructionBuilder line = straight().callHook("currentTimeMillis", "()J");
            code.replace(at, line.op(Opcodes.INVOKESPECIAL, timed).toByteArray());
            code.reserve(2, 0);
        } else if (isProject && ModelledMethods.isOpaque(holder) && !isMaking && opcode != Opcodes.INVOKESTATIC) {
            code.insertBefore(at,
                    straight().pushInt(site(at, holder + "." + name)).callHook("opaque", "(I)V").toByteArray());
            code.reserve(1, 0);
        } else if (isProject && isWatched(owner, opcode == Opcodes.INVOKESTATIC, constant)) {
            watched(at, opcode, constant);
        }
    }

    /** What is called on, and what it is given, are come to before the call; its arguments wait in locals. */
    private void watched(int at, int opcode, int constant) {
        String holder = constants.owner(constant);
        String name = constants.memberName(constant);
        String callType = constants.memberDescriptor(constant);
        int site = site(at, holder + "." + name);
        InstructionBuilder line = straight();
        String kinds = kinds(callType);
        int[] locals = new int[kinds.length()];
        int next = code.maxLocals();
        for (int i = 0; i < locals.length; i++) {
            locals[i] = next;
            next += kinds.charAt(i) == 'J' || kinds.charAt(i) == 'D' ? 2 : 1;
        }
        for (int i = locals.length - 1; i >= 0; i--) {
            line.accessLocal(Opcodes.ISTORE + "IJFDA".indexOf(kinds.charAt(i)), locals[i]);
        }
        boolean isUsed = given(line, constant, locals, site);
        boolean isOfSuper = opcode == Opcodes.INVOKESPECIAL && !name.equals("<init>");
        if (opcode == Opcodes.INVOKESTATIC || opcode == Opcodes.INVOKESPECIAL && !isOfSuper) {
            String hook = holder.startsWith("java/util/concurrent/") ? "at" : "place";
            line = isUsed ? line : straight();
            restore(line, kinds, isUsed ? locals : new int[0]).pushInt(site).callHook(hook, "(I)V");
        } else {
            String hook = holder.startsWith("[") ? "clones" : isOfSuper ? "callOfSuper" : "call";
            line.op(Opcodes.DUP).pushInt(site).callHook(hook, "(" + OBJECT + "I)V");
            restore(line, kinds, locals);
        }
        code.insertBefore(at, line.toByteArray());
        code.reserve(6, next - code.maxLocals());
    }

    private static InstructionBuilder restore(InstructionBuilder line, String kinds, int[] locals) {
        for (int i = 0; i < locals.length; i++) {
            line.accessLocal(Opcodes.ILOAD + "IJFDA".indexOf(kinds.charAt(i)), locals[i]);
        }
        return line;
    }

    /** Comes to the arguments that a method looks into; gives whether there are any. */
    private boolean given(InstructionBuilder line, int constant, int[] locals, int site) {
        String holder = constants.owner(constant);
        String name = constants.memberName(constant);
        List<String> types = types(constants.memberDescriptor(constant));
        if (name.equals("arraycopy")) {
            restore(line, "AIAII", locals).pushInt(site).callHook("copies", "(" + OBJECT + "I" + OBJECT + "III)V");
            return true;
        }
        boolean isUsed = false;
        for (int i = 0; i < locals.length; i++) {
            ArgumentEffects.Use use = ArgumentEffects.of(holder, name, i, types.get(i));
            if (use == ArgumentEffects.Use.NONE) {
                continue;
            }
            isUsed = true;
            String hook = use == ArgumentEffects.Use.WRITE ? "write" : "read";
            line.accessLocal(Opcodes.ILOAD + 4, locals[i]);
            boolean isPart = i + 2 < types.size() && types.get(i + 1).equals("I") && types.get(i + 2).equals("I");
            if (holder.equals("java/util/Arrays") && isPart) {
                line.accessLocal(Opcodes.ILOAD, locals[i + 1]).accessLocal(Opcodes.ILOAD, locals[i + 2]);
                line.pushInt(site).callHook(hook + "Part", "(" + OBJECT + "III)V");
            } else {
                line.pushInt(site).callHook(hook + "All", "(" + OBJECT + "I)V");
            }
        }
        return isUsed;
    }

    /** The types of a method's parameters. */
    private static List<String> types(String type) {
        List<String> types = new ArrayList<>();
        for (int i = 1; type.charAt(i) != ')'; i++) {
            int start = i;
            while (type.charAt(i) == '[') {
                i++;
            }
            if (type.charAt(i) == 'L') {
                i = type.indexOf(';', i);
            }
            types.add(type.substring(start, i + 1));
        }
        return types;
    }

    /** The kinds of a method's parameters: I, J, F, D, and A for references. */
    static String kinds(String type) {
        StringBuilder kinds = new StringBuilder();
        for (int i = 1; type.charAt(i) != ')'; i++) {
            char one = type.charAt(i);
            while (type.charAt(i) == '[') {
                i++;
            }
            if (type.charAt(i) == 'L') {
                i = type.indexOf(';', i);
            }
            kinds.append(one == 'L' || one == '[' ? 'A' : "ZBCS".indexOf(one) >= 0 ? 'I' : one);
            if (one == 'V') {
                kinds.setLength(kinds.length() - 1);
            }
        }
        return kinds.toString();
    }

    private int site(int at, String what) {
        return site(at, Sites.subject(what.replace('/', '.'), false));
    }

    private int site(int at, int subject) {
        int turn = turns.merge(lines[at] + ":" + subject, 1, Integer::sum) - 1;
        return Sites.add(owner.name.replace('/', '.'), method, lines[at], subject, isProject, turn);
    }

    /** What comes before and after the whole method. */
    private void around() throws IOException {
        InstructionBuilder start = straight();
        InstructionBuilder end = straight();
        InstructionBuilder thrown = straight();
        boolean isRun = method.equals("run") && type.equals("()V") && owner.outside.isThread(owner.name);
        boolean isInitialiser = method.equals("<clinit>");
        if (isInitialiser) {
            start.callHook(isProject ? "enterOwnInitialiser" : "enterInitialiser", "()V");
            end.callHook("exitInitialiser", "()V");
            thrown.callHook("exitInitialiser", "()V");
        }
        if (isRun) {
            start.op(Opcodes.ALOAD_0).callHook("begin", "(" + OBJECT + ")V");
        }
        if ((flags & ClassInstrumenter.SYNCHRONIZED) != 0) {
            int site = site(0, "monitor");
            self(start).pushInt(site).callHook("enterMonitor", "(" + OBJECT + "I)V");
            self(end).pushInt(site).callHook("exitMonitor", "(" + OBJECT + "I)V");
            self(thrown).pushInt(site).callHook("exitMonitor", "(" + OBJECT + "I)V");
        }
        if (isRun) {
            end.op(Opcodes.ALOAD_0).callHook("end", "(" + OBJECT + ")V");
            thrown.op(Opcodes.DUP).op(Opcodes.ALOAD_0).callHook("thrown", "(Ljava/lang/Throwable;" + OBJECT + ")V");
        }
        copied(start, end);
        wrap(start.toByteArray(), end.toByteArray(), thrown.toByteArray());
    }

    /** Calls of a copy's methods are accesses to the same object, ordered like others. */
    private void copied(InstructionBuilder start, InstructionBuilder end) {
        if (owner.role != ClassInstrumenter.Role.COPY || isStatic() || method.startsWith("<") || (flags & 2) != 0) {
            return;
        }
        if (method.equals("setExclusiveOwnerThread")) {
            start.op(Opcodes.ALOAD_0).op(Opcodes.ALOAD_0 + 1);
            start.callHook("owner", "(" + OBJECT + "Ljava/lang/Thread;)V");
        }
        // What is protected is called by the project's own subclasses.
        if ((flags & 5) != 0) {
            int subject = Sites.subject((owner.name + "." + method).replace('/', '.'), false);
            start.op(Opcodes.ALOAD_0).pushInt(subject).callHook("enter", "(" + OBJECT + "I)V");
        } else {
            start.op(Opcodes.ALOAD_0).callHook("meet", "(" + OBJECT + ")V");
        }
        end.op(Opcodes.ALOAD_0).callHook("meet", "(" + OBJECT + ")V");
    }

    private InstructionBuilder self(InstructionBuilder line) {
        return isStatic() ? line.op(Opcodes.LDC_W, owner.thisClass) : line.op(Opcodes.ALOAD_0);
    }

    private void wrap(byte[] start, byte[] end, byte[] thrown) throws IOException {
        boolean namesClass = isStatic() && (flags & ClassInstrumenter.SYNCHRONIZED) != 0;
        if (namesClass && owner.majorVersion < 49) {
            throw new IOException("a static synchronized method in a class of an old form");
        }
        if (start.length > 0) {
            code.insertAtStart(start);
            code.reserve(4, 0);
        }
        for (int i = 0; i < code.instructionCount && end.length > 0; i++) {
            if (Opcodes.isReturn(code.opcodeAt(code.instructionOffsets[i]))) {
                code.insertBefore(code.instructionOffsets[i], end);
                code.reserve(4, 0);
            }
        }
        if (thrown.length > 0) {
            byte[] handler = java.util.Arrays.copyOf(thrown, thrown.length + 1);
            handler[thrown.length] = (byte) Opcodes.ATHROW;
            code.addCatchAllHandler(handler, owner.majorVersion < 50 ? null : frame());
        }
    }

    /** What is known where everything is caught: the object, and what was thrown. */
    private byte[] frame() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeShort(isStatic() ? 0 : 1);
        if (!isStatic()) {
            out.writeByte(7);
            out.writeShort(owner.thisClass);
        }
        out.writeShort(1);
        out.writeByte(7);
        out.writeShort(constants.addClass("java/lang/Throwable"));
        return bytes.toByteArray();
    }
}
