package gitmend.schedule.run;

import gitmend.schedule.control.Actor;
import gitmend.schedule.control.Control;
import gitmend.schedule.control.Failure;
import gitmend.schedule.control.Strategy;
import gitmend.schedule.control.Threads;
import gitmend.schedule.strategy.Replay;
import gitmend.schedule.weave.Controlled;
import gitmend.schedule.weave.Copied;
import gitmend.schedule.weave.Store;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Properties;

/** Where schedules run: one after the other, each with classes and threads of its own. */
public final class Stage {
    /** Time without any scheduled step after which a schedule is given up, in milliseconds. */
    private static final long PATIENCE = 10_000;
    /** How long a thread may take to end once its schedule is over, in milliseconds. */
    private static final long GRACE = 500;

    /** Result of one schedule. */
    public static final class Played {
        public final Schedule schedule;
        public final Control control;
        /** The output of the runner, line by line. */
        public List<String> results = Collections.emptyList();
        /** Why it did not finish, or null. */
        public String obstacle;
        /** Threads that would not end. */
        public int left;
        public boolean hasDiverged;
        /** What the tests printed. */
        public String printed = "";

        Played(Schedule schedule, Control control) {
            this.schedule = schedule;
            this.control = control;
        }

        public boolean hasFailed() {
            return obstacle == null && (control.failure != null || failedResult() != null);
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

    private final Store store;
    private final String runner;
    /** What the tests are to print, or null. */
    private final Expected expected;
    private Controlled shared;

    /** `shared` may be the loader of another stage, or null. */
    public Stage(Store store, String runner, Expected expected, Controlled shared) {
        this.store = store;
        this.runner = runner;
        this.expected = expected;
        this.shared = shared == null ? Controlled.shared(store) : shared;
    }

    public Controlled shared() {
        return shared;
    }

    public Played play(Schedule schedule, Strategy strategy) throws Exception {
        return play(schedule, strategy, false);
    }

    public Played play(Schedule schedule, Strategy strategy, boolean hasStacks) throws Exception {
        if (shared.remembers()) {
            shared = Controlled.shared(store);
        }
        Copied.reset(shared);
        Copied.renumber();
        schedule = new Schedule(schedule.wanted, schedule.strategy, schedule.seed, schedule.shared);
        Control control = new Control(strategy, (java.util.BitSet) schedule.shared.clone());
        if (hasStacks) {
            control.trace.watch(store.projectClasses);
        }
        Played played = new Played(schedule, control);
        ByteArrayOutputStream results = new ByteArrayOutputStream();
        Properties properties = (Properties) System.getProperties().clone();
        Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
        Printed printed = Printed.in(control, expected);
        PrintStream out = printed.stream();
        if (expected != null) {
            control.watch(out);
        }
        System.setOut(out);
        // More than a plain one, so that runners put no stream of theirs before the other, whose prints may be steps.
        System.setErr(new PrintStream(new Silence(), false) {});
        try (Controlled loader = Controlled.of(store, shared)) {
            perform(played, loader, results);
            schedule.choices = control.choices();
            played.results = Arrays.asList(results.toString("UTF-8").split("\n"));
        } finally {
            System.setProperties(properties);
            Thread.setDefaultUncaughtExceptionHandler(handler);
        }
        System.out.flush();
        played.printed = printed.start();
        if (expected != null && played.hasPassed()) {
            String other = expected.otherThan(printed);
            control.failure = other == null ? null : new Failure(Failure.Kind.OUTPUT, other, null, 0);
        }
        String broken = Linkage.broken(played);
        String intruder = control.intruder == null ? null
                : control.intruder + " runs instrumented code, but the scheduler does not control it";
        for (String one : new String[] {intruder, broken}) {
            played.obstacle = played.obstacle == null ? one : played.obstacle;
        }
        if (strategy instanceof Replay) {
            played.hasDiverged = ((Replay) strategy).hasDiverged;
        }
        return played;
    }

    /** Forgets the running schedule; its data stays available for naming objects. */
    public static void clear() {
        Control.now = null;
    }

    private void perform(Played played, Controlled loader, OutputStream results) throws Exception {
        Control control = played.control;
        List<String> wanted = Collections.singletonList(played.schedule.wanted);
        Thread main = new Thread(null, () -> run(loader, results, wanted), "main", 0);
        main.setContextClassLoader(loader);
        Actor actor = control.add(main);
        control.running = actor;
        Control.now = control;
        main.start();
        actor.go();
        if (!control.await(PATIENCE)) {
            played.obstacle = obstacle(control.running.thread);
            control.finish();
        }
        List<Actor> actors;
        synchronized (control) {
            actors = new ArrayList<>(control.actors);
        }
        for (Actor one : actors) {
            one.thread.join(GRACE);
            if (one.thread.isAlive()) {
                Control.LEFT.add(one.thread);
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

    private void run(Controlled loader, OutputStream results, List<String> wanted) {
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
