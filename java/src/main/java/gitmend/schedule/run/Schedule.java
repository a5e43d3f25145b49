package gitmend.schedule.run;

import gitmend.schedule.weave.Sites;
import gitmend.wire.Json;
import java.util.BitSet;
import java.util.List;

/** Schedule that can be replayed: the test, the shared variables known before, and the choices. */
public final class Schedule {
    /** Request of a test: a line for the runner. */
    public final String request;
    public final String strategy;
    final long seed;
    /** Subjects with scheduling points from the beginning. */
    public final BitSet sharedSubjects;
    public int[] choices = new int[0];

    public Schedule(String request, String strategy, long seed, BitSet sharedSubjects) {
        this.request = request;
        this.strategy = strategy;
        this.seed = seed;
        this.sharedSubjects = (BitSet) sharedSubjects.clone();
    }

    /** Returns a recorded schedule. */
    public static Schedule fromRecord(String request, List<String> sharedNames, int[] choices) {
        BitSet subjects = new BitSet();
        sharedNames.forEach(name -> subjects.set(Sites.subjectNumber(name, false)));
        Schedule schedule = new Schedule(request, "replay", 0, subjects);
        schedule.choices = choices;
        return schedule;
    }

    public void write(Json json) {
        json.open('{').key("test").value(request).key("scheduler").value(strategy).key("seed").value(seed);
        json.key("shared").open('[');
        sharedSubjects.stream().forEach(subject -> json.value(Sites.subjectName(subject)));
        json.close(']').key("choices").open('[');
        for (int choice : choices) {
            json.value(choice);
        }
        json.close(']').close('}');
    }
}
