package org.apache.hc.core5.concurrent;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ComplexCancellableThreadsTest {
    @Test
    void noDependencyIsCancelledWithoutARequest() throws Exception {
        final ComplexCancellable cancellable = new ComplexCancellable();
        final AtomicBoolean isCancelled = new AtomicBoolean();
        final Thread other = new Thread(() -> cancellable.setDependency(() -> {
            isCancelled.set(true);
            return true;
        }));
        other.start();
        cancellable.setDependency(() -> {
            isCancelled.set(true);
            return true;
        });
        other.join();
        assertFalse(isCancelled.get());
    }
}
