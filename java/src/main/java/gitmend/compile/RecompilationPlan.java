package gitmend.compile;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Incremental compilation set: the files to compile, given a known compilation and changed sources. */
final class RecompilationPlan {
    /** The files to compile. */
    final Set<String> filesToCompile;
    private final Compilation base;
    private final Sources newSources;
    /** Of files that another known compilation had as they are now, the classes that came of them there. */
    private final Map<String, List<MemoryClass>> reusedClasses = new HashMap<>();
    /** The shapes of all classes that there are or were, to look up what is above a class. */
    private final Map<String, ClassShape> allShapes = new HashMap<>();
    /** The class interface changes that unchanged files must be checked against. */
    private final InterfaceChange change;

    /**
     * Begins at one of the known compilations. Others may have files as they are now that this one does not: mostly
     * those that the variant before changed.
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

    /** Reuses the classes of `other` for files that no difference between the two compilations
     * affects. */
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

    /** Whether the way through the files that differ is one, and a short one. */
    boolean isApplicable() {
        for (String path : filesToCompile) {
            if (path.endsWith("package-info.java") || !base.classes.containsKey(path)) {
                return false;
            }
        }
        return !change.affectsAllFiles && filesToCompile.size() * 2 <= base.classes.size();
    }

    /** Whether what is refused of the files to compile is refused of the whole as well. */
    boolean isInterfaceUnchanged() {
        return change.isEmpty();
    }

    /** The classes of the files that are not compiled. */
    Map<String, List<MemoryClass>> keptClasses() {
        Map<String, List<MemoryClass>> kept = new HashMap<>(base.classes);
        kept.putAll(reusedClasses);
        kept.keySet().removeAll(filesToCompile);
        return kept;
    }

    /** Adds the files that new classes of those to compile concern; whether there are any. */
    boolean addAffectedBy(Map<String, List<MemoryClass>> compiledClasses) {
        change.add(Compilation.shapesOf(filesToCompile, base.classes),
                Compilation.shapesOf(filesToCompile, compiledClasses));
        return addAffectedFiles();
    }

    /** Adds the files that the change concerns; whether there are any. */
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
