package gitmend.schedule.weave;

import java.lang.reflect.Field;

/** State of the JDK and of its relocated classes that is reset between schedules. */
public final class RelocatedState {
    private RelocatedState() {}

    /** Restarts the numbers in default thread names. */
    public static void resetThreadNumbers() {
        for (String className : new String[] {"java.lang.Thread", "java.lang.Thread$ThreadNumbering"}) {
            for (String fieldName : new String[] {"threadInitNumber", "next"}) {
                try {
                    Field number = Class.forName(className).getDeclaredField(fieldName);
                    number.setAccessible(true);
                    number.setInt(null, 0);
                } catch (ReflectiveOperationException | RuntimeException e) {
                    // Another release has this field.
                }
            }
        }
    }

    /** Restarts the numbers in the thread names of pools. */
    public static void resetPoolNumbers(InstrumentingClassLoader loader) {
        Class<?> factory = loader.findLoaded("gitmend.copy.concurrent.Executors$DefaultThreadFactory");
        if (factory == null) {
            return;
        }
        try {
            Field number = factory.getDeclaredField("poolNumber");
            number.setAccessible(true);
            Object counter = number.get(null);
            counter.getClass().getMethod("set", int.class).invoke(counter, 1);
        } catch (ReflectiveOperationException | LinkageError e) {
            // Only the numbers in thread names continue.
        }
    }
}
