package gitmend.schedule.weave;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** JDK methods whose calls are redirected to hooks. */
final class MethodRedirects {
    private static final Map<String, String> STATIC = new HashMap<>();
    private static final Map<String, String> OF_THREADS = new HashMap<>();
    private static final Map<String, String> OF_OBJECTS = new HashMap<>();
    private static final List<String> OF_UNITS =
            Arrays.asList("sleep(J)V", "timedWait(Ljava/lang/Object;J)V", "timedJoin(Ljava/lang/Thread;J)V");

    static {
        for (String one : new String[] {"sleep(J)V", "sleep(JI)V", "sleep(Ljava/time/Duration;)V", "yield()V",
                "onSpinWait()V", "interrupted()Z", "holdsLock(Ljava/lang/Object;)Z"}) {
            STATIC.put("java/lang/Thread." + one, one);
        }
        STATIC.put("java/lang/Thread.startVirtualThread(Ljava/lang/Runnable;)Ljava/lang/Thread;",
                "startVirtualThread(Ljava/lang/Runnable;)Ljava/lang/Thread;");
        for (String one : new String[] {"park()V", "park(Ljava/lang/Object;)V", "parkNanos(J)V",
                "parkNanos(Ljava/lang/Object;J)V", "parkUntil(J)V", "parkUntil(Ljava/lang/Object;J)V",
                "unpark(Ljava/lang/Thread;)V"}) {
            STATIC.put("java/util/concurrent/locks/LockSupport." + one, one);
        }
        for (String one : new String[] {"currentTimeMillis()J", "nanoTime()J", "exit(I)V",
                "identityHashCode(Ljava/lang/Object;)I"}) {
            STATIC.put("java/lang/System." + one, one);
        }
        STATIC.put("java/lang/Math.random()D", "random()D");
        STATIC.put("java/util/Collections.shuffle(Ljava/util/List;)V", "shuffle(Ljava/util/List;)V");
        for (String one : new String[] {"Instant", "LocalDate", "LocalTime", "LocalDateTime", "OffsetDateTime",
                "ZonedDateTime"}) {
            String type = "()Ljava/time/" + one + ";";
            STATIC.put("java/time/" + one + ".now" + type, "now" + one + type);
        }
        STATIC.put("java/time/Clock.systemUTC()Ljava/time/Clock;", "systemUTC()Ljava/time/Clock;");
        STATIC.put("java/time/Clock.systemDefaultZone()Ljava/time/Clock;", "systemDefaultZone()Ljava/time/Clock;");
        STATIC.put("java/time/Clock.system(Ljava/time/ZoneId;)Ljava/time/Clock;",
                "system(Ljava/time/ZoneId;)Ljava/time/Clock;");
        // What copies may not call, as they are not where their originals are.
        STATIC.put("java/util/concurrent/locks/LockSupport.getThreadId(Ljava/lang/Thread;)J",
                "threadId(Ljava/lang/Thread;)J");
        STATIC.put("java/util/concurrent/atomic/AtomicLong.VMSupportsCS8()Z", "yes()Z");
        for (String one : new String[] {"start()V", "join()V", "join(J)V", "join(JI)V", "join(Ljava/time/Duration;)Z",
                "interrupt()V", "isInterrupted()Z", "isAlive()Z", "isVirtual()Z",
                "getState()Ljava/lang/Thread$State;"}) {
            OF_THREADS.put(one, withReceiver(one, "Ljava/lang/Thread;"));
        }
        for (String one : new String[] {"wait()V", "wait(J)V", "wait(JI)V", "notify()V", "notifyAll()V"}) {
            OF_OBJECTS.put(one, withReceiver(one, "Ljava/lang/Object;"));
        }
    }

    private static final List<String> OF_BUILDERS = Arrays.asList("start(Ljava/lang/Runnable;)Ljava/lang/Thread;",
            "unstarted(Ljava/lang/Runnable;)Ljava/lang/Thread;", "factory()Ljava/util/concurrent/ThreadFactory;");

    private MethodRedirects() {}

    private static String withReceiver(String method, String type) {
        String shim = method.replace("(", "(" + type);
        // These names are taken by methods that every class has.
        return shim.startsWith("wait") || shim.startsWith("notify") ? "on" + shim : shim;
    }

    /** The hook, its name with its type, or null. `name` is that of a method with its type. */
    static String of(boolean isStatic, String owner, String name, ClassHierarchy outside) {
        if (isStatic) {
            return STATIC.get(owner + "." + name);
        }
        if (owner.startsWith("jdk/internal/vm/") && name.equals("start(Ljava/lang/Thread;)V")) {
            return "start(Ljava/lang/Object;Ljava/lang/Thread;)V";
        }
        if (owner.equals("jdk/internal/access/JavaLangAccess") && name.startsWith("start(Ljava/lang/Thread;L")) {
            return "start(Ljava/lang/Object;Ljava/lang/Thread;Ljava/lang/Object;)V";
        }
        if (owner.startsWith("java/lang/Thread$Builder") && OF_BUILDERS.contains(name)) {
            return name.replace("(", "(Ljava/lang/Object;");
        }
        if (owner.equals("jdk/internal/misc/Unsafe") && (name.equals("park(ZJ)V")
                || name.equals("unpark(Ljava/lang/Object;)V"))) {
            return name.replace("(", "(Ljava/lang/Object;");
        }
        if (owner.equals("java/util/concurrent/TimeUnit") && OF_UNITS.contains(name)) {
            return name.replace("(", "(Ljava/util/concurrent/TimeUnit;");
        }
        if (owner.equals("java/lang/Runtime") && (name.equals("exit(I)V") || name.equals("halt(I)V"))) {
            return name.replace("(", "(Ljava/lang/Runtime;");
        }
        if (OF_OBJECTS.containsKey(name)) {
            return OF_OBJECTS.get(name);
        }
        if (OF_THREADS.containsKey(name) && outside.isThread(owner) && !outside.overrides(owner, name)) {
            return OF_THREADS.get(name);
        }
        return null;
    }
}
