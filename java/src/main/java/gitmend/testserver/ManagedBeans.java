package gitmend.testserver;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;

/** Probe of JMX servers and of the names registered with them. Frameworks register beans and do not remove them. */
final class ManagedBeans extends StateProbe {
    ManagedBeans() {
        super("managed beans");
    }

    @Override
    Object read() {
        Map<MBeanServer, Set<ObjectName>> names = new HashMap<>();
        for (MBeanServer server : MBeanServerFactory.findMBeanServer(null)) {
            names.put(server, new HashSet<>(server.queryNames(null, null)));
        }
        return names;
    }

    /** Removes what was added. A bean that was removed stays missing. */
    @Override
    void restore(Object saved) throws Throwable {
        Map<?, ?> names = (Map<?, ?>) saved;
        List<MBeanServer> servers = MBeanServerFactory.findMBeanServer(null);
        for (MBeanServer server : servers) {
            Set<?> kept = (Set<?>) names.get(server);
            if (kept == null) {
                MBeanServerFactory.releaseMBeanServer(server);
                continue;
            }
            for (ObjectName name : server.queryNames(null, null)) {
                if (!kept.contains(name)) {
                    server.unregisterMBean(name);
                }
            }
        }
    }
}
