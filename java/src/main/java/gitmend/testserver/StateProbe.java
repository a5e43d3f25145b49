package gitmend.testserver;

import java.util.Collection;
import java.util.Collections;

/** Probe of one part of the JVM's state. */
abstract class StateProbe {
    final String name;

    StateProbe(String name) {
        this.name = name;
    }

    /** Returns a snapshot: equal states have equal snapshots, and later changes do not affect it. */
    abstract Object read() throws Throwable;

    /** Restores a snapshot. Does nothing if this state cannot be restored. */
    void restore(Object saved) throws Throwable {}

    /** Returns the names of the differences between two snapshots that are not equal. */
    Collection<String> differences(Object saved, Object current) {
        return Collections.singleton(name);
    }

    final Object readSafely() {
        try {
            return read();
        } catch (Throwable e) {
            return e.toString();
        }
    }

    final void restoreSafely(Object saved) {
        try {
            restore(saved);
        } catch (Throwable e) {
            // The caller reads the state again and finds that it is not restored.
        }
    }
}
