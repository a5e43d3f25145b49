package org.apache.commons.lang3.concurrent;

import org.junit.jupiter.api.Test;
import java.util.concurrent.TimeUnit;

class TimedSemaphoreThreadsTest {
    @Test
    void shutdownReleasesWaitingThread() throws Exception {
        TimedSemaphore semaphore = new TimedSemaphore(1, TimeUnit.HOURS, 1);
        semaphore.acquire();
        Thread other = new Thread(() -> {
            try {
                semaphore.acquire();
            } catch (InterruptedException | IllegalStateException ended) {
                // Both are right after a shutdown.
            }
        });
        other.start();
        semaphore.shutdown();
        other.join();
    }
}
