package gitmend.schedule.control;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Spliterator;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import java.util.stream.BaseStream;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Parallel streams, run by controlled threads: parts of the source, each with the intermediate operations in a thread
 * of its own. The JDK would use threads of its common pool, which are not controlled.
 */
final class ParallelStreams {
    /** Maximum number of parts. More of them are possible, so that no result is exhaustive. */
    private static final int MAX_PARTS = 4;
    private static final List<String> SHORT_CIRCUITING =
            Arrays.asList("anyMatch", "allMatch", "noneMatch", "findFirst", "findAny", "iterator", "spliterator");

    private ParallelStreams() {}

    /** Runs an action for each element. */
    static void forEach(Object stream, Object action) {
        if (stream instanceof IntStream) {
            runParts(((IntStream) stream).boxed(), number -> ((IntConsumer) action).accept(number));
        } else if (stream instanceof LongStream) {
            runParts(((LongStream) stream).boxed(), number -> ((LongConsumer) action).accept(number));
        } else if (stream instanceof DoubleStream) {
            runParts(((DoubleStream) stream).boxed(), number -> ((DoubleConsumer) action).accept(number));
        } else {
            @SuppressWarnings("unchecked") // The stream has this action.
            Consumer<Object> consumer = (Consumer<Object>) action;
            runParts((Stream<?>) stream, consumer::accept);
        }
    }

    /** Runs an action for each element, each part in its own thread. */
    private static <T> void runParts(Stream<T> stream, Consumer<T> action) {
        List<Runnable> tasks = new ArrayList<>();
        split(stream.spliterator()).forEach(part -> tasks.add(() -> part.forEachRemaining(action)));
        runTasks(tasks);
    }

    /**
     * Returns a sequential stream of the elements, which the threads have computed. Operations that may end early run
     * in the current thread, as the source may be infinite.
     */
    static Object evaluate(Object stream, String operation) {
        if (SHORT_CIRCUITING.contains(operation)) {
            return ((BaseStream<?, ?>) stream).sequential();
        }
        if (stream instanceof IntStream) {
            return collectParts(((IntStream) stream).boxed()).mapToInt(Integer::intValue);
        } else if (stream instanceof LongStream) {
            return collectParts(((LongStream) stream).boxed()).mapToLong(Long::longValue);
        } else if (stream instanceof DoubleStream) {
            return collectParts(((DoubleStream) stream).boxed()).mapToDouble(Double::doubleValue);
        }
        return collectParts((Stream<?>) stream);
    }

    private static <T> Stream<T> collectParts(Stream<T> stream) {
        List<Runnable> tasks = new ArrayList<>();
        List<List<T>> results = new ArrayList<>();
        for (Spliterator<T> part : split(stream.spliterator())) {
            List<T> result = new ArrayList<>();
            results.add(result);
            tasks.add(() -> part.forEachRemaining(result::add));
        }
        runTasks(tasks);
        return results.stream().flatMap(List::stream);
    }

    /** Splits a source into parts of about equal size, in order. */
    private static <T> List<Spliterator<T>> split(Spliterator<T> source) {
        List<Spliterator<T>> parts = new ArrayList<>(Arrays.asList(source));
        for (boolean isSplit = true; isSplit && parts.size() < MAX_PARTS;) {
            isSplit = false;
            for (int i = 0; i < parts.size() && parts.size() < MAX_PARTS; i++) {
                Spliterator<T> prefix = parts.get(i).trySplit();
                if (prefix != null) {
                    parts.add(i++, prefix);
                    isSplit = true;
                }
            }
        }
        return parts;
    }

    /** Runs the first task in the current thread and the others in new ones, and waits for all. */
    private static void runTasks(List<Runnable> tasks) {
        Throwable[] thrown = new Throwable[tasks.size()];
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i < tasks.size(); i++) {
            int number = i;
            Thread thread = new Thread(() -> thrown[number] = runTask(tasks.get(number)), "stream-worker-" + i);
            thread.setDaemon(true);
            Threads.start(thread);
            threads.add(thread);
        }
        thrown[0] = runTask(tasks.get(0));
        threads.forEach(ParallelStreams::joinUninterruptibly);
        for (Throwable one : thrown) {
            if (one != null) {
                ParallelStreams.<RuntimeException>rethrow(one);
            }
        }
    }

    /** Runs a task and returns what it throws, or null. */
    private static Throwable runTask(Runnable task) {
        try {
            task.run();
            return null;
        } catch (ScheduleAborted e) {
            throw e;
        } catch (Throwable e) {
            return e;
        }
    }

    private static void joinUninterruptibly(Thread thread) {
        boolean wasInterrupted = false;
        for (boolean isJoined = false; !isJoined;) {
            try {
                Threads.join(thread, -1);
                isJoined = true;
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Threads.interrupt(Thread.currentThread());
        }
    }

    /** Throws a checked exception as an unchecked one. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void rethrow(Throwable exception) throws T {
        throw (T) exception;
    }
}
