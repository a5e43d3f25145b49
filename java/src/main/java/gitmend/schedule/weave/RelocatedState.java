package gitmend.schedule.weave;

import java.lang.reflect.Field;

/** State of the JDK and of its relocated classes that is reset between schedules. */
public final class RelocatedState {
    private RelocatedState() {}

    /** Threads without a name are numbered from 0 again. */
    public static void renumber() {
        for (String place : new String[] {"java.lang.Thread", "java.lang.Thread$ThreadNumbering"}) {
            for (String name : new String[] {"threadInitNumber", "next"}) {
                try {
                    Field number = Class.forName(place).getDeclaredField(name);
                    number.setAccessible(true);
                    number.setInt(null, 0);
                } catch (ReflectiveOperationException | RuntimeException e) {
                    // Not the one of this release.
                }
            }
        }
    }

    /** Pools are numbered from 1 again. */
    public static void reset(InstrumentingClassLoader loader) {
        Class<?> factory = loader.loaded("gitmend.copy.concurrent.Executors$DefaultThreadFactory");
        if (factory == null) {
            return;
        }
        try {
            Field number = factory.getDeclaredField("poolNumber");
            number.setAccessible(true);
            Object counter = number.get(null);
            counter.getClass().getMethod("set", int.class).invoke(counter, 1);
        } catch (ReflectiveOperationException | LinkageError e) {
            // Then names of threads go on counting, and nothing else.
        }
    }
}
