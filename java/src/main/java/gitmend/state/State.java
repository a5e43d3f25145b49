package gitmend.state;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;

/** The state of a JVM that outlives class loaders: as it was at the beginning, and what tests changed of it. */
final class State {
    /** How long a thread that is about to end may take, in milliseconds. */
    private static final int GRACE = 100;

    private final List<StateProbe> probes = StateProbes.all();
    private final List<Object> saved = new ArrayList<>();
    private final Set<Thread> threads;
    private final File temporary = new File(System.getProperty("java.io.tmpdir"));
    private final boolean isOwnTemporary = Boolean.getBoolean("git-mend.tmpdir");
    private final List<Object> streams = new ArrayList<>();
    private boolean isRestored;

    State() {
        System.clearProperty("git-mend.tmpdir");
        for (StateProbe probe : probes) {
            saved.add(probe.readSafely());
        }
        threads = living();
    }

    /** Before tests: streams that they may close. */
    void prepare() throws IOException {
        System.setIn(new BufferedInputStream(new FileInputStream("/dev/null")));
        System.setOut(new PrintStream(new BufferedOutputStream(new ResettableStream(FileDescriptor.out)), true));
        System.setErr(new PrintStream(new BufferedOutputStream(new ResettableStream(FileDescriptor.err)), true));
        streams.clear();
        streams.add(System.in);
        streams.add(System.out);
        streams.add(System.err);
    }

    /** After tests: what they changed. Everything that can be is as it was, then. */
    Set<String> changes() {
        Set<String> changes = new LinkedHashSet<>();
        isRestored = true;
        if (streams.get(0) != System.in || streams.get(1) != System.out || streams.get(2) != System.err) {
            changes.add("standard streams");
        }
        System.out.flush();
        System.err.flush();
        if (!FileDescriptor.out.valid() || !FileDescriptor.err.valid()) {
            cannotRestore(changes, "standard streams");
        }
        for (Thread thread : strangers()) {
            cannotRestore(changes, "thread " + thread.getName());
        }
        for (int i = 0; i < probes.size(); i++) {
            StateProbe probe = probes.get(i);
            Object now = probe.readSafely();
            if (!Objects.equals(saved.get(i), now)) {
                changes.addAll(probe.differences(saved.get(i), now));
                probe.restoreSafely(saved.get(i));
                isRestored &= Objects.equals(saved.get(i), probe.readSafely());
            }
        }
        if (isOwnTemporary) {
            empty(temporary);
        }
        return changes;
    }

    /** Whether the next tests find what the first ones found. */
    boolean isRestored() {
        return isRestored;
    }

    private void cannotRestore(Set<String> changes, String what) {
        changes.add(what);
        isRestored = false;
    }

    /** Threads that tests started and that go on. */
    private List<Thread> strangers() {
        List<Thread> strangers = new ArrayList<>();
        long end = System.nanoTime() + GRACE * 1_000_000L;
        for (Thread thread : living()) {
            if (!threads.contains(thread) && !isOfTheJdk(thread)) {
                try {
                    thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                if (thread.isAlive() && !isOfTheJdk(thread)) {
                    strangers.add(thread);
                }
            }
        }
        return strangers;
    }

    private static boolean isOfTheJdk(Thread thread) {
        return thread.getClass().getName().endsWith(".InnocuousThread")
                || thread.getName().equals("process reaper")
                || isIdle(thread);
    }

    /** Whether it waits for work in the pool that all streams share, which has none, and knows no variant. */
    private static boolean isIdle(Thread thread) {
        return thread instanceof ForkJoinWorkerThread
                && thread.getClass().getClassLoader() == null
                && ((ForkJoinWorkerThread) thread).getPool() == ForkJoinPool.commonPool()
                && ForkJoinPool.commonPool().isQuiescent()
                && thread.getContextClassLoader() == ClassLoader.getSystemClassLoader();
    }

    private static Set<Thread> living() {
        return new HashSet<>(Thread.getAllStackTraces().keySet());
    }

    private static void empty(File folder) {
        File[] files = folder.listFiles();
        if (files == null) {
            folder.mkdirs();
            return;
        }
        for (File file : files) {
            if (!java.nio.file.Files.isSymbolicLink(file.toPath()) && file.isDirectory()) {
                empty(file);
            }
            file.delete();
        }
    }
}
