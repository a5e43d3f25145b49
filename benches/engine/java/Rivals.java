import java.io.BufferedReader;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Rivals of the engine in the benchmark. */
public final class Rivals {
    private Rivals() {}

    public static void main(String[] args) throws Exception {
        List<String> rest = Arrays.asList(args).subList(1, args.length);
        if (args[0].equals("compile")) {
            compile(rest);
        } else if (args[0].equals("floor")) {
            floor(rest);
        } else {
            run(rest);
            System.exit(0);
        }
    }

    /** Runs test classes once, up to the first failing class, and writes a line for each test to a file. */
    private static void run(List<String> args) throws Exception {
        PrintStream out = new PrintStream(new FileOutputStream(args.get(0)), true, "UTF-8");
        boolean isFailFast = args.get(1).equals("fail-fast");
        boolean[] hasFailed = {false};
        for (String name : args.subList(2, args.size())) {
            tests().run(Rivals.class.getClassLoader(), name, (test, how) -> {
                out.println(test + "\t" + how);
                hasFailed[0] |= !how.equals("passed");
            });
            if (isFailFast && hasFailed[0]) {
                break;
            }
        }
        out.println("end");
    }

    /** Runs test classes repeatedly and prints the CPU seconds of each repetition. */
    private static void floor(List<String> args) throws Exception {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
        long end = System.nanoTime() + Long.parseLong(args.get(1)) * 1_000_000_000L;
        for (int left = Integer.parseInt(args.get(0)); left > 0 && System.nanoTime() < end; left--) {
            long before = cpu();
            for (String name : args.subList(2, args.size())) {
                tests().run(Rivals.class.getClassLoader(), name, (test, how) -> { });
            }
            out.println("floor " + (cpu() - before) / 1e9);
        }
        System.exit(0);
    }

    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    /** Compiles the files named on standard input one by one, with the given options. */
    private static void compile(List<String> options) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] outputAndFile = line.split("\t");
            List<String> all = new ArrayList<>(options);
            all.addAll(Arrays.asList("-d", outputAndFile[0], "-implicit:none", "-proc:none", "-nowarn"));
            boolean isDone;
            try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
                isDone = compiler.getTask(new StringWriter(), files, null, all, null,
                        files.getJavaFileObjects(new File(outputAndFile[1]))).call();
            }
            System.out.println(isDone ? "done" : "refused");
        }
    }

    private static Tests tests() throws Exception {
        String name = System.getProperty("rivals.tests");
        return (Tests) Class.forName(name).getDeclaredConstructor().newInstance();
    }
}
