package gitmend.schedule;

import gitmend.schedule.report.Findings;
import gitmend.schedule.run.ExpectedOutput;
import gitmend.schedule.run.FailureGoal;
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

/** Server that runs tests under many schedules and reports the findings. */
public final class ExploreServer {
    private InstrumentedClassCache classes;
    private ScheduleRunner runner;
    private List<String> classPath;
    private Exploration exploration;

    private ExploreServer() {}

    public static void main(String[] args) throws IOException {
        Wire.serve(new ExploreServer()::answerRequest, 0);
    }

    private ByteArrayOutputStream answerRequest(byte[] request) throws Exception {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(request));
        String response;
        switch (Wire.readString(in)) {
            case "open":
                open(in);
                response = describeProgress();
                break;
            case "begin":
                exploration.runBaseline();
                response = describeProgress();
                break;
            case "go":
                exploration.runFor(in.readInt());
                response = describeProgress();
                break;
            case "replay":
                exploration.replay(readSchedule(in));
                response = ExplorationReport.write(exploration, classes);
                break;
            default:
                exploration.addStacks();
                response = ExplorationReport.write(exploration, classes);
        }
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        answer.write(response.getBytes(StandardCharsets.UTF_8));
        return answer;
    }

    private void open(DataInputStream in) throws IOException {
        String runnerClass = Wire.readString(in);
        List<String> requests = Wire.readStrings(in);
        List<String> classPath = Wire.readStrings(in);
        List<String> projectFolders = Wire.readStrings(in);
        List<String> strategies = Wire.readStrings(in);
        Set<String> targets = new HashSet<>(Wire.readStrings(in));
        long seed = in.readLong();
        int maxSchedules = in.readInt();
        boolean stopsAtFirstFault = in.readInt() != 0;
        long limitMillis = in.readLong();
        // A list of one element or none.
        List<String> expected = Wire.readStrings(in);
        List<String> goal = Wire.readStrings(in);
        System.setProperty("java.class.path", String.join(File.pathSeparator, classPath));
        boolean isSameClassPath = classPath.equals(this.classPath);
        InstrumentingClassLoader sharedLoader = isSameClassPath ? runner.sharedLoader() : null;
        ExpectedOutput output = expected.isEmpty() ? null : new ExpectedOutput(expected.get(0));
        classes = new InstrumentedClassCache(classPath, projectFolders, isSameClassPath ? classes : null);
        runner = new ScheduleRunner(classes, runnerClass, output, sharedLoader);
        this.classPath = classPath;
        exploration = new Exploration(runner, requests, strategies, targets, seed, maxSchedules, stopsAtFirstFault,
                limitMillis);
        exploration.goal = goal.isEmpty() ? null : new FailureGoal(goal);
        exploration.projectClasses = classes.projectClasses;
    }

    private static Schedule readSchedule(DataInputStream in) throws IOException {
        String request = Wire.readString(in);
        List<String> sharedNames = Wire.readStrings(in);
        int[] choices = new int[in.readInt()];
        for (int i = 0; i < choices.length; i++) {
            choices[i] = in.readInt();
        }
        return Schedule.fromRecord(request, sharedNames, choices);
    }

    private String describeProgress() {
        Findings findings = exploration.findings;
        return new Json().open('{').key("run").value(findings.scheduleCount).key("failing").value(findings.failingCount)
                .key("tests").value(exploration.countMethods()).key("done").value(exploration.isDone())
                .close('}').toString();
    }
}
