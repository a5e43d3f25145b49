import java.util.function.BiConsumer;

/** Runs test classes with a framework, and tells each test and how it ended. */
interface Tests {
    void run(ClassLoader loader, String className, BiConsumer<String, String> told) throws Exception;
}
