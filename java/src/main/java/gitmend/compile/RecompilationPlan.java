package gitmend.compile;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Files to compile, given an earlier compilation and changed sources. */
final class RecompilationPlan {
    final Set<String> filesToCompile;
    /** Files of the base that no longer exist. */
    private final Set<String> removedFiles;
    /** True if files are compiled that the base has not compiled. */
    private final boolean hasNewFiles;
    private final Compilation base;
    private final Sources newSources;
    /** Classes by file that are reused from another compilation of the same file contents. */
    private final Map<String, List<MemoryClass>> reusedClasses = new HashMap<>();
    /** Shapes of all present and earlier classes, to look up superclasses. */
    private final Map<String, ClassShape> allShapes = new HashMap<>();
    /** Interface changes that may affect unchanged files. */
    private final InterfaceChange change;
    /** Classes that other units added or removed. */
    private final Set<String> classesOfOtherUnits;

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
        // What no file needed before, no unchanged file needs now.
        filesToCompile.removeIf(path -> newSources.isImplicit(path) && !base.classes.containsKey(path));
        hasNewFiles = !base.classes.keySet().containsAll(filesToCompile);
        removedFiles = newSources.removedSince(base.sources);
        change = base.classPathChange(classPathShapes);
        classesOfOtherUnits = change.addedAndRemovedClasses();
        change.add(Compilation.shapesOf(removedFiles, base.classes), Collections.emptyMap());
        compilations.forEach(compilation -> allShapes.putAll(compilation.shapes));
        classPathShapes.forEach(allShapes::putAll);
        for (Compilation other : compilations) {
            if (other != base) {
                reuseClasses(other, classPathShapes);
            }
        }
        Map<String, List<MemoryClass>> oldClasses = new HashMap<>(base.classes);
        oldClasses.keySet().retainAll(filesToCompile);
        addNameChanges(oldClasses);
        addAffectedFiles();
    }

    /** Reuses classes of another compilation for files that no difference between the two compilations affects. */
    private void reuseClasses(Compilation other, List<Map<String, ClassShape>> classPathShapes) {
        InterfaceChange difference = other.classPathChange(classPathShapes);
        difference.add(other.shapes, base.shapes);
        addDifferentNames(difference, visibleNames(other.sources, other.classes), visibleNames(newSources, base.classes));
        addDifferentNames(difference, visibleNames(base.sources, base.classes), visibleNames(newSources, base.classes));
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
        boolean affectsPackages =
                Stream.concat(filesToCompile.stream(), removedFiles.stream()).anyMatch(RecompilationPlan::isDeclaration);
        return !affectsPackages && !change.affectsAllFiles && filesToCompile.size() * 2 <= base.classes.size();
    }

    /** Returns the number of files that the base compiled. */
    int fileCount() {
        return base.classes.size();
    }

    /** Returns true if the file declares a package or a module. */
    private static boolean isDeclaration(String path) {
        return path.endsWith("package-info.java") || path.endsWith("module-info.java");
    }

    /** Returns the binary names of the classes that this unit adds or removes. */
    Set<String> addedAndRemovedClasses() {
        Set<String> names = change.addedAndRemovedClasses();
        names.removeAll(classesOfOtherUnits);
        return names;
    }

    /** Returns true if no interface changed, so that errors of this plan are errors of a full compilation. */
    boolean isInterfaceUnchanged() {
        return change.isEmpty() && !hasNewFiles;
    }

    /** Returns the classes of files that are not compiled. */
    Map<String, List<MemoryClass>> keptClasses() {
        Map<String, List<MemoryClass>> kept = new HashMap<>(base.classes);
        kept.putAll(reusedClasses);
        kept.keySet().removeAll(filesToCompile);
        kept.keySet().removeAll(removedFiles);
        return kept;
    }

    /** Adds files that newly compiled classes affect. Returns true if there are any. */
    boolean addAffectedBy(Map<String, List<MemoryClass>> compiledClasses) {
        change.add(Compilation.shapesOf(filesToCompile, base.classes),
                Compilation.shapesOf(filesToCompile, compiledClasses));
        addNameChanges(compiledClasses);
        return addAffectedFiles();
    }

    /**
     * Adds the names of packages and of uncompiled classes that appear or disappear. They change what an import on demand
     * means. `compiledClasses` are those of the files to compile.
     */
    private void addNameChanges(Map<String, List<MemoryClass>> compiledClasses) {
        Map<String, List<MemoryClass>> newClasses = keptClasses();
        newClasses.putAll(compiledClasses);
        addDifferentNames(change, visibleNames(base.sources, base.classes), visibleNames(newSources, newClasses));
    }

    /** Adds the simple names of what only one of two sets has. */
    private static void addDifferentNames(InterfaceChange change, Set<String> oldNames, Set<String> newNames) {
        Stream.concat(oldNames.stream(), newNames.stream())
                .filter(name -> !oldNames.contains(name) || !newNames.contains(name))
                .forEach(name -> change.affectedNames.add(name.substring(name.lastIndexOf('.') + 1)));
    }

    /** Returns the names of packages, and of classes that are compiled if needed. */
    private static Set<String> visibleNames(Sources sources, Map<String, List<MemoryClass>> classes) {
        Set<String> names = new HashSet<>(sources.implicitClassNames());
        Stream<String> classNames =
                classes.values().stream().flatMap(List::stream).map(compiledClass -> compiledClass.name);
        Stream.concat(classNames, sources.implicitClassNames().stream()).forEach(name -> {
            int dot = name.lastIndexOf('.');
            // A known package has known parents.
            while (dot >= 0 && names.add(name.substring(0, dot))) {
                dot = name.lastIndexOf('.', dot - 1);
            }
        });
        return names;
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
