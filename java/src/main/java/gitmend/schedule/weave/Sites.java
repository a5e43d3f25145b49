package gitmend.schedule.weave;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Numbered code locations of hooks, and the numbered variables that they access. */
public final class Sites {
    /** One place. */
    public static final class Site {
        public final String className;
        public final String method;
        public final int line;
        /** The variable's number, or that of what is called. */
        public final int subject;
        public final boolean isProject;
        /** Which of the same variable's accesses on that line it is, in the order of the code. */
        public final int turn;
        /** Of a call: whether it leaves what it is called on as it is. */
        public final boolean isRead;
        private String routine;

        Site(String className, String method, int line, int subject, boolean isProject, int turn) {
            this.className = className;
            this.method = method;
            this.line = line;
            this.subject = subject;
            this.isProject = isProject;
            this.turn = turn;
            isRead = ModelledMethods.isRead(subjectName(subject));
        }

        /** The method that it is in; a lambda is called so without its number. */
        public String routine() {
            if (routine == null) {
                routine = className + "." + method.replaceAll("\\$\\d+$", "");
            }
            return routine;
        }

        /** Of a call: the name of the method. */
        public String called() {
            String name = subjectName(subject);
            return name.substring(name.lastIndexOf('.') + 1);
        }

        @Override
        public String toString() {
            return className + "." + method + (line > 0 ? ":" + line : "");
        }
    }

    private static final List<Site> ALL = new ArrayList<>();
    private static final List<String> SUBJECTS = new ArrayList<>();
    private static final List<Boolean> VOLATILE = new ArrayList<>();
    private static final Map<String, Integer> NUMBERS = new HashMap<>();

    static {
        add("", "", 0, subject("", false), false, 0);
    }

    private Sites() {}

    static synchronized int add(
            String className, String method, int line, int subject, boolean isProject, int turn) {
        ALL.add(new Site(className, method, line, subject, isProject, turn));
        return ALL.size() - 1;
    }

    /** The number of a variable, `pkg.Class.field`, or of a method that is called. */
    public static synchronized int subject(String name, boolean isVolatile) {
        Integer known = NUMBERS.get(name);
        if (known == null) {
            known = SUBJECTS.size();
            SUBJECTS.add(name);
            VOLATILE.add(isVolatile);
            NUMBERS.put(name, known);
        } else if (isVolatile) {
            VOLATILE.set(known, true);
        }
        return known;
    }

    /** The variables of these classes may be other ones from now on. */
    static synchronized void forgetVolatiles(Set<String> classes) {
        for (int i = 0; i < SUBJECTS.size(); i++) {
            String name = SUBJECTS.get(i);
            int end = name.lastIndexOf('.');
            if (VOLATILE.get(i) && end > 0 && classes.contains(name.substring(0, end))) {
                VOLATILE.set(i, false);
            }
        }
    }

    public static synchronized Site get(int number) {
        return ALL.get(number);
    }

    public static synchronized String subjectName(int number) {
        return SUBJECTS.get(number);
    }

    public static synchronized boolean isVolatile(int number) {
        return VOLATILE.get(number);
    }

    static synchronized int subjects() {
        return SUBJECTS.size();
    }
}
