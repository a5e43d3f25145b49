package gitmend.compile;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Files to compile, given an earlier compilation and changed sources. */
final class RecompilationPlan {
    final Set<String> filesToCompile;
    private final Compilation base;
    private final Sources newSources;
    /** Classes by file that are reused from another compilation of the same file contents. */
    private final Map<String, List<MemoryClass>> reusedClasses = new HashMap<>();
    /** Shapes of all present and earlier classes, to look up superclasses. */
    private final Map<String, ClassShape> allShapes = new HashMap<>();
    /** Interface changes that may affect unchanged files. */
    private final InterfaceChange change;

    /**
     * Creates a plan based on one earlier compilation. Others may have the current content of files that differ from
     * the base: mostly files that the previous variant changed.
     */
    RecompilationPlan(
            Compilation base,
            List<Compilation> compilations,
            Sources newSources,
            List<Map<String, ClassShape>> classPathShapes) {
        this.base = base;
        this.newSources = newSources;
        filesToCompile = newSources.changedSince(base.sources);
        change = base.classPathChange(classPathShapes);
        compilations.forEach(compilation -> allShapes.putAll(compilation.shapes));
        classPathShapes.forEach(allShapes::putAll);
        for (Compilation other : compilations) {
            if (other != base) {
                reuseClasses(other, classPathShapes);
            }
        }
        addAffectedFiles();
    }

    /** Reuses classes of another compilation for files that no difference between the two compilations affects. */
    private void reuseClasses(Compilation other, List<Map<String, ClassShape>> classPathShapes) {
        InterfaceChange difference = other.classPathChange(classPathShapes);
        difference.add(other.shapes, base.shapes);
        Set<String> changed = newSources.changedSince(other.sources);
        for (String path : filesToCompile) {
            List<MemoryClass> classes = other.classes.get(path);
            boolean isUnchanged = classes != null && base.classes.containsKey(path) && !changed.contains(path);
            if (isUnchanged && !difference.canAffect(newSources.text(path), classes, allShapes)) {
                reusedClasses.put(path, classes);
            }
        }
        filesToCompile.removeAll(reusedClasses.keySet());
        change.add(
                Compilation.shapesOf(reusedClasses.keySet(), base.classes),
                Compilation.shapesOf(reusedClasses.keySet(), reusedClasses));
    }

    /** Returns true if incremental compilation is possible and compiles at most half of the files. */
    boolean isApplicable() {
        for (String path : filesToCompile) {
            if (path.endsWith("package-info.java") || !base.classes.containsKey(path)) {
                return false;
            }
        }
        return !change.affectsAllFiles && filesToCompile.size() * 2 <= base.classes.size();
    }

    /** Returns true if no interface changed, so that errors of this plan are errors of a full compilation. */
    boolean isInterfaceUnchanged() {
        return change.isEmpty();
    }

    /** Returns the classes of files that are not compiled. */
    Map<String, List<MemoryClass>> keptClasses() {
        Map<String, List<MemoryClass>> kept = new HashMap<>(base.classes);
        kept.putAll(reusedClasses);
        kept.keySet().removeAll(filesToCompile);
        return kept;
    }

    /** Adds files that newly compiled classes affect. Returns true if there are any. */
    boolean addAffectedBy(Map<String, List<MemoryClass>> compiledClasses) {
        change.add(Compilation.shapesOf(filesToCompile, base.classes),
                Compilation.shapesOf(filesToCompile, compiledClasses));
        return addAffectedFiles();
    }

    /** Adds files that the change affects. Returns true if there are any. */
    private boolean addAffectedFiles() {
        if (change.isEmpty()) {
            return false;
        }
        Set<String> affected = new TreeSet<>();
        keptClasses().forEach((path, classes) -> {
            if (change.canAffect(newSources.text(path), classes, allShapes)) {
                affected.add(path);
            }
        });
        return filesToCompile.addAll(affected);
    }
}
