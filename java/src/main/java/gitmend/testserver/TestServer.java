package gitmend.testserver;

import gitmend.framework.FrameworkClassLoader;
import gitmend.runner.Coverage;
import gitmend.wire.Wire;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Server that runs the tests of one variant after the other. Each variant has its own class loader. Responses list
 * the JVM state that the tests changed.
 */
public final class TestServer {
    /** State before the first tests; null before the first request, so that it includes the server's threads. */
    private JvmState state;
    private FrameworkClassLoader frameworkLoader;

    private TestServer() {}

    public static void main(String[] args) throws IOException {
        Wire.serve(new TestServer()::answer, 0);
    }

    private ByteArrayOutputStream answer(byte[] request) throws Exception {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(request));
        String marker = Wire.readString(in);
        String runnerClass = Wire.readString(in);
        String resultsFile = Wire.readString(in);
        String requestsFile = Wire.readString(in);
        String probedPath = Wire.readString(in);
        // System property that selects a candidate of a mutant schema; empty for none.
        String property = Wire.readString(in);
        String propertyValue = Wire.readString(in);
        List<String> classPath = new ArrayList<>();
        for (int remaining = in.readInt(); remaining > 0; remaining--) {
            classPath.add(Wire.readString(in));
        }
        if (state == null) {
            state = new JvmState();
        }
        state.installStreams();
        System.setProperty("java.class.path", String.join(File.pathSeparator, classPath));
        try (FileOutputStream out = new FileOutputStream("/dev/fd/1")) {
            out.write(("\n" + marker + "\n").getBytes(StandardCharsets.UTF_8));
        }
        Coverage.clear();
        Path probedFolder = probedPath.isEmpty() ? null : Paths.get(probedPath);
        frameworkLoader = FrameworkClassLoader.reuseOrCreate(frameworkLoader, classPath);
        if (!property.isEmpty()) {
            System.setProperty(property, propertyValue);
        }
        try (VariantClassLoader loader = new VariantClassLoader(toUrls(classPath), probedFolder, frameworkLoader)) {
            runInMainThread(loader, runnerClass, resultsFile, requestsFile);
        }
        if (!property.isEmpty()) {
            System.clearProperty(property);
        }
        Set<String> changes = state.restoreChanges();
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        answer.write(state.isRestored() ? 1 : 0);
        for (String change : changes) {
            answer.write((change.replace('\n', ' ') + "\n").getBytes(StandardCharsets.UTF_8));
        }
        return answer;
    }

    /** Runs tests in a new thread that resembles the main thread; a new thread has no thread-local values. */
    private static void runInMainThread(VariantClassLoader loader, String runnerClass, String resultsFile,
            String requestsFile)
            throws InterruptedException {
        Thread main = new Thread(() -> {
            try {
                Method run = loader.loadClass(runnerClass).getDeclaredMethod("run", OutputStream.class, List.class);
                run.setAccessible(true);
                List<String> lines = Files.readAllLines(Paths.get(requestsFile), StandardCharsets.UTF_8);
                run.invoke(null, new FileOutputStream(resultsFile, true), lines);
            } catch (Throwable e) {
                // The results lack the event `finished`, so the run counts as crashed.
                e.printStackTrace();
            }
        }, "main");
        main.setDaemon(false);
        main.setContextClassLoader(loader);
        main.start();
        main.join();
    }

    private static URL[] toUrls(List<String> classPath) throws IOException {
        URL[] urls = new URL[classPath.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = new File(classPath.get(i)).toURI().toURL();
        }
        return urls;
    }
}
