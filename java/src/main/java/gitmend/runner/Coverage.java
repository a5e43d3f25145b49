package gitmend.runner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Method coverage: records which methods of the project were entered. Probes in the methods call it. */
public final class Coverage {
    /** Methods as `pkg.Class#method`, by probe number. */
    private static final List<String> METHODS = new ArrayList<>();

    private static volatile boolean[] entered = new boolean[0];

    private Coverage() {}

    /** Records that a method was entered. Probes at the beginning of methods call it by name. */
    public static void enter(int probe) {
        boolean[] snapshot = entered;
        if (probe < snapshot.length) {
            snapshot[probe] = true;
        }
    }

    /** Adds a probe and returns its number. */
    public static synchronized int addProbe(String method) {
        METHODS.add(method);
        if (METHODS.size() > entered.length) {
            entered = Arrays.copyOf(entered, 2 * METHODS.size());
        }
        return METHODS.size() - 1;
    }

    /** Removes all probes, because probe numbers are valid for one variant only. */
    public static synchronized void clear() {
        METHODS.clear();
        entered = new boolean[0];
    }

    /** Returns the methods that were entered since the last call. */
    public static synchronized Set<String> takeEnteredMethods() {
        Set<String> methods = new TreeSet<>();
        for (int i = 0; i < METHODS.size(); i++) {
            if (entered[i]) {
                methods.add(METHODS.get(i));
                entered[i] = false;
            }
        }
        return methods;
    }
}
