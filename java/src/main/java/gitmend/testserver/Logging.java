package gitmend.testserver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.logging.FileHandler;
import java.util.logging.Filter;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;

/**
 * Probe of `java.util.logging`. Logging systems such as Spring Boot's replace the handlers of the root logger and set
 * levels.
 */
final class Logging extends StateProbe {
    /** Settings of a logger without any configuration. */
    private static final LoggerSettings DEFAULTS =
            new LoggerSettings(Arrays.asList(null, null, true), Collections.emptyList());

    Logging() {
        super("logging");
    }

    @Override
    Object read() throws Throwable {
        LogManager manager = LogManager.getLogManager();
        Map<String, LoggerSettings> loggers = new TreeMap<>();
        for (Logger logger : allLoggers(manager)) {
            LoggerSettings settings = LoggerSettings.read(logger);
            if (!settings.equals(DEFAULTS)) {
                loggers.put(logger.getName(), settings);
            }
        }
        return Arrays.asList(manager, new TreeMap<>((Map<?, ?>) configuration(manager).get()), loggers);
    }

    @Override
    void restore(Object saved) throws Throwable {
        List<?> parts = (List<?>) saved;
        LogManager manager = (LogManager) parts.get(0);
        Properties configuration = new Properties();
        configuration.putAll((Map<?, ?>) parts.get(1));
        configuration(manager).set(configuration);
        Map<?, ?> loggers = (Map<?, ?>) parts.get(2);
        for (Logger logger : allLoggers(manager)) {
            LoggerSettings settings = (LoggerSettings) loggers.get(logger.getName());
            (settings == null ? DEFAULTS : settings).apply(logger);
        }
    }

    private static List<Logger> allLoggers(LogManager manager) {
        List<Logger> loggers = new ArrayList<>();
        for (Enumeration<String> names = manager.getLoggerNames(); names.hasMoreElements(); ) {
            Logger logger = manager.getLogger(names.nextElement());
            if (logger != null) {
                loggers.add(logger);
            }
        }
        return loggers;
    }

    /** Returns the configuration that new loggers read. Each reading of a configuration creates new properties. */
    private static JdkField configuration(LogManager manager) throws ReflectiveOperationException {
        return JdkField.ofObject(LogManager.class, "props", manager);
    }

    /** Settings of a logger and of its handlers. */
    private static final class LoggerSettings {
        /** Level, filter, and if the handlers of the parent are used. */
        private final List<Object> own;
        /** Each handler with its level, filter, formatter and encoding. */
        private final List<List<Object>> handlers;

        LoggerSettings(List<Object> own, List<List<Object>> handlers) {
            this.own = own;
            this.handlers = handlers;
        }

        static LoggerSettings read(Logger logger) {
            List<List<Object>> handlers = new ArrayList<>();
            for (Handler handler : logger.getHandlers()) {
                handlers.add(Arrays.asList(handler, handler.getLevel(), handler.getFilter(),
                        handler.getFormatter(), handler.getEncoding()));
            }
            return new LoggerSettings(
                    Arrays.asList(logger.getLevel(), logger.getFilter(), logger.getUseParentHandlers()), handlers);
        }

        void apply(Logger logger) throws Exception {
            logger.setLevel((Level) own.get(0));
            logger.setFilter((Filter) own.get(1));
            logger.setUseParentHandlers((Boolean) own.get(2));
            for (Handler handler : logger.getHandlers()) {
                logger.removeHandler(handler);
                if (handler instanceof FileHandler) {
                    // It holds a lock on its file.
                    handler.close();
                }
            }
            for (List<Object> settings : handlers) {
                Handler handler = (Handler) settings.get(0);
                handler.setLevel((Level) settings.get(1));
                handler.setFilter((Filter) settings.get(2));
                handler.setFormatter((Formatter) settings.get(3));
                handler.setEncoding((String) settings.get(4));
                logger.addHandler(handler);
            }
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof LoggerSettings && own.equals(((LoggerSettings) other).own)
                    && handlers.equals(((LoggerSettings) other).handlers);
        }

        @Override
        public int hashCode() {
            return own.hashCode();
        }
    }
}
