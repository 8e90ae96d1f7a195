package dev.sluice.bench.peer;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Driver;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.apache.kafka.connect.sink.SinkTask;

/**
 * Debezium's JDBC sink with its own libraries, apart from this process's as in a Connect worker: it
 * is older than the Debezium that Sluice is built with, and does not run with that.
 */
final class JdbcSinkPlugin {
  private static final Path FOLDER =
      Path.of(System.getProperty("sluice.bench.jdbc-sink", "bench/jdbc-sink-peer/target/lib"));

  private static final String TASK = "io.debezium.connector.jdbc.JdbcSinkConnectorTask";

  private static ClassLoader loader;

  private JdbcSinkPlugin() {}

  /** A new task, not started. Its thread's context class loader is to be {@link #loader()}. */
  static SinkTask task() throws ReflectiveOperationException, IOException {
    return (SinkTask) loader().loadClass(TASK).getDeclaredConstructor().newInstance();
  }

  /** The one class loader of all tasks; its drivers are registered, as a Connect worker does. */
  static synchronized ClassLoader loader() throws IOException {
    if (loader == null) {
      List<URL> libraries = new ArrayList<>();
      try (Stream<Path> files = Files.list(FOLDER)) {
        for (Path file : files.toList()) {
          libraries.add(file.toUri().toURL());
        }
      }
      loader = new URLClassLoader(libraries.toArray(URL[]::new), new SharedWithWorker());
      ServiceLoader.load(Driver.class, loader).forEach(driver -> {});
    }
    return loader;
  }

  /**
   * What a plugin has in common with its worker: Connect's interfaces and logging, no resources.
   */
  private static final class SharedWithWorker extends ClassLoader {
    private static final List<String> PACKAGES =
        List.of("org.apache.kafka.", "org.slf4j.", "ch.qos.logback.", "jakarta.validation.");

    private SharedWithWorker() {
      super(ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (PACKAGES.stream().anyMatch(name::startsWith)) {
        return JdbcSinkPlugin.class.getClassLoader().loadClass(name);
      }
      throw new ClassNotFoundException(name);
    }
  }
}
