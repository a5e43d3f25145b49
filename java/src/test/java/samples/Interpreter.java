package samples;

/** Interpreter of a program in a system property: threads that read and write two variables, such as `w0 r1,r0`. */
public final class Interpreter {
    public static final String PROPERTY = "samples.program";

    private static int first;
    private static int second;

    private Interpreter() {}

    public static void main(String[] args) throws InterruptedException {
        first = second = 0;
        String[] programs = System.getProperty(PROPERTY).split(",");
        Thread[] threads = new Thread[programs.length];
        for (int i = 0; i < threads.length; i++) {
            String[] steps = programs[i].split(" ");
            threads[i] = new Thread(() -> run(steps));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void run(String[] steps) {
        int sum = 0;
        for (String step : steps) {
            switch (step) {
                case "r0": sum += first; break;
                case "r1": sum += second; break;
                case "w0": first = sum; break;
                default: second = sum;
            }
        }
    }
}
