package gitmend.schedule.run;

import gitmend.schedule.control.ControlledThread;
import gitmend.schedule.control.Failure;
import gitmend.schedule.control.Scheduler;
import gitmend.schedule.control.Strategy;
import gitmend.schedule.control.Threads;
import gitmend.schedule.strategy.ReplayStrategy;
import gitmend.schedule.weave.InstrumentedClassCache;
import gitmend.schedule.weave.InstrumentingClassLoader;
import gitmend.schedule.weave.RelocatedState;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Properties;

/** Runner of schedules, one after the other, each with its own classes and threads. */
public final class ScheduleRunner {
    /** Time without any scheduled step after which a schedule is given up, in milliseconds. */
    private static final long PATIENCE = 10_000;
    /** How long a thread may take to end once its schedule is over, in milliseconds. */
    private static final long GRACE = 500;

    /** Result of one schedule. */
    public static final class Execution {
        public final Schedule schedule;
        public final Scheduler scheduler;
        /** The output of the runner, line by line. */
        public List<String> results = Collections.emptyList();
        /** Why it did not finish, or null. */
        public String obstacle;
        /** Threads that would not end. */
        public int left;
        public boolean hasDiverged;
        /** What the tests printed. */
        public String printed = "";

        Execution(Schedule schedule, Scheduler scheduler) {
            this.schedule = schedule;
            this.scheduler = scheduler;
        }

        public boolean hasFailed() {
            return obstacle == null && (scheduler.failure != null || failedResult() != null);
        }

        /** Whether it came to its end, and some test passed and none failed. */
        boolean hasPassed() {
            return obstacle == null && !hasFailed()
                    && results.stream().anyMatch(line -> line.contains("\"status\":\"passed\""));
        }

        /** Returns the runner's line for the first failed test. */
        public String failedResult() {
            for (String line : results) {
                if (line.contains("\"status\":\"failed\"")) {
                    return line;
                }
            }
            return null;
        }
    }

    private final InstrumentedClassCache store;
    private final String runner;
    /** What the tests are to print, or null. */
    private final ExpectedOutput expected;
    private InstrumentingClassLoader shared;

    /** `shared` may be the loader of another stage, or null. */
    public ScheduleRunner(
            InstrumentedClassCache store, String runner, ExpectedOutput expected, InstrumentingClassLoader shared) {
        this.store = store;
        this.runner = runner;
        this.expected = expected;
        this.shared = shared == null ? InstrumentingClassLoader.shared(store) : shared;
    }

    public InstrumentingClassLoader shared() {
        return shared;
    }

    public Execution play(Schedule schedule, Strategy strategy) throws Exception {
        return play(schedule, strategy, false);
    }

    public Execution play(Schedule schedule, Strategy strategy, boolean hasStacks) throws Exception {
        if (shared.remembers()) {
            shared = InstrumentingClassLoader.shared(store);
        }
        RelocatedState.reset(shared);
        RelocatedState.renumber();
        schedule = new Schedule(schedule.wanted, schedule.strategy, schedule.seed, schedule.shared);
        Scheduler scheduler = new Scheduler(strategy, (java.util.BitSet) schedule.shared.clone());
        if (hasStacks) {
            scheduler.trace.watch(store.projectClasses);
        }
        Execution played = new Execution(schedule, scheduler);
        ByteArrayOutputStream results = new ByteArrayOutputStream();
        Properties properties = (Properties) System.getProperties().clone();
        Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
        CapturedOutput printed = CapturedOutput.in(scheduler, expected);
        PrintStream out = printed.stream();
        if (expected != null) {
            scheduler.watch(out);
        }
        System.setOut(out);
        // More than a plain one, so that runners put no stream of theirs before the other, whose prints may be steps.
        System.setErr(new PrintStream(new Silence(), false) {});
        try (InstrumentingClassLoader loader = InstrumentingClassLoader.of(store, shared)) {
            perform(played, loader, results);
            schedule.choices = scheduler.choices();
            played.results = Arrays.asList(results.toString("UTF-8").split("\n"));
        } finally {
            System.setProperties(properties);
            Thread.setDefaultUncaughtExceptionHandler(handler);
        }
        System.out.flush();
        played.printed = printed.start();
        if (expected != null && played.hasPassed()) {
            String other = expected.otherThan(printed);
            scheduler.failure = other == null ? null : new Failure(Failure.Kind.OUTPUT, other, null, 0);
        }
        String broken = InstrumentationFailures.broken(played);
        String intruder = scheduler.intruder == null ? null
                : scheduler.intruder + " runs instrumented code, but the scheduler does not control it";
        for (String one : new String[] {intruder, broken}) {
            played.obstacle = played.obstacle == null ? one : played.obstacle;
        }
        if (strategy instanceof ReplayStrategy) {
            played.hasDiverged = ((ReplayStrategy) strategy).hasDiverged;
        }
        return played;
    }

    /** Forgets the running schedule; its data stays available for naming objects. */
    public static void clear() {
        Scheduler.now = null;
    }

    private void perform(Execution played, InstrumentingClassLoader loader, OutputStream results) throws Exception {
        Scheduler scheduler = played.scheduler;
        List<String> wanted = Collections.singletonList(played.schedule.wanted);
        Thread main = new Thread(null, () -> run(loader, results, wanted), "main", 0);
        main.setContextClassLoader(loader);
        ControlledThread actor = scheduler.add(main);
        scheduler.running = actor;
        Scheduler.now = scheduler;
        main.start();
        actor.go();
        if (!scheduler.await(PATIENCE)) {
            played.obstacle = obstacle(scheduler.running.thread);
            scheduler.finish();
        }
        List<ControlledThread> actors;
        synchronized (scheduler) {
            actors = new ArrayList<>(scheduler.actors);
        }
        for (ControlledThread one : actors) {
            one.thread.join(GRACE);
            if (one.thread.isAlive()) {
                Scheduler.LEFT.add(one.thread);
                played.left++;
            }
        }
    }

    /** What a thread does that holds up all others. */
    private static String obstacle(Thread thread) {
        StackTraceElement[] stack = thread.getStackTrace();
        String place = stack.length == 0 ? "its last step" : stack[0].toString();
        return thread.getName() + " is " + thread.getState().toString().toLowerCase(java.util.Locale.ROOT)
                + " in " + place + ", which the scheduler does not control";
    }

    private void run(InstrumentingClassLoader loader, OutputStream results, List<String> wanted) {
        Thread thread = Thread.currentThread();
        try {
            Threads.begin(thread);
            Method run = loader.loadClass(runner).getDeclaredMethod("run", OutputStream.class, List.class);
            run.setAccessible(true);
            run.invoke(null, results, wanted);
        } catch (Throwable e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            Threads.thrown(cause, thread);
            return;
        }
        Threads.end(thread);
    }

    private static final class Silence extends OutputStream {
        @Override
        public void write(int b) {}

        @Override
        public void write(byte[] bytes, int offset, int length) {}
    }
}
