import java.util.function.BiConsumer;

/** Runs test classes with a framework, and reports each test with its outcome. */
interface Tests {
    void run(ClassLoader loader, String className, BiConsumer<String, String> told) throws Exception;
}
