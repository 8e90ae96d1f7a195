package dev.sluice.bench.connect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The libraries of a Kafka Connect worker, from the build's folders: its own, and three plugins,
 * Debezium's PostgreSQL connector, Debezium's JDBC sink and Sluice's sink.
 */
public final class ConnectPlugins {
  private static final Path WORKER =
      Path.of(System.getProperty("sluice.bench.connect-worker", "connect/worker/target"));

  private static final Path SLUICE =
      Path.of(System.getProperty("sluice.bench.connect-plugin", "connect/target"));

  private static final Path JDBC_SINK =
      Path.of(System.getProperty("sluice.bench.jdbc-sink", "bench/jdbc-sink-peer/target/lib"));

  private ConnectPlugins() {}

  /** Whether the plugin has been packed, which the phase package does. */
  public static boolean arePacked() throws IOException {
    return Files.isDirectory(WORKER.resolve("lib")) && !packed().isEmpty();
  }

  /** The worker's class path. */
  static String classPath() {
    return WORKER.resolve("lib").toAbsolutePath() + "/*";
  }

  /** Makes a folder for {@code plugin.path} in another one. */
  static Path pathIn(Path folder) throws IOException {
    Path plugins = Files.createDirectories(folder.resolve("plugins"));
    link(plugins, "debezium", WORKER.resolve("plugins/debezium-connector-postgres"));
    linkWithoutWorkers(plugins.resolve("jdbc-sink"), JDBC_SINK);
    link(plugins, "sluice", packed().get(0));
    return plugins;
  }

  /**
   * Copies a plugin without the libraries that every worker has, as Debezium packs its plugins.
   * Otherwise Jackson, for one, would find the worker's modules and reject their classes.
   */
  private static void linkWithoutWorkers(Path plugin, Path folder) throws IOException {
    Files.createDirectories(plugin);
    Set<String> workers =
        jars(WORKER.resolve("lib")).stream()
            .map(ConnectPlugins::artifact)
            .collect(Collectors.toSet());
    for (Path jar : jars(folder)) {
      if (!workers.contains(artifact(jar))) {
        link(plugin, jar.getFileName().toString(), jar);
      }
    }
  }

  private static List<Path> jars(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  /** Its name without the version. */
  private static String artifact(Path jar) {
    return jar.getFileName().toString().replaceFirst("-[0-9].*", "");
  }

  private static List<Path> packed() throws IOException {
    if (!Files.isDirectory(SLUICE)) {
      return List.of();
    }
    // Below the folder of the version, which is the plugin path, is the plugin.
    try (Stream<Path> found = Files.find(SLUICE, 2, ConnectPlugins::isPlugin)) {
      return found.toList();
    }
  }

  private static boolean isPlugin(Path file, BasicFileAttributes of) {
    return of.isDirectory()
        && file.getFileName().toString().startsWith("sluice-connect-")
        && Files.isDirectory(file.resolve("lib"));
  }

  private static void link(Path plugins, String name, Path folder) throws IOException {
    Files.createSymbolicLink(plugins.resolve(name), folder.toAbsolutePath());
  }
}
