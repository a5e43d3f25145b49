package gitmend.runner.platform;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.junit.platform.engine.ConfigurationParameters;

/** Configuration parameters of JUnit 5. As in its launcher, system properties override `junit-platform.properties`. */
final class Parameters implements ConfigurationParameters {
    private final Properties properties = new Properties();

    Parameters() throws IOException {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        try (InputStream stream = loader.getResourceAsStream("junit-platform.properties")) {
            if (stream != null) {
                properties.load(stream);
            }
        }
    }

    @Override
    public Optional<String> get(String key) {
        String systemValue = System.getProperty(key);
        return Optional.ofNullable(systemValue == null ? properties.getProperty(key) : systemValue);
    }

    @Override
    public Optional<Boolean> getBoolean(String key) {
        return get(key).map(Boolean::parseBoolean);
    }

    // Some releases of JUnit do not declare the next two methods, so `@Override` would not compile.
    public int size() {
        return properties.size();
    }

    public Set<String> keySet() {
        return properties.stringPropertyNames();
    }
}
