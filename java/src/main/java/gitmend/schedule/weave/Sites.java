package gitmend.schedule.weave;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Numbered code locations of hooks, and the numbered variables that they access. */
public final class Sites {
    /** Code location of a hook. */
    public static final class Site {
        public final String className;
        public final String method;
        public final int line;
        /** Number of the variable or of the called method. */
        public final int subject;
        public final boolean isProject;
        /** Index among the accesses to this variable on the line, in code order. */
        public final int occurrence;
        /** True for a call that does not modify its receiver. */
        public final boolean isRead;
        private String stableMethod;

        Site(String className, String method, int line, int subject, boolean isProject, int occurrence) {
            this.className = className;
            this.method = method;
            this.line = line;
            this.subject = subject;
            this.isProject = isProject;
            this.occurrence = occurrence;
            isRead = ModelledMethods.isRead(subjectName(subject));
        }

        /** Returns the enclosing method; a lambda without its number, which changes with the code. */
        public String stableMethod() {
            if (stableMethod == null) {
                stableMethod = className + "." + method.replaceAll("\\$\\d+$", "");
            }
            return stableMethod;
        }

        /** Returns the simple name of the called method. */
        public String calledMethod() {
            String name = subjectName(subject);
            return name.substring(name.lastIndexOf('.') + 1);
        }

        @Override
        public String toString() {
            return className + "." + method + (line > 0 ? ":" + line : "");
        }
    }

    private static final List<Site> SITES = new ArrayList<>();
    private static final List<String> SUBJECTS = new ArrayList<>();
    private static final List<Boolean> VOLATILE = new ArrayList<>();
    private static final Map<String, Integer> SUBJECT_NUMBERS = new HashMap<>();

    static {
        addSite("", "", 0, subjectNumber("", false), false, 0);
    }

    private Sites() {}

    static synchronized int addSite(
            String className, String method, int line, int subject, boolean isProject, int occurrence) {
        SITES.add(new Site(className, method, line, subject, isProject, occurrence));
        return SITES.size() - 1;
    }

    /** Returns the number of a variable, `pkg.Class.field`, or of a called method. */
    public static synchronized int subjectNumber(String name, boolean isVolatile) {
        Integer number = SUBJECT_NUMBERS.get(name);
        if (number == null) {
            number = SUBJECTS.size();
            SUBJECTS.add(name);
            VOLATILE.add(isVolatile);
            SUBJECT_NUMBERS.put(name, number);
        } else if (isVolatile) {
            VOLATILE.set(number, true);
        }
        return number;
    }

    /** Clears the volatile flags of these classes, which may be recompiled. */
    static synchronized void clearVolatile(Set<String> classes) {
        for (int i = 0; i < SUBJECTS.size(); i++) {
            String name = SUBJECTS.get(i);
            int end = name.lastIndexOf('.');
            if (VOLATILE.get(i) && end > 0 && classes.contains(name.substring(0, end))) {
                VOLATILE.set(i, false);
            }
        }
    }

    public static synchronized Site getSite(int number) {
        return SITES.get(number);
    }

    public static synchronized String subjectName(int subject) {
        return SUBJECTS.get(subject);
    }

    public static synchronized boolean isVolatile(int number) {
        return VOLATILE.get(number);
    }

    static synchronized int subjects() {
        return SUBJECTS.size();
    }
}
