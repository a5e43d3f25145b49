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
    private final String descriptor;
    private final MethodCode code;
    private final int[] lines;
    private final boolean isProject;
    private final Map<String, Integer> occurrences = new HashMap<>();

    MethodInstrumenter(ClassInstrumenter owner, int flags, String method, String descriptor, byte[] content)
            throws IOException {
        this.owner = owner;
        this.flags = flags;
        this.method = method;
        this.descriptor = descriptor;
        constants = owner.constants;
        code = new MethodCode(content);
        lines = code.lineNumbers(constants);
        isProject = owner.role == ClassInstrumenter.Role.PROJECT;
    }

    private InstructionBuilder newSequence() {
        return new InstructionBuilder(constants, ClassInstrumenter.HOOKS);
    }

    private boolean isStatic() {
        return (flags & ClassInstrumenter.STATIC) != 0;
    }

    byte[] instrument() throws IOException {
        // Before `super(...)` returns, hooks must not receive the object.
        boolean isConstructed = !method.equals("<init>");
        int pendingConstructors = 0;
        for (int i = 0; i < code.instructionCount; i++) {
            int offset = code.instructionOffsets[i];
            int opcode = code.opcodeAt(offset);
            if (opcode == Opcodes.NEW) {
                pendingConstructors++;
            }
            boolean isConstructorCall = opcode == Opcodes.INVOKESPECIAL
                    && constants.memberName(code.operandAt(offset)).equals("<init>");
            if (isConstructorCall) {
                isConstructed |= pendingConstructors == 0;
                pendingConstructors = Math.max(0, pendingConstructors - 1);
            }
            instrumentInstruction(offset, opcode, isConstructed);
        }
        addEntryAndExitHooks();
        return code.assemble(constants);
    }

    private void instrumentInstruction(int offset, int opcode, boolean isConstructed) {
        if (opcode == Opcodes.MONITORENTER || opcode == Opcodes.MONITOREXIT) {
            String hook = opcode == Opcodes.MONITORENTER ? "enterMonitor" : "exitMonitor";
            code.replace(offset,
                    newSequence().pushInt(registerSite(offset, "monitor")).callHook(hook, "(" + OBJECT + "I)V")
                            .toByteArray());
            code.reserve(1, 0);
        } else if (opcode >= Opcodes.GETSTATIC && opcode <= Opcodes.PUTFIELD) {
            instrumentFieldAccess(offset, opcode, isConstructed);
        } else if (opcode >= Opcodes.INVOKEVIRTUAL && opcode <= Opcodes.INVOKEINTERFACE) {
            instrumentCall(offset, opcode);
        } else if (isProject && opcode >= Opcodes.IALOAD && opcode <= Opcodes.SALOAD) {
            int site = registerSite(offset, "[]");
            code.insertBefore(offset, newSequence().op(Opcodes.DUP2).pushInt(site)
                    .callHook("readElement", "(" + OBJECT + "II)V").toByteArray());
            code.reserve(3, 0);
        } else if (isProject && opcode >= Opcodes.IASTORE && opcode <= Opcodes.SASTORE) {
            instrumentArrayStore(offset, opcode);
        }
    }

    private void instrumentArrayStore(int offset, int opcode) {
        boolean isLong = opcode == Opcodes.LASTORE || opcode == Opcodes.DASTORE;
        InstructionBuilder sequence = newSequence();
        sequence.op(isLong ? Opcodes.DUP2_X2 : Opcodes.DUP_X2).op(isLong ? Opcodes.POP2 : Opcodes.POP);
        sequence.op(Opcodes.DUP2).pushInt(registerSite(offset, "[]")).callHook("writeElement", "(" + OBJECT + "II)V");
        sequence.op(isLong ? Opcodes.DUP2_X2 : Opcodes.DUP2_X1).op(Opcodes.POP2);
        code.insertBefore(offset, sequence.toByteArray());
        code.reserve(4, 0);
    }

    private void instrumentFieldAccess(int offset, int opcode, boolean isConstructed) {
        int constant = code.operandAt(offset);
        String name = constants.memberName(constant);
        if (owner.role == ClassInstrumenter.Role.COPY) {
            if (opcode == Opcodes.PUTFIELD && name.equals("sync")) {
                code.insertBefore(offset,
                        newSequence().op(Opcodes.DUP2).callHook("nameSync", "(" + OBJECT + OBJECT + ")V")
                                .toByteArray());
                code.reserve(2, 0);
            }
            return;
        }
        String declaring = owner.hierarchy.findDeclaringClass(constants.owner(constant), name);
        boolean isVolatile = owner.hierarchy.isVolatile(declaring, name);
        boolean isPut = opcode == Opcodes.PUTFIELD && isConstructed || opcode == Opcodes.PUTSTATIC;
        boolean isNamed = isPut && isReference(constant);
        boolean isConstant = owner.hierarchy.isConstant(declaring, name);
        boolean isSilent = isConstant && !isNamed;
        if (isSilent || !isProject && !isVolatile || declaring.startsWith("java/")) {
            return;
        }
        int subject = Sites.subjectNumber((declaring + "." + name).replace('/', '.'), isVolatile);
        int site = registerSite(offset, subject);
        boolean isWrite = opcode == Opcodes.PUTSTATIC || opcode == Opcodes.PUTFIELD;
        if (opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC) {
            code.insertBefore(offset, staticFieldHook(site, isWrite, isNamed, isConstant));
            code.reserve(2, 0);
        } else if (isConstructed || !isWrite) {
            code.insertBefore(offset, isWrite ? writeHook(constant, site, declaring, name) : readHook(site));
            code.reserve(4, 0);
        }
    }

    private byte[] staticFieldHook(int site, boolean isWrite, boolean isNamed, boolean isConstant) {
        InstructionBuilder sequence = newSequence();
        if (isNamed) {
            sequence.op(Opcodes.DUP).pushInt(site).callHook("nameStaticValue", "(" + OBJECT + "I)V");
        }
        if (!isConstant) {
            sequence.pushInt(site).callHook(isWrite ? "writeStatic" : "readStatic", "(I)V");
        }
        return sequence.toByteArray();
    }

    private boolean isReference(int constant) {
        char kind = constants.memberDescriptor(constant).charAt(0);
        return kind == 'L' || kind == '[';
    }

    private byte[] readHook(int site) {
        return newSequence().op(Opcodes.DUP).pushInt(site).callHook("read", "(" + OBJECT + "I)V").toByteArray();
    }

    private byte[] writeHook(int constant, int site, String declaring, String name) {
        char kind = constants.memberDescriptor(constant).charAt(0);
        String hook = owner.hierarchy.isConstant(declaring, name) ? "nameValue" : "write";
        if (kind == 'J' || kind == 'D') {
            InstructionBuilder sequence = newSequence().op(Opcodes.DUP2_X1).op(Opcodes.POP2).op(Opcodes.DUP)
                    .pushInt(site);
            return sequence.callHook("write", "(" + OBJECT + "I)V").op(Opcodes.DUP_X2).op(Opcodes.POP).toByteArray();
        } else if (kind == 'L' || kind == '[') {
            return newSequence().op(Opcodes.DUP2).pushInt(site).callHook(hook, "(" + OBJECT + OBJECT + "I)V")
                    .toByteArray();
        }
        InstructionBuilder sequence = newSequence().op(Opcodes.DUP2).op(Opcodes.POP).pushInt(site);
        return sequence.callHook("write", "(" + OBJECT + "I)V").toByteArray();
    }

    /** Returns true if calls of the method in a method handle are hooked. */
    static boolean isHooked(ClassInstrumenter owner, int handleKind, int method) {
        ConstantPool constants = owner.constants;
        boolean isStatic = handleKind == 6;
        String holder = constants.owner(method);
        String member = constants.memberName(method) + constants.memberDescriptor(method);
        return MethodRedirects.findHook(isStatic, holder, member, owner.hierarchy) != null
                || owner.role == ClassInstrumenter.Role.PROJECT && isModelled(owner, isStatic, method);
    }

    /** Returns true if it is a modelled JDK method, also if a project class inherits it. */
    private static boolean isModelled(ClassInstrumenter owner, boolean isStatic, int method) {
        ConstantPool constants = owner.constants;
        String holder = constants.owner(method);
        String name = constants.memberName(method);
        boolean isInherited = !isStatic && !name.equals("<init>") && owner.hierarchy.extendsModelled(holder)
                && !owner.hierarchy.overrides(holder, name + constants.memberDescriptor(method));
        return isInherited || ModelledMethods.isModelled(holder) || ModelledMethods.isPrintStream(holder)
                || ArgumentEffects.isModelled(holder, name);
    }

    private void instrumentCall(int offset, int opcode) {
        int constant = code.operandAt(offset);
        String holder = constants.owner(constant);
        String name = constants.memberName(constant);
        String callType = constants.memberDescriptor(constant);
        String redirect = MethodRedirects.findHook(opcode == Opcodes.INVOKESTATIC, holder, name + callType,
                owner.hierarchy);
        boolean isConstructor = name.equals("<init>");
        recordLockCall(offset, holder, name + callType);
        if (redirect != null) {
            int end = redirect.indexOf('(');
            String hook = redirect.substring(0, end);
            InstructionBuilder sequence = newSequence();
            if (owner.role != ClassInstrumenter.Role.COPY) {
                sequence.pushInt(registerSite(offset, name)).callHook("beforeRedirect", "(I)V");
            } else if (hook.equals("interrupted") || hook.equals("isInterrupted")) {
                hook += "Inside";
            }
            boolean takesThread = redirect.startsWith("(Ljava/lang/Thread;)", end);
            if (opcode == Opcodes.INVOKEVIRTUAL && takesThread && OverriddenMethods.HOOKED_NAMES.contains(hook)) {
                hook += "Own";
            }
            code.replace(offset, sequence.callHook(hook, redirect.substring(end)).toByteArray());
            code.reserve(2, 0);
        } else if (isConstructor && holder.equals("java/util/Random") && callType.equals("()V")) {
            int seeded = constants.addMethodRef(holder, name, "(J)V");
            code.replace(offset, newSequence().callHook("seed", "()J").op(Opcodes.INVOKESPECIAL, seeded).toByteArray());
            code.reserve(2, 0);
        } else if (isConstructor && holder.equals("java/util/Date") && callType.equals("()V")) {
            int timed = constants.addMethodRef(holder, name, "(J)V");
            InstructionBuilder sequence = newSequence().callHook("currentTimeMillis", "()J");
            code.replace(offset, sequence.op(Opcodes.INVOKESPECIAL, timed).toByteArray());
            code.reserve(2, 0);
        } else if (isProject && StreamOperations.isTerminal(holder, name)) {
            instrumentTerminalOperation(offset, constant);
        } else if (isProject && ModelledMethods.isOpaque(holder) && !isConstructor && opcode != Opcodes.INVOKESTATIC) {
            code.insertBefore(offset,
                    newSequence().pushInt(registerSite(offset, holder + "." + name)).callHook("accessOpaque", "(I)V")
                            .toByteArray());
            code.reserve(1, 0);
        } else if (isProject && isModelled(owner, opcode == Opcodes.INVOKESTATIC, constant)) {
            instrumentModelledCall(offset, opcode, constant);
        }
    }

    /** Lets controlled threads run a parallel stream. */
    private void instrumentTerminalOperation(int offset, int constant) {
        String holder = constants.owner(constant);
        String name = constants.memberName(constant);
        int site = registerSite(offset, holder + "." + name);
        if (name.equals("forEach")) {
            code.replace(offset, newSequence().pushInt(site)
                    .callHook("forEachOfStream", "(" + OBJECT + OBJECT + "I)V").toByteArray());
            code.reserve(2, 0);
            return;
        }
        String kinds = parameterKinds(constants.memberDescriptor(constant));
        int[] locals = reserveLocals(kinds);
        InstructionBuilder sequence = newSequence();
        storeLocals(sequence, kinds, locals).pushInt(site).callHook("evaluateStream", "(" + OBJECT + "I)" + OBJECT);
        sequence.op(Opcodes.CHECKCAST, constants.addClass(holder));
        code.insertBefore(offset, loadLocals(sequence, kinds, locals).toByteArray());
        code.reserve(6, 2 * kinds.length());
    }

    /** Inserts hooks for the receiver and the arguments before a call; the arguments wait in locals. */
    private void instrumentModelledCall(int offset, int opcode, int constant) {
        String holder = constants.owner(constant);
        String name = constants.memberName(constant);
        String callType = constants.memberDescriptor(constant);
        int site = registerSite(offset, holder + "." + name);
        InstructionBuilder sequence = newSequence();
        String kinds = parameterKinds(callType);
        int[] locals = reserveLocals(kinds);
        storeLocals(sequence, kinds, locals);
        boolean hasEffect = addArgumentHooks(sequence, constant, locals, site);
        boolean isOfSuper = opcode == Opcodes.INVOKESPECIAL && !name.equals("<init>");
        if (opcode == Opcodes.INVOKESTATIC || opcode == Opcodes.INVOKESPECIAL && !isOfSuper) {
            String hook = holder.startsWith("java/util/concurrent/") ? "beforeCall" : "beforeRedirect";
            sequence = hasEffect ? sequence : newSequence();
            loadLocals(sequence, kinds, hasEffect ? locals : new int[0]).pushInt(site).callHook(hook, "(I)V");
        } else {
            String hook = holder.startsWith("[") ? "cloneArray" : isOfSuper ? "callSuper" : "call";
            sequence.op(Opcodes.DUP).pushInt(site).callHook(hook, "(" + OBJECT + "I)V");
            loadLocals(sequence, kinds, locals);
        }
        code.insertBefore(offset, sequence.toByteArray());
        code.reserve(6, 2 * kinds.length());
    }

    /** Returns unused local variables for values of these kinds. */
    private int[] reserveLocals(String kinds) {
        int[] locals = new int[kinds.length()];
        int next = code.maxLocals();
        for (int i = 0; i < locals.length; i++) {
            locals[i] = next;
            next += kinds.charAt(i) == 'J' || kinds.charAt(i) == 'D' ? 2 : 1;
        }
        return locals;
    }

    private static InstructionBuilder storeLocals(InstructionBuilder sequence, String kinds, int[] locals) {
        for (int i = locals.length - 1; i >= 0; i--) {
            sequence.accessLocal(Opcodes.ISTORE + "IJFDA".indexOf(kinds.charAt(i)), locals[i]);
        }
        return sequence;
    }

    private static InstructionBuilder loadLocals(InstructionBuilder sequence, String kinds, int[] locals) {
        for (int i = 0; i < locals.length; i++) {
            sequence.accessLocal(Opcodes.ILOAD + "IJFDA".indexOf(kinds.charAt(i)), locals[i]);
        }
        return sequence;
    }

    /** Inserts hooks for the arguments that a method reads or modifies. Returns true if there are any. */
    private boolean addArgumentHooks(InstructionBuilder sequence, int constant, int[] locals, int site) {
        String holder = constants.owner(constant);
        String name = constants.memberName(constant);
        List<String> types = parameterTypes(constants.memberDescriptor(constant));
        if (name.equals("arraycopy")) {
            loadLocals(sequence, "AIAII", locals).pushInt(site)
                    .callHook("copyArray", "(" + OBJECT + "I" + OBJECT + "III)V");
            return true;
        }
        boolean hasEffect = false;
        for (int i = 0; i < locals.length; i++) {
            ArgumentEffects.Effect effect = ArgumentEffects.effectOn(holder, name, i, types.get(i));
            if (effect == ArgumentEffects.Effect.NONE) {
                continue;
            }
            hasEffect = true;
            String hook = effect == ArgumentEffects.Effect.WRITE ? "write" : "read";
            sequence.accessLocal(Opcodes.ILOAD + 4, locals[i]);
            boolean isRange = i + 2 < types.size() && types.get(i + 1).equals("I") && types.get(i + 2).equals("I");
            if (holder.equals("java/util/Arrays") && isRange) {
                sequence.accessLocal(Opcodes.ILOAD, locals[i + 1]).accessLocal(Opcodes.ILOAD, locals[i + 2]);
                sequence.pushInt(site).callHook(hook + "Part", "(" + OBJECT + "III)V");
            } else {
                sequence.pushInt(site).callHook(hook + "All", "(" + OBJECT + "I)V");
            }
        }
        return hasEffect;
    }

    private static List<String> parameterTypes(String descriptor) {
        List<String> types = new ArrayList<>();
        for (int i = 1; descriptor.charAt(i) != ')'; i++) {
            int start = i;
            while (descriptor.charAt(i) == '[') {
                i++;
            }
            if (descriptor.charAt(i) == 'L') {
                i = descriptor.indexOf(';', i);
            }
            types.add(descriptor.substring(start, i + 1));
        }
        return types;
    }

    /** Returns the kinds of a method's parameters: I, J, F, D, and A for references. */
    static String parameterKinds(String descriptor) {
        StringBuilder kinds = new StringBuilder();
        for (int i = 1; descriptor.charAt(i) != ')'; i++) {
            char first = descriptor.charAt(i);
            while (descriptor.charAt(i) == '[') {
                i++;
            }
            if (descriptor.charAt(i) == 'L') {
                i = descriptor.indexOf(';', i);
            }
            kinds.append(first == 'L' || first == '[' ? 'A' : "ZBCS".indexOf(first) >= 0 ? 'I' : first);
            if (first == 'V') {
                kinds.setLength(kinds.length() - 1);
            }
        }
        return kinds.toString();
    }

    private int registerSite(int offset, String name) {
        return registerSite(offset, Sites.subjectNumber(name.replace('/', '.'), false));
    }

    private int registerSite(int offset, int subject) {
        int occurrence = occurrences.merge(lines[offset] + ":" + subject, 1, Integer::sum) - 1;
        return Sites.addSite(owner.name.replace('/', '.'), method, lines[offset], subject, isProject, occurrence);
    }

    /** Adds hooks at the entry, the returns and the exceptional exit of the method. */
    private void addEntryAndExitHooks() throws IOException {
        InstructionBuilder start = newSequence();
        InstructionBuilder end = newSequence();
        InstructionBuilder thrown = newSequence();
        boolean isRun = method.equals("run") && descriptor.equals("()V") && owner.hierarchy.isThread(owner.name);
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
            int site = registerSite(0, "monitor");
            loadSelf(start).pushInt(site).callHook("enterMonitor", "(" + OBJECT + "I)V");
            loadSelf(end).pushInt(site).callHook("exitMonitor", "(" + OBJECT + "I)V");
            loadSelf(thrown).pushInt(site).callHook("exitMonitor", "(" + OBJECT + "I)V");
        }
        if (isRun) {
            end.op(Opcodes.ALOAD_0).callHook("end", "(" + OBJECT + ")V");
            thrown.op(Opcodes.DUP).op(Opcodes.ALOAD_0)
                    .callHook("endWithException", "(Ljava/lang/Throwable;" + OBJECT + ")V");
        }
        addLockHooks(start, end);
        addCopyHooks(start, end);
        wrapBody(start.toByteArray(), end.toByteArray(), thrown.toByteArray());
    }

    /** Makes methods of a project class that acquire and release a lock steps of their own. */
    private void addLockHooks(InstructionBuilder start, InstructionBuilder end) {
        if (!isProject || isStatic()) {
            return;
        }
        if (owner.hierarchy.isAcquisition(owner.name, method + descriptor)) {
            boolean isAttempt = descriptor.endsWith("Z");
            if (isAttempt) {
                end.op(Opcodes.DUP);
            }
            end.op(Opcodes.ALOAD_0).callHook("acquireOwnLock", isAttempt ? "(Z" + OBJECT + ")V" : "(" + OBJECT + ")V");
        } else if (owner.hierarchy.isRelease(owner.name, method + descriptor)) {
            start.op(Opcodes.ALOAD_0).callHook("releaseOwnLock", "(" + OBJECT + ")V");
        }
    }

    /** Records where project code calls a lock of its own. */
    private void recordLockCall(int offset, String holder, String called) {
        ClassHierarchy hierarchy = owner.hierarchy;
        boolean isLockCall = hierarchy.isAcquisition(holder, called) || hierarchy.isRelease(holder, called);
        if (isProject && isLockCall && !hierarchy.isLock(owner.name)) {
            int site = registerSite(offset, holder + "." + called.substring(0, called.indexOf('(')));
            code.insertBefore(offset, newSequence().pushInt(site).callHook("beforeLockCall", "(I)V").toByteArray());
            code.reserve(1, 0);
        }
    }

    /** Makes calls of a copied class accesses to the same object, which order threads. */
    private void addCopyHooks(InstructionBuilder start, InstructionBuilder end) {
        if (owner.role != ClassInstrumenter.Role.COPY || isStatic() || method.startsWith("<") || (flags & 2) != 0) {
            return;
        }
        if (method.equals("setExclusiveOwnerThread")) {
            start.op(Opcodes.ALOAD_0).op(Opcodes.ALOAD_0 + 1);
            start.callHook("setLockOwner", "(" + OBJECT + "Ljava/lang/Thread;)V");
        }
        // Subclasses of the project call protected methods.
        if ((flags & 5) != 0) {
            int subject = Sites.subjectNumber((owner.name + "." + method).replace('/', '.'), false);
            start.op(Opcodes.ALOAD_0).pushInt(subject).callHook("enterCopy", "(" + OBJECT + "I)V");
        } else {
            start.op(Opcodes.ALOAD_0).callHook("synchroniseCopy", "(" + OBJECT + ")V");
        }
        end.op(Opcodes.ALOAD_0).callHook("synchroniseCopy", "(" + OBJECT + ")V");
    }

    private InstructionBuilder loadSelf(InstructionBuilder sequence) {
        return isStatic() ? sequence.op(Opcodes.LDC_W, owner.thisClass) : sequence.op(Opcodes.ALOAD_0);
    }

    private void wrapBody(byte[] start, byte[] end, byte[] thrown) throws IOException {
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
            code.addCatchAllHandler(handler, owner.majorVersion < 50 ? null : handlerFrame());
        }
    }

    /** Returns the stack map frame of the handler: the object and the exception. */
    private byte[] handlerFrame() throws IOException {
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
