package gitmend.schedule.run;

import gitmend.schedule.weave.Sites;
import gitmend.wire.Json;
import java.util.BitSet;
import java.util.List;

/** Schedule that can be replayed: the test, the shared variables known before, and the choices. */
public final class Schedule {
    /** What runs: a line for the runner. */
    public final String wanted;
    public final String strategy;
    final long seed;
    /** The variables that decisions were taken at from the beginning. */
    public final BitSet shared;
    public int[] choices = new int[0];

    public Schedule(String wanted, String strategy, long seed, BitSet shared) {
        this.wanted = wanted;
        this.strategy = strategy;
        this.seed = seed;
        this.shared = (BitSet) shared.clone();
    }

    /** One that was written down. */
    public static Schedule of(String wanted, List<String> shared, int[] choices) {
        BitSet subjects = new BitSet();
        shared.forEach(name -> subjects.set(Sites.subject(name, false)));
        Schedule schedule = new Schedule(wanted, "replay", 0, subjects);
        schedule.choices = choices;
        return schedule;
    }

    public void write(Json json) {
        json.open('{').key("test").value(wanted).key("scheduler").value(strategy).key("seed").value(seed);
        json.key("shared").open('[');
        shared.stream().forEach(subject -> json.value(Sites.subjectName(subject)));
        json.close(']').key("choices").open('[');
        for (int choice : choices) {
            json.value(choice);
        }
        json.close(']').close('}');
    }
}
