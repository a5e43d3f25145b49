package gitmend.state;

import java.util.Collection;
import java.util.Collections;

/** One part of the JVM's state that can be read and restored. */
abstract class StateProbe {
    final String name;

    StateProbe(String name) {
        this.name = name;
    }

    /** A value that equals that of an equal state, and that later changes do not change. */
    abstract Object read() throws Throwable;

    /** Makes the state what it was. Where that cannot be done, nothing. */
    void restore(Object saved) throws Throwable {}

    /** What of it is another, where all of it is not equal to what it was. */
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
            // Reading it again shows that it is not restored.
        }
    }
}
