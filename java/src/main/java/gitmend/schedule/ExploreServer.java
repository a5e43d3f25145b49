package gitmend.schedule;

import gitmend.schedule.report.Findings;
import gitmend.schedule.run.ExpectedOutput;
import gitmend.schedule.run.Schedule;
import gitmend.schedule.run.ScheduleRunner;
import gitmend.schedule.weave.InstrumentedClassCache;
import gitmend.schedule.weave.InstrumentingClassLoader;
import gitmend.wire.Json;
import gitmend.wire.Wire;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Runs tests under many schedules and reports the findings. */
public final class ExploreServer {
    private InstrumentedClassCache store;
    private ScheduleRunner stage;
    private List<String> classPath;
    private Exploration exploration;

    private ExploreServer() {}

    public static void main(String[] args) throws IOException {
        Wire.serve(new ExploreServer()::answer, 0);
    }

    private ByteArrayOutputStream answer(byte[] request) throws Exception {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(request));
        String said;
        switch (Wire.readString(in)) {
            case "open":
                open(in);
                said = progress();
                break;
            case "begin":
                exploration.begin();
                said = progress();
                break;
            case "go":
                exploration.go(in.readInt());
                said = progress();
                break;
            case "replay":
                exploration.replay(schedule(in));
                said = ExplorationReport.all(exploration, store);
                break;
            default:
                exploration.addStacks();
                said = ExplorationReport.all(exploration, store);
        }
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        answer.write(said.getBytes(StandardCharsets.UTF_8));
        return answer;
    }

    private void open(DataInputStream in) throws IOException {
        String runner = Wire.readString(in);
        List<String> wanted = Wire.readStrings(in);
        List<String> classPath = Wire.readStrings(in);
        List<String> projectFolders = Wire.readStrings(in);
        List<String> strategies = Wire.readStrings(in);
        Set<String> targets = new HashSet<>(Wire.readStrings(in));
        long seed = in.readLong();
        int most = in.readInt();
        boolean isTrial = in.readInt() != 0;
        long limit = in.readLong();
        // One or none.
        List<String> expected = Wire.readStrings(in);
        System.setProperty("java.class.path", String.join(File.pathSeparator, classPath));
        boolean isKnown = classPath.equals(this.classPath);
        InstrumentingClassLoader shared = isKnown ? stage.shared() : null;
        ExpectedOutput output = expected.isEmpty() ? null : new ExpectedOutput(expected.get(0));
        store = new InstrumentedClassCache(classPath, projectFolders, isKnown ? store : null);
        stage = new ScheduleRunner(store, runner, output, shared);
        this.classPath = classPath;
        exploration = new Exploration(stage, wanted, strategies, targets, seed, most, isTrial, limit);
    }

    private static Schedule schedule(DataInputStream in) throws IOException {
        String wanted = Wire.readString(in);
        List<String> shared = Wire.readStrings(in);
        int[] choices = new int[in.readInt()];
        for (int i = 0; i < choices.length; i++) {
            choices[i] = in.readInt();
        }
        return Schedule.of(wanted, shared, choices);
    }

    private String progress() {
        Findings findings = exploration.findings;
        return new Json().open('{').key("run").value(findings.run).key("failing").value(findings.failing)
                .key("tests").value(exploration.methods()).key("done").value(exploration.isDone())
                .close('}').toString();
    }
}
