package gitmend.testserver;

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

/** Global JVM state, which class loaders do not isolate. It is saved once and restored after each variant. */
final class JvmState {
    /** Grace period in which threads of tests may end, in milliseconds. */
    private static final int THREAD_GRACE_MILLIS = 100;

    private final List<StateProbe> probes = StateProbes.createAll();
    private final List<Object> initialValues = new ArrayList<>();
    private final ShutdownHooks shutdownHooks;
    private final Set<Thread> initialThreads;
    private final File temporaryFolder = new File(System.getProperty("java.io.tmpdir"));
    private final boolean ownsTemporaryFolder = Boolean.getBoolean("git-mend.tmpdir");
    private final List<Object> installedStreams = new ArrayList<>();
    private boolean isRestored;

    JvmState() {
        System.clearProperty("git-mend.tmpdir");
        for (StateProbe probe : probes) {
            initialValues.add(probe.readSafely());
        }
        // The probes of the JDK add hooks and start threads.
        shutdownHooks = new ShutdownHooks();
        initialThreads = liveThreads();
    }

    /** Installs standard streams that tests may close. Called before each variant. */
    void installStreams() throws IOException {
        System.setIn(new BufferedInputStream(new FileInputStream("/dev/null")));
        System.setOut(new PrintStream(new BufferedOutputStream(new ResettableStream(FileDescriptor.out)), true));
        System.setErr(new PrintStream(new BufferedOutputStream(new ResettableStream(FileDescriptor.err)), true));
        installedStreams.clear();
        installedStreams.add(System.in);
        installedStreams.add(System.out);
        installedStreams.add(System.err);
    }

    /** Restores the state as far as possible, and returns the names of the changes that tests made. */
    Set<String> restoreChanges() {
        Set<String> changes = new LinkedHashSet<>();
        isRestored = true;
        // Hooks end threads, close ports and remove beans.
        if (shutdownHooks.runAdded()) {
            changes.add("shutdown hook");
        }
        if (installedStreams.get(0) != System.in || installedStreams.get(1) != System.out
                || installedStreams.get(2) != System.err) {
            changes.add("standard streams");
        }
        System.out.flush();
        System.err.flush();
        if (!FileDescriptor.out.valid() || !FileDescriptor.err.valid()) {
            addUnrestorable(changes, "standard streams");
        }
        for (Thread thread : remainingThreads()) {
            addUnrestorable(changes, "thread " + thread.getName());
        }
        for (int i = 0; i < probes.size(); i++) {
            StateProbe probe = probes.get(i);
            Object current = probe.readSafely();
            if (!Objects.equals(initialValues.get(i), current)) {
                changes.addAll(probe.differences(initialValues.get(i), current));
                probe.restoreSafely(initialValues.get(i));
                isRestored &= Objects.equals(initialValues.get(i), probe.readSafely());
            }
        }
        if (ownsTemporaryFolder) {
            deleteContents(temporaryFolder);
        }
        return changes;
    }

    /** Returns true if the last restoration was complete. */
    boolean isRestored() {
        return isRestored;
    }

    private void addUnrestorable(Set<String> changes, String name) {
        changes.add(name);
        isRestored = false;
    }

    /** Returns threads that tests started and that still run after the grace period. */
    private List<Thread> remainingThreads() {
        List<Thread> threads = new ArrayList<>();
        long deadline = System.nanoTime() + THREAD_GRACE_MILLIS * 1_000_000L;
        for (Thread thread : liveThreads()) {
            if (!initialThreads.contains(thread) && !BackgroundThreads.isHarmless(thread)) {
                try {
                    thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                if (thread.isAlive() && !BackgroundThreads.isHarmless(thread)) {
                    threads.add(thread);
                }
            }
        }
        return threads;
    }

    private static Set<Thread> liveThreads() {
        return new HashSet<>(Thread.getAllStackTraces().keySet());
    }

    private static void deleteContents(File folder) {
        File[] files = folder.listFiles();
        if (files == null) {
            folder.mkdirs();
            return;
        }
        for (File file : files) {
            if (!java.nio.file.Files.isSymbolicLink(file.toPath()) && file.isDirectory()) {
                deleteContents(file);
            }
            file.delete();
        }
    }
}
