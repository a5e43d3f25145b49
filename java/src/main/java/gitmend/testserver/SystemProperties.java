package gitmend.testserver;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;

/** Probe of system properties, without the class path, which differs per variant. */
final class SystemProperties extends StateProbe {
    SystemProperties() {
        super("system properties");
    }

    @Override
    Object read() {
        Map<String, Object> properties = new TreeMap<>();
        System.getProperties().forEach((key, value) -> properties.put(key.toString(), value));
        properties.remove("java.class.path");
        return properties;
    }

    @Override
    void restore(Object saved) {
        Properties properties = new Properties();
        properties.putAll((Map<?, ?>) saved);
        System.setProperties(properties);
    }

    @Override
    Collection<String> differences(Object saved, Object current) {
        if (!(current instanceof Map)) {
            return super.differences(saved, current);
        }
        Map<?, ?> before = (Map<?, ?>) saved;
        Map<?, ?> after = (Map<?, ?>) current;
        TreeSet<Object> keys = new TreeSet<>(before.keySet());
        keys.addAll(after.keySet());
        List<String> differences = new ArrayList<>();
        for (Object key : keys) {
            if (!Objects.equals(before.get(key), after.get(key))) {
                differences.add("system property " + key);
            }
        }
        return differences;
    }
}
