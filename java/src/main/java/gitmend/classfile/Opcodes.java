package gitmend.classfile;

/** Opcodes that the instrumentation uses, and lengths of instructions. */
public final class Opcodes {
    private static final int BIPUSH = 16;
    private static final int SIPUSH = 17;
    private static final int LDC = 18;
    public static final int LDC_W = 19;
    private static final int LDC2_W = 20;
    public static final int ILOAD = 21;
    private static final int ALOAD = 25;
    public static final int ALOAD_0 = 42;
    public static final int IALOAD = 46;
    public static final int SALOAD = 53;
    public static final int ISTORE = 54;
    private static final int ASTORE = 58;
    public static final int IASTORE = 79;
    public static final int LASTORE = 80;
    public static final int DASTORE = 82;
    public static final int SASTORE = 86;
    public static final int POP = 87;
    public static final int POP2 = 88;
    public static final int DUP = 89;
    public static final int DUP_X2 = 91;
    public static final int DUP2 = 92;
    public static final int DUP2_X1 = 93;
    public static final int DUP2_X2 = 94;
    static final int IINC = 132;
    static final int IFEQ = 153;
    static final int JSR = 168;
    private static final int RET = 169;
    static final int TABLESWITCH = 170;
    static final int LOOKUPSWITCH = 171;
    public static final int IRETURN = 172;
    public static final int RETURN = 177;
    public static final int GETSTATIC = 178;
    public static final int PUTSTATIC = 179;
    public static final int PUTFIELD = 181;
    public static final int INVOKEVIRTUAL = 182;
    public static final int INVOKESPECIAL = 183;
    public static final int INVOKESTATIC = 184;
    public static final int INVOKEINTERFACE = 185;
    private static final int INVOKEDYNAMIC = 186;
    public static final int NEW = 187;
    private static final int NEWARRAY = 188;
    private static final int ANEWARRAY = 189;
    public static final int ATHROW = 191;
    public static final int CHECKCAST = 192;
    private static final int INSTANCEOF = 193;
    public static final int MONITORENTER = 194;
    public static final int MONITOREXIT = 195;
    public static final int WIDE = 196;
    private static final int MULTIANEWARRAY = 197;
    static final int IFNULL = 198;
    static final int IFNONNULL = 199;
    static final int GOTO_W = 200;
    static final int JSR_W = 201;

    private Opcodes() {}

    /** Returns the length of an instruction in bytes, for opcodes whose instructions have a fixed length. */
    static int length(int opcode) {
        if (opcode == BIPUSH || opcode == LDC || opcode == NEWARRAY || opcode == RET
                || opcode >= ILOAD && opcode <= ALOAD || opcode >= ISTORE && opcode <= ASTORE) {
            return 2;
        } else if (opcode == SIPUSH || opcode == LDC_W || opcode == LDC2_W || opcode == IINC
                || opcode >= IFEQ && opcode <= JSR || opcode >= GETSTATIC && opcode <= INVOKESTATIC
                || opcode == NEW || opcode == ANEWARRAY || opcode == CHECKCAST || opcode == INSTANCEOF
                || opcode == IFNULL || opcode == IFNONNULL) {
            return 3;
        } else if (opcode == MULTIANEWARRAY) {
            return 4;
        } else if (opcode == INVOKEINTERFACE || opcode == INVOKEDYNAMIC || opcode == GOTO_W || opcode == JSR_W) {
            return 5;
        }
        return 1;
    }

    static boolean isJump(int opcode) {
        return opcode >= IFEQ && opcode <= JSR || opcode == IFNULL || opcode == IFNONNULL;
    }

    public static boolean isReturn(int opcode) {
        return opcode >= IRETURN && opcode <= RETURN;
    }
}
