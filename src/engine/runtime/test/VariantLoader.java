package gitmend.runtime;

import java.net.URL;
import java.net.URLClassLoader;

/** The classes of one variant: its own, its tests', and those of all libraries. Only the JDK is shared. */
final class VariantLoader extends URLClassLoader {
    VariantLoader(URL[] urls) {
        super(urls, ClassLoader.getSystemClassLoader().getParent());
    }

    /** Some modules of the JDK are loaded as programs are, and ours must not be mistaken for the variant's. */
    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        try {
            return super.findClass(name);
        } catch (ClassNotFoundException e) {
            if (name.startsWith("gitmend.")) {
                throw e;
            }
            return ClassLoader.getSystemClassLoader().loadClass(name);
        }
    }
}
