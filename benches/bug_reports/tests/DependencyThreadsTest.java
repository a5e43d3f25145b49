package org.apache.hc.core5.concurrent;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.Assert;
import org.junit.Test;

public class DependencyThreadsTest {
    @Test
    public void dependencyOfACancelledOperationIsCancelled() throws Exception {
        final ComplexCancellable cancellable = new ComplexCancellable();
        final AtomicBoolean isCancelled = new AtomicBoolean();
        final Thread other = new Thread(new Runnable() {
            @Override
            public void run() {
                cancellable.cancel();
            }
        });
        other.start();
        cancellable.setDependency(new Cancellable() {
            @Override
            public boolean cancel() {
                isCancelled.set(true);
                return true;
            }
        });
        other.join();
        Assert.assertTrue(isCancelled.get());
    }
}
