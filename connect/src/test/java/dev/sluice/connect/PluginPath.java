package dev.sluice.connect;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** A worker's folder of plugins: Sluice's as it was packed, and Debezium's own connector. */
final class PluginPath {
  /** On this test's class path, and no part of a worker: it gets them as plugins, or not at all. */
  private static final List<String> NOT_OF_A_WORKER =
      List.of("sluice", "/classes", "debezium", "postgresql", "protobuf", "junit", "assertj");

  private static final List<String> OF_DEBEZIUM = List.of("debezium", "postgresql", "protobuf");

  private PluginPath() {}

  /** Makes the folder. */
  static Path in(Path directory) throws IOException {
    Path plugins = Files.createDirectories(directory.resolve("plugins"));
    Path packed = Path.of(System.getProperty("sluice.connect.plugin"));
    try (Stream<Path> folders = Files.list(packed)) {
      Path sluice = folders.findFirst().orElseThrow();
      Files.createSymbolicLink(plugins.resolve("sluice"), sluice);
    }
    Path debezium = Files.createDirectories(plugins.resolve("debezium"));
    for (Path jar : classPath()) {
      String name = jar.getFileName().toString();
      if (OF_DEBEZIUM.stream().anyMatch(name::startsWith)) {
        Files.createSymbolicLink(debezium.resolve(name), jar);
      }
    }
    return plugins;
  }

  /** What a worker runs with, none of the plugins. */
  static String workersClassPath() {
    return String.join(
        File.pathSeparator,
        classPath().stream()
            .map(Path::toString)
            .filter(entry -> NOT_OF_A_WORKER.stream().noneMatch(part -> isOf(entry, part)))
            .toList());
  }

  private static boolean isOf(String entry, String part) {
    return part.startsWith("/")
        ? entry.endsWith(part) || entry.endsWith("/test-classes")
        : Path.of(entry).getFileName().toString().startsWith(part);
  }

  private static List<Path> classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(Path::of)
        .toList();
  }
}
