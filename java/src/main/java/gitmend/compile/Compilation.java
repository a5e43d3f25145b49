package gitmend.compile;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compiled sources with their classes and class interfaces. */
final class Compilation {
    final Sources sources;
    final Map<String, List<MemoryClass>> classes;
    final Map<String, ClassShape> shapes;
    /** The shapes of the units on the class path, as these were compiled against them. */
    final List<Map<String, ClassShape>> against;

    Compilation(Sources sources, Map<String, List<MemoryClass>> classes, List<Map<String, ClassShape>> against) {
        this.sources = sources;
        this.classes = classes;
        this.shapes = shapesOf(classes.keySet(), classes);
        this.against = against;
    }

    static Map<String, ClassShape> shapesOf(Set<String> files, Map<String, List<MemoryClass>> classes) {
        Map<String, ClassShape> shapes = new HashMap<>();
        for (String file : files) {
            for (MemoryClass one : classes.getOrDefault(file, Collections.emptyList())) {
                shapes.put(one.shape().name, one.shape());
            }
        }
        return shapes;
    }

    /** What changed in the units on the class path since then. */
    Change changeOf(List<Map<String, ClassShape>> onClassPath) {
        Change change = new Change();
        for (int i = 0; i < onClassPath.size(); i++) {
            change.add(i < against.size() ? against.get(i) : Collections.emptyMap(), onClassPath.get(i));
        }
        return change;
    }
}
