package samples;

import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Small concurrent programs whose number of essentially different schedules is known. */
public final class Programs {
    private Programs() {}

    private static void run(Runnable... tasks) throws InterruptedException {
        Thread[] threads = new Thread[tasks.length];
        for (int i = 0; i < tasks.length; i++) {
            threads[i] = new Thread(tasks[i]);
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static int shared;
    private static int other;
    /** Written by one thread each. Main writes them before, as new variables may be the same in other schedules. */
    private static int first;
    private static int second;
    private static int third;
    private static volatile boolean isReady;

    /** Two writes of one variable: 2. */
    public static final class TwoWriters {
        public static void main(String[] args) throws InterruptedException {
            run(() -> shared = 1, () -> shared = 2);
        }
    }

    /** Three writes of one variable: 3! = 6. */
    public static final class ThreeWriters {
        public static void main(String[] args) throws InterruptedException {
            run(() -> shared = 1, () -> shared = 2, () -> shared = 3);
        }
    }

    /** Reads do not depend on each other: 1. */
    public static final class ThreeReaders {
        public static void main(String[] args) throws InterruptedException {
            first = second = third = 0;
            run(() -> first = shared, () -> second = shared, () -> third = shared);
        }
    }

    /** One write before, between or after reads that do not depend on each other: 4. */
    public static final class OneWriterTwoReaders {
        public static void main(String[] args) throws InterruptedException {
            first = second = 0;
            run(() -> shared = 1, () -> first = shared, () -> second = shared);
        }
    }

    /** Each of three reads before or after a write: 8. */
    public static final class OneWriterThreeReaders {
        public static void main(String[] args) throws InterruptedException {
            first = second = third = 0;
            run(() -> shared = 1, () -> first = shared, () -> second = shared, () -> third = shared);
        }
    }

    /** Two readers see two writes in opposite orders: 4 * 4, but not each write before the other: 15. */
    public static final class TwoWritersTwoReaders {
        public static void main(String[] args) throws InterruptedException {
            first = second = 0;
            run(() -> shared = 1, () -> other = 1, () -> first = shared + other, () -> second = other + shared);
        }
    }

    /** Two read-modify-write operations: of their 6 interleavings, 4 differ. */
    public static final class LostUpdate {
        public static void main(String[] args) throws InterruptedException {
            run(() -> shared++, () -> shared++);
        }
    }

    /** The same under a lock: 2. */
    public static final class LockedUpdate {
        public static void main(String[] args) throws InterruptedException {
            Object lock = new Object();
            Runnable task = () -> {
                synchronized (lock) {
                    shared++;
                }
            };
            run(task, task);
        }
    }

    /** Two writes to each of two variables, by both threads in the same order: 2 * 2. */
    public static final class TwoVariables {
        public static void main(String[] args) throws InterruptedException {
            Runnable task = () -> {
                shared = 1;
                other = 1;
            };
            run(task, task);
        }
    }

    /** Store buffering: reading before or after the other's write, but not both before: 3. */
    public static final class StoreBuffering {
        public static void main(String[] args) throws InterruptedException {
            first = second = 0;
            run(() -> {
                shared = 1;
                first = other;
            }, () -> {
                other = 1;
                second = shared;
            });
        }
    }

    /** Atomic increments: 2. */
    public static final class AtomicUpdate {
        public static void main(String[] args) throws InterruptedException {
            AtomicInteger count = new AtomicInteger();
            run(count::incrementAndGet, count::incrementAndGet);
        }
    }

    /** A lost update that a check notices. */
    public static final class FailingUpdate {
        public static void main(String[] args) throws InterruptedException {
            shared = 0;
            run(() -> shared++, () -> shared++);
            if (shared != 2) {
                throw new AssertionError("lost update");
            }
        }
    }

    /** Fails if the reader comes first. The threads begin with that race, and many dependent steps follow. */
    public static final class EarlyRace {
        public static void main(String[] args) throws InterruptedException {
            shared = first = 0;
            run(() -> {
                shared = 1;
                walk();
            }, () -> {
                first = shared;
                walk();
            });
            if (first == 0) {
                throw new AssertionError("read too early");
            }
        }

        private static void walk() {
            for (int i = 0; i < 20; i++) {
                other = i;
            }
        }
    }

    /** Locks in opposite orders. */
    public static final class Deadlock {
        public static void main(String[] args) throws InterruptedException {
            Object a = new Object();
            Object b = new Object();
            run(() -> nested(a, b), () -> nested(b, a));
        }

        private static void nested(Object first, Object second) {
            synchronized (first) {
                synchronized (second) {
                    shared++;
                }
            }
        }
    }

    /** No other thread. */
    public static final class OneThread {
        public static void main(String[] args) {
            shared++;
        }
    }

    /** Tasks of a pool. */
    public static final class Pool {
        public static void main(String[] args) throws InterruptedException {
            ExecutorService pool = Executors.newFixedThreadPool(2);
            pool.execute(() -> isReady = true);
            pool.execute(() -> other = isReady ? 1 : 0);
            pool.shutdown();
            pool.awaitTermination(1, TimeUnit.MINUTES);
        }
    }

    /** A wait for an element of a queue, which goes through the class of fork-join pools. */
    public static final class Handover {
        public static void main(String[] args) throws InterruptedException {
            LinkedBlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
            CountDownLatch start = new CountDownLatch(1);
            Thread taker = new Thread(() -> {
                start.countDown();
                try {
                    other = queue.take();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            taker.start();
            start.await();
            queue.add(1);
            taker.join();
        }
    }

    /** Fails if an earlier pool has taken the first name. */
    public static final class NamedPool {
        public static void main(String[] args) throws Exception {
            ForkJoinPool pool = new ForkJoinPool(1);
            checkName("ForkJoinPool-1-worker-1", pool.submit(() -> Thread.currentThread().getName()).get());
            pool.shutdown();
        }
    }

    /** Fails if an earlier timer has taken the first name. */
    public static final class NamedTimer {
        public static void main(String[] args) throws InterruptedException {
            String[] name = new String[1];
            CountDownLatch end = new CountDownLatch(1);
            Timer timer = new Timer();
            timer.schedule(new TimerTask() {
                @Override
                public void run() {
                    name[0] = Thread.currentThread().getName();
                    end.countDown();
                }
            }, 1);
            end.await();
            timer.cancel();
            checkName("Timer-0", name[0]);
        }
    }

    private static void checkName(String expected, String actual) {
        if (!expected.equals(actual)) {
            throw new AssertionError(actual);
        }
    }
}
