package gitmend.compile;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Incremental compilation set: the files to compile, given a known compilation and changed sources. */
final class RecompilationPlan {
    /** The files to compile. */
    final Set<String> todo;
    private final Compilation base;
    private final Sources fresh;
    /** Of files that another known compilation had as they are now, the classes that came of them there. */
    private final Map<String, List<MemoryClass>> restored = new HashMap<>();
    /** The shapes of all classes that there are or were, to look up what is above a class. */
    private final Map<String, ClassShape> all = new HashMap<>();
    /** The class interface changes that unchanged files must be checked against. */
    private final Change change;

    /**
     * Begins at one of the known compilations. Others may have files as they are now that this one does not: mostly
     * those that the variant before changed.
     */
    RecompilationPlan(
            Compilation base, List<Compilation> known, Sources fresh, List<Map<String, ClassShape>> onClassPath) {
        this.base = base;
        this.fresh = fresh;
        todo = fresh.changedSince(base.sources);
        change = base.changeOf(onClassPath);
        known.forEach(one -> all.putAll(one.shapes));
        onClassPath.forEach(all::putAll);
        for (Compilation other : known) {
            if (other != base) {
                restore(other, onClassPath);
            }
        }
        spread();
    }

    /** Reuses the classes of `other` for files that no difference between the two compilations
     * affects. */
    private void restore(Compilation other, List<Map<String, ClassShape>> onClassPath) {
        Change between = other.changeOf(onClassPath);
        between.add(other.shapes, base.shapes);
        Set<String> changed = fresh.changedSince(other.sources);
        for (String path : todo) {
            List<MemoryClass> classes = other.classes.get(path);
            boolean isThere = classes != null && base.classes.containsKey(path) && !changed.contains(path);
            if (isThere && !between.concerns(fresh.text(path), classes, all)) {
                restored.put(path, classes);
            }
        }
        todo.removeAll(restored.keySet());
        change.add(
                Compilation.shapesOf(restored.keySet(), base.classes),
                Compilation.shapesOf(restored.keySet(), restored));
    }

    /** Whether the way through the files that differ is one, and a short one. */
    boolean isFit() {
        for (String path : todo) {
            if (path.endsWith("package-info.java") || !base.classes.containsKey(path)) {
                return false;
            }
        }
        return !change.isEverywhere && todo.size() * 2 <= base.classes.size();
    }

    /** Whether what is refused of the files to compile is refused of the whole as well. */
    boolean isWhole() {
        return change.isNothing();
    }

    /** The classes of the files that are not compiled. */
    Map<String, List<MemoryClass>> known() {
        Map<String, List<MemoryClass>> known = new HashMap<>(base.classes);
        known.putAll(restored);
        known.keySet().removeAll(todo);
        return known;
    }

    /** Adds the files that new classes of those to compile concern; whether there are any. */
    boolean grows(Map<String, List<MemoryClass>> compiled) {
        change.add(Compilation.shapesOf(todo, base.classes), Compilation.shapesOf(todo, compiled));
        return spread();
    }

    /** Adds the files that the change concerns; whether there are any. */
    private boolean spread() {
        if (change.isNothing()) {
            return false;
        }
        Set<String> more = new TreeSet<>();
        known().forEach((path, classes) -> {
            if (change.concerns(fresh.text(path), classes, all)) {
                more.add(path);
            }
        });
        return todo.addAll(more);
    }
}
