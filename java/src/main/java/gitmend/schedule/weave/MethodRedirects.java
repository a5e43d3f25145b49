package gitmend.schedule.weave;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** JDK methods whose calls are redirected to hooks. */
final class MethodRedirects {
    private static final Map<String, String> STATIC_METHODS = new HashMap<>();
    private static final Map<String, String> THREAD_METHODS = new HashMap<>();
    private static final Map<String, String> OBJECT_METHODS = new HashMap<>();
    private static final List<String> TIME_UNIT_METHODS =
            Arrays.asList("sleep(J)V", "timedWait(Ljava/lang/Object;J)V", "timedJoin(Ljava/lang/Thread;J)V");

    static {
        for (String name : new String[] {"sleep(J)V", "sleep(JI)V", "sleep(Ljava/time/Duration;)V", "yield()V",
                "onSpinWait()V", "interrupted()Z", "holdsLock(Ljava/lang/Object;)Z"}) {
            STATIC_METHODS.put("java/lang/Thread." + name, name);
        }
        STATIC_METHODS.put("java/lang/Thread.startVirtualThread(Ljava/lang/Runnable;)Ljava/lang/Thread;",
                "startVirtualThread(Ljava/lang/Runnable;)Ljava/lang/Thread;");
        for (String name : new String[] {"park()V", "park(Ljava/lang/Object;)V", "parkNanos(J)V",
                "parkNanos(Ljava/lang/Object;J)V", "parkUntil(J)V", "parkUntil(Ljava/lang/Object;J)V",
                "unpark(Ljava/lang/Thread;)V"}) {
            STATIC_METHODS.put("java/util/concurrent/locks/LockSupport." + name, name);
        }
        for (String name : new String[] {"currentTimeMillis()J", "nanoTime()J", "exit(I)V",
                "identityHashCode(Ljava/lang/Object;)I"}) {
            STATIC_METHODS.put("java/lang/System." + name, name);
        }
        STATIC_METHODS.put("java/lang/Math.random()D", "random()D");
        STATIC_METHODS.put("java/util/Collections.shuffle(Ljava/util/List;)V", "shuffle(Ljava/util/List;)V");
        for (String name : new String[] {"Instant", "LocalDate", "LocalTime", "LocalDateTime", "OffsetDateTime",
                "ZonedDateTime"}) {
            String type = "()Ljava/time/" + name + ";";
            STATIC_METHODS.put("java/time/" + name + ".now" + type, "now" + name + type);
        }
        STATIC_METHODS.put("java/time/Clock.systemUTC()Ljava/time/Clock;", "systemUTC()Ljava/time/Clock;");
        STATIC_METHODS.put("java/time/Clock.systemDefaultZone()Ljava/time/Clock;",
                "systemDefaultZone()Ljava/time/Clock;");
        STATIC_METHODS.put("java/time/Clock.system(Ljava/time/ZoneId;)Ljava/time/Clock;",
                "system(Ljava/time/ZoneId;)Ljava/time/Clock;");
        // Methods that copied classes cannot call from their package.
        STATIC_METHODS.put("java/util/concurrent/locks/LockSupport.getThreadId(Ljava/lang/Thread;)J",
                "threadId(Ljava/lang/Thread;)J");
        STATIC_METHODS.put("java/util/concurrent/atomic/AtomicLong.VMSupportsCS8()Z", "returnTrue()Z");
        for (String name : new String[] {"start()V", "join()V", "join(J)V", "join(JI)V", "join(Ljava/time/Duration;)Z",
                "interrupt()V", "isInterrupted()Z", "isAlive()Z", "isVirtual()Z",
                "getState()Ljava/lang/Thread$State;"}) {
            THREAD_METHODS.put(name, withReceiver(name, "Ljava/lang/Thread;"));
        }
        for (String name : new String[] {"wait()V", "wait(J)V", "wait(JI)V", "notify()V", "notifyAll()V"}) {
            OBJECT_METHODS.put(name, withReceiver(name, "Ljava/lang/Object;"));
        }
    }

    private static final List<String> BUILDER_METHODS = Arrays.asList("start(Ljava/lang/Runnable;)Ljava/lang/Thread;",
            "unstarted(Ljava/lang/Runnable;)Ljava/lang/Thread;", "factory()Ljava/util/concurrent/ThreadFactory;");

    private MethodRedirects() {}

    private static String withReceiver(String method, String type) {
        String hook = method.replace("(", "(" + type);
        // `Object` has methods of these names.
        return hook.startsWith("wait") || hook.startsWith("notify") ? "on" + hook : hook;
    }

    /** Returns the name and descriptor of the hook, or null. `name` is a method name with its descriptor. */
    static String findHook(boolean isStatic, String owner, String name, ClassHierarchy hierarchy) {
        if (isStatic) {
            return STATIC_METHODS.get(owner + "." + name);
        }
        if (owner.startsWith("jdk/internal/vm/") && name.equals("start(Ljava/lang/Thread;)V")) {
            return "start(Ljava/lang/Object;Ljava/lang/Thread;)V";
        }
        if (owner.equals("jdk/internal/access/JavaLangAccess") && name.startsWith("start(Ljava/lang/Thread;L")) {
            return "start(Ljava/lang/Object;Ljava/lang/Thread;Ljava/lang/Object;)V";
        }
        if (owner.startsWith("java/lang/Thread$Builder") && BUILDER_METHODS.contains(name)) {
            return name.replace("(", "(Ljava/lang/Object;");
        }
        if (owner.equals("jdk/internal/misc/Unsafe") && (name.equals("park(ZJ)V")
                || name.equals("unpark(Ljava/lang/Object;)V"))) {
            return name.replace("(", "(Ljava/lang/Object;");
        }
        if (owner.equals("java/util/concurrent/TimeUnit") && TIME_UNIT_METHODS.contains(name)) {
            return name.replace("(", "(Ljava/util/concurrent/TimeUnit;");
        }
        if (owner.equals("java/lang/Runtime") && (name.equals("exit(I)V") || name.equals("halt(I)V"))) {
            return name.replace("(", "(Ljava/lang/Runtime;");
        }
        if (OBJECT_METHODS.containsKey(name)) {
            return OBJECT_METHODS.get(name);
        }
        if (THREAD_METHODS.containsKey(name) && hierarchy.isThread(owner) && !hierarchy.overrides(owner, name)) {
            return THREAD_METHODS.get(name);
        }
        return null;
    }
}
