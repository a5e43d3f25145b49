package gitmend.schedule.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import gitmend.runner.main.MainRunner;
import gitmend.schedule.strategy.Strategies;
import gitmend.schedule.weave.InstrumentedClassCache;
import gitmend.schedule.weave.InstrumentingClassLoader;
import java.io.File;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import samples.Programs;

/** State of copied JDK classes between schedules. */
class ScheduleRunnerTest {
    private PrintStream out;
    private PrintStream err;

    @BeforeEach
    void keepStreams() {
        out = System.out;
        err = System.err;
    }

    @AfterEach
    void restoreStreams() {
        System.setOut(out);
        System.setErr(err);
    }

    private static String folderOf(Class<?> type) throws Exception {
        return new File(type.getProtectionDomain().getCodeSource().getLocation().toURI()).getPath();
    }

    private static ScheduleRunner createRunner() throws Exception {
        List<String> project = Collections.singletonList(folderOf(Programs.class));
        List<String> classPath = Arrays.asList(project.get(0), folderOf(MainRunner.class));
        InstrumentedClassCache classes = new InstrumentedClassCache(classPath, project, null);
        return new ScheduleRunner(classes, MainRunner.class.getName(), null, null);
    }

    /** Runs a program, which must pass, and returns the loader that the schedule shared. */
    private static InstrumentingClassLoader run(ScheduleRunner runner, Class<?> program) throws Exception {
        Schedule schedule = new Schedule(program.getName() + "\t\talways", "straight", 0, new BitSet());
        ScheduleRunner.Execution execution =
                runner.run(schedule, Strategies.create("straight", 0, 1, Collections.emptySet()));
        ScheduleRunner.clearScheduler();
        assertEquals(null, execution.obstacle);
        assertEquals(null, execution.failedResult());
        return runner.sharedLoader();
    }

    @Test
    void poolsThatWereOnlyInitialisedAreShared() throws Exception {
        ScheduleRunner runner = createRunner();
        run(runner, Programs.Handover.class);
        InstrumentingClassLoader loader = run(runner, Programs.Handover.class);
        for (int i = 0; i < 3; i++) {
            assertSame(loader, run(runner, Programs.Handover.class));
        }
    }

    @Test
    void poolsAndTimersThatWereUsedAreReplaced() throws Exception {
        for (Class<?> program : Arrays.asList(Programs.NamedPool.class, Programs.NamedTimer.class)) {
            ScheduleRunner runner = createRunner();
            run(runner, Programs.Handover.class);
            for (int i = 0; i < 3; i++) {
                InstrumentingClassLoader loader = run(runner, program);
                assertNotSame(loader, run(runner, Programs.Handover.class));
            }
        }
    }
}
