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
import java.io.IOException;
import java.io.InputStream;
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
    /** Time without any step after which a schedule is abandoned. */
    private static final long STALL_TIMEOUT_MILLIS = 10_000;
    private static final String JUNIT_PARALLEL = "junit.jupiter.execution.parallel.enabled";
    /** Time limit for a thread to exit after its schedule. */
    private static final long EXIT_TIMEOUT_MILLIS = 500;

    /** Result of one schedule. */
    public static final class Execution {
        public final Schedule schedule;
        public final Scheduler scheduler;
        /** The output of the runner, line by line. */
        public List<String> results = Collections.emptyList();
        /** Reason why the schedule did not finish, or null. */
        public String obstacle;
        /** Number of threads that did not exit. */
        public int leftoverThreads;
        public boolean hasDiverged;
        /** Beginning of the tests' output. */
        public String outputPrefix = "";

        Execution(Schedule schedule, Scheduler scheduler) {
            this.schedule = schedule;
            this.scheduler = scheduler;
        }

        public boolean hasFailed() {
            return obstacle == null && (scheduler.failure != null || failedResult() != null);
        }

        /** Returns true if the schedule finished, and some test passed and none failed. */
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

    private final InstrumentedClassCache classes;
    private final String runnerClass;
    /** Expected output of the tests, or null. */
    private final ExpectedOutput expected;
    private InstrumentingClassLoader sharedLoader;
    /** True if the project asks JUnit to run tests at the same time. */
    private boolean isJUnitParallel;

    /** Creates a runner. `sharedLoader` is the loader of an earlier runner, or null. */
    public ScheduleRunner(
            InstrumentedClassCache classes, String runnerClass, ExpectedOutput expected,
            InstrumentingClassLoader sharedLoader) {
        this.classes = classes;
        this.runnerClass = runnerClass;
        this.expected = expected;
        this.sharedLoader = sharedLoader == null ? InstrumentingClassLoader.createShared(classes) : sharedLoader;
    }

    public InstrumentingClassLoader sharedLoader() {
        return sharedLoader;
    }

    public boolean isJUnitParallel() {
        return isJUnitParallel;
    }

    /**
     * Lets JUnit run one test after the other. Its pool would need classes of its own for each schedule, and the tests
     * run one method at a time anyway.
     */
    private void disableParallelTests(InstrumentingClassLoader loader) throws IOException {
        isJUnitParallel |= Boolean.getBoolean(JUNIT_PARALLEL);
        try (InputStream stream = loader.getResourceAsStream("junit-platform.properties")) {
            Properties settings = new Properties();
            if (stream != null) {
                settings.load(stream);
            }
            isJUnitParallel |= Boolean.parseBoolean(settings.getProperty(JUNIT_PARALLEL));
        }
        System.setProperty(JUNIT_PARALLEL, "false");
    }

    public Execution run(Schedule schedule, Strategy strategy) throws Exception {
        return run(schedule, strategy, false);
    }

    public Execution run(Schedule schedule, Strategy strategy, boolean recordsStacks) throws Exception {
        if (sharedLoader.hasState()) {
            sharedLoader = InstrumentingClassLoader.createShared(classes);
        }
        RelocatedState.resetPoolNumbers(sharedLoader);
        RelocatedState.resetThreadNumbers();
        schedule = new Schedule(schedule.request, schedule.strategy, schedule.seed, schedule.sharedSubjects);
        Scheduler scheduler = new Scheduler(strategy, (java.util.BitSet) schedule.sharedSubjects.clone());
        if (recordsStacks) {
            scheduler.trace.recordStacks(classes.projectClasses);
        }
        Execution execution = new Execution(schedule, scheduler);
        ByteArrayOutputStream results = new ByteArrayOutputStream();
        Properties properties = (Properties) System.getProperties().clone();
        Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
        CapturedOutput output = CapturedOutput.create(scheduler, expected);
        PrintStream out = output.openStream();
        if (expected != null) {
            scheduler.watchOutput(out);
        }
        System.setOut(out);
        // A subclass, so that test frameworks do not wrap the standard output in a stream of theirs: its prints may be
        // steps.
        System.setErr(new PrintStream(new DiscardedOutput(), false) {});
        try (InstrumentingClassLoader loader = InstrumentingClassLoader.createForSchedule(classes, sharedLoader)) {
            disableParallelTests(loader);
            runThreads(execution, loader, results);
            schedule.choices = scheduler.copyChoices();
            execution.results = Arrays.asList(results.toString("UTF-8").split("\n"));
        } finally {
            System.setProperties(properties);
            Thread.setDefaultUncaughtExceptionHandler(handler);
        }
        System.out.flush();
        execution.outputPrefix = output.prefix();
        if (expected != null && execution.hasPassed()) {
            String difference = expected.findDifference(output);
            scheduler.failure = difference == null ? null : new Failure(Failure.Kind.OUTPUT, difference, null, 0);
        }
        String error = InstrumentationFailures.findError(execution);
        String intruder = scheduler.uncontrolledAccessor == null ? null
                : scheduler.uncontrolledAccessor + " runs instrumented code, but the scheduler does not control it";
        for (String obstacle : new String[] {intruder, error}) {
            execution.obstacle = execution.obstacle == null ? obstacle : execution.obstacle;
        }
        if (strategy instanceof ReplayStrategy) {
            execution.hasDiverged = ((ReplayStrategy) strategy).hasDiverged;
        }
        return execution;
    }

    /** Clears the finished schedule. Until then, its locations name objects. */
    public static void clearScheduler() {
        Scheduler.active = null;
    }

    private void runThreads(Execution execution, InstrumentingClassLoader loader, OutputStream results)
            throws Exception {
        Scheduler scheduler = execution.scheduler;
        List<String> requests = Collections.singletonList(execution.schedule.request);
        Thread main = new Thread(null, () -> invokeRunner(loader, results, requests), "main", 0);
        main.setContextClassLoader(loader);
        ControlledThread mainThread = scheduler.addThread(main);
        scheduler.running = mainThread;
        Scheduler.active = scheduler;
        main.start();
        mainThread.resume();
        if (!scheduler.awaitEnd(STALL_TIMEOUT_MILLIS)) {
            execution.obstacle = describeStall(scheduler.running.thread);
            scheduler.finish();
        }
        List<ControlledThread> actors;
        synchronized (scheduler) {
            actors = new ArrayList<>(scheduler.threads);
        }
        for (ControlledThread controlled : actors) {
            controlled.thread.join(EXIT_TIMEOUT_MILLIS);
            if (controlled.thread.isAlive()) {
                Scheduler.LEFTOVER_THREADS.add(controlled.thread);
                execution.leftoverThreads++;
            }
        }
    }

    /** Returns a description of the operation that blocks the running thread. */
    private static String describeStall(Thread thread) {
        StackTraceElement[] stack = thread.getStackTrace();
        String operation = stack.length == 0 ? "its last step" : stack[0].toString();
        return thread.getName() + " is " + thread.getState().toString().toLowerCase(java.util.Locale.ROOT)
                + " in " + operation + ", which the scheduler does not control";
    }

    private void invokeRunner(InstrumentingClassLoader loader, OutputStream results, List<String> requests) {
        Thread thread = Thread.currentThread();
        try {
            Threads.beginThread(thread);
            Method run = loader.loadClass(runnerClass).getDeclaredMethod("run", OutputStream.class, List.class);
            run.setAccessible(true);
            run.invoke(null, results, requests);
        } catch (Throwable e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            Threads.endWithException(cause, thread);
            return;
        }
        Threads.endThread(thread);
    }

    private static final class DiscardedOutput extends OutputStream {
        @Override
        public void write(int b) {}

        @Override
        public void write(byte[] bytes, int offset, int length) {}
    }
}
