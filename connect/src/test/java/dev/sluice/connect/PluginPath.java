package dev.sluice.connect;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * A worker's folder of plugins: Sluice's as it was packed, Debezium's own connector, and a
 * converter for Avro.
 */
final class PluginPath {
  /** On this test's class path, and no part of a worker: it gets them as plugins, or not at all. */
  private static final List<String> NOT_OF_A_WORKER =
      List.of(
          "sluice",
          "/classes",
          "debezium",
          "postgresql",
          "protobuf",
          "apicurio",
          "avro",
          "mariadb",
          "jcc",
          "derby",
          "commons-dbcp2",
          "junit",
          "assertj");

  private static final List<String> OF_DEBEZIUM = List.of("debezium", "postgresql", "protobuf");

  /** Apicurio's converter for Avro; what it needs beside is on the worker's class path. */
  private static final List<String> OF_AVRO = List.of("apicurio", "avro");

  static final String AVRO_CONVERTER = "io.apicurio.registry.utils.converter.AvroConverter";

  private PluginPath() {}

  /** Makes the folder. */
  static Path in(Path directory) throws IOException {
    return in(directory, List.of());
  }

  /**
   * The same with drivers that users put into Sluice's folder {@code lib} themselves.
   *
   * @param drivers how the names of their jars begin
   */
  static Path in(Path directory, List<String> drivers) throws IOException {
    Path plugins = Files.createDirectories(directory.resolve("plugins"));
    Path packed = Path.of(System.getProperty("sluice.connect.plugin"));
    Path lib = Files.createDirectories(plugins.resolve("sluice").resolve("lib"));
    try (Stream<Path> folders = Files.list(packed)) {
      Path sluice = folders.findFirst().orElseThrow();
      try (Stream<Path> jars = Files.list(sluice.resolve("lib"))) {
        for (Path jar : jars.toList()) {
          Files.createSymbolicLink(lib.resolve(jar.getFileName()), jar);
        }
      }
    }
    link(lib, drivers);
    link(plugins.resolve("debezium"), OF_DEBEZIUM);
    link(plugins.resolve("avro"), OF_AVRO);
    name(plugins.resolve("avro"), "org.apache.kafka.connect.storage.Converter", AVRO_CONVERTER);
    return plugins;
  }

  /** As connect-plugin-path sync-manifests does for a plugin that does not name its classes. */
  private static void name(Path plugin, String service, String provider) throws IOException {
    try (JarOutputStream jar =
        new JarOutputStream(Files.newOutputStream(plugin.resolve("manifest.jar")))) {
      jar.putNextEntry(new JarEntry("META-INF/services/" + service));
      jar.write(provider.getBytes(StandardCharsets.UTF_8));
      jar.closeEntry();
    }
  }

  private static void link(Path plugin, List<String> libraries) throws IOException {
    Files.createDirectories(plugin);
    for (Path jar : classPath()) {
      String name = jar.getFileName().toString();
      if (libraries.stream().anyMatch(name::startsWith)) {
        Files.createSymbolicLink(plugin.resolve(name), jar);
      }
    }
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
