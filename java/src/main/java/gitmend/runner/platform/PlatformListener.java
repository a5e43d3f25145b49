package gitmend.runner.platform;

import gitmend.runner.Results;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.junit.platform.engine.EngineExecutionListener;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;

/** Listener that reports the events of JUnit 5 engines. Tests may run in parallel. */
final class PlatformListener implements EngineExecutionListener {
    private final Results results;
    private final Map<UniqueId, Long> startTimes = new HashMap<>();

    PlatformListener(Results results) {
        this.results = results;
    }

    @Override
    public void dynamicTestRegistered(TestDescriptor descriptor) {}

    @Override
    public void reportingEntryPublished(TestDescriptor descriptor, ReportEntry entry) {}

    @Override
    public synchronized void executionSkipped(TestDescriptor descriptor, String reason) {
        if (testName(descriptor) != null) {
            results.reportSkipped(testName(descriptor));
        }
    }

    @Override
    public synchronized void executionStarted(TestDescriptor descriptor) {
        if (results.isOver()) {
            // Releases before 6 cannot cancel a run; an exception makes the engine skip the current container.
            throw new CancellationException("a test has failed");
        }
        startTimes.put(descriptor.getUniqueId(), System.nanoTime());
        if (testName(descriptor) != null) {
            results.reportOpened(testName(descriptor));
        }
    }

    @Override
    public synchronized void executionFinished(TestDescriptor descriptor, TestExecutionResult result) {
        Long start = startTimes.remove(descriptor.getUniqueId());
        long millis = start == null ? 0 : (System.nanoTime() - start) / 1_000_000;
        String name = testName(descriptor);
        if (name == null) {
            name = descriptor.getDisplayName();
        }
        switch (result.getStatus()) {
            case FAILED:
                Throwable thrown = result.getThrowable().orElseGet(AssertionError::new);
                results.reportFailed(name, millis, thrown);
                break;
            case ABORTED:
                results.reportSkipped(name);
                break;
            default:
                if (descriptor.isTest()) {
                    results.reportPassed(name, millis);
                } else {
                    results.reportClosed(name);
                }
        }
    }

    /** Returns `pkg.Class`, `pkg.Class#method`, or `pkg.Class#method[2]`; null without a source. */
    private static String testName(TestDescriptor descriptor) {
        Optional<TestSource> source = descriptor.getSource();
        StringBuilder indices = new StringBuilder();
        for (UniqueId.Segment segment : descriptor.getUniqueId().getSegments()) {
            String value = segment.getValue();
            if (value.startsWith("#")) {
                indices.append('[').append(value.substring(1)).append(']');
            }
        }
        for (TestDescriptor ancestor = descriptor; !source.isPresent() && ancestor.getParent().isPresent(); ) {
            ancestor = ancestor.getParent().get();
            source = ancestor.getSource();
        }
        if (source.isPresent() && source.get() instanceof MethodSource) {
            MethodSource method = (MethodSource) source.get();
            return method.getClassName() + "#" + method.getMethodName() + indices;
        } else if (source.isPresent() && source.get() instanceof ClassSource) {
            return ((ClassSource) source.get()).getClassName() + indices;
        }
        return null;
    }
}
