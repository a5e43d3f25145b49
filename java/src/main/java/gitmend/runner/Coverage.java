package gitmend.runner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Method coverage: records which methods of the project were entered. Probes in the methods call it. */
public final class Coverage {
    /** By the numbers of their probes, `pkg.Class#method`. */
    private static final List<String> METHODS = new ArrayList<>();

    private static volatile boolean[] entered = new boolean[0];

    private Coverage() {}

    /** Called at the beginning of a method. */
    public static void enter(int probe) {
        boolean[] snapshot = entered;
        if (probe < snapshot.length) {
            snapshot[probe] = true;
        }
    }

    /** The number of a new probe. */
    public static synchronized int addProbe(String method) {
        METHODS.add(method);
        if (METHODS.size() > entered.length) {
            entered = Arrays.copyOf(entered, 2 * METHODS.size());
        }
        return METHODS.size() - 1;
    }

    /** Forgets all probes: those of one variant mean nothing to the next. */
    public static synchronized void clear() {
        METHODS.clear();
        entered = new boolean[0];
    }

    /** The methods that were entered since this was asked last. */
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
