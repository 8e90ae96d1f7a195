package dev.sluice.embedded.postgres;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The data of a new server, created once and copied for each server of the tests: a copy takes a
 * tenth of the time of {@code initdb}. Used only if the system property {@code
 * sluice.postgres.templates} names a folder for it, since all copies share one system identifier.
 * Threadsafe, also between processes.
 */
final class PostgresTemplate {
  private static final String FOLDER = "sluice.postgres.templates";

  /** Files that a stopped server leaves and a copy must not have. */
  private static final List<String> LEFT_BEHIND =
      List.of("epg-lock", "postmaster.opts", "postmaster.pid");

  private final Path folder;
  private final PostgresVersion version;

  private PostgresTemplate(Path folder, PostgresVersion version) {
    this.folder = folder;
    this.version = version;
  }

  /** The template of a version; empty if the system property is not set. */
  static Optional<PostgresTemplate> of(PostgresVersion version) {
    return Optional.ofNullable(System.getProperty(FOLDER))
        .filter(folder -> version != PostgresVersion.INSTALLED)
        .map(folder -> new PostgresTemplate(Path.of(folder), version));
  }

  /** Copies the data into an empty directory. */
  void copyTo(Path directory) throws IOException {
    Path template = made();
    try (Stream<Path> files = Files.walk(template)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Path copy = directory.resolve(template.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
    }
    // The server refuses data that others may read.
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
  }

  private Path made() throws IOException {
    String name = version.name().toLowerCase(Locale.ROOT);
    Path template = folder.resolve(name);
    synchronized (PostgresTemplate.class) {
      if (Files.exists(template)) {
        return template;
      }
      Files.createDirectories(folder);
      try (FileChannel channel =
              FileChannel.open(
                  folder.resolve(name + ".lock"),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE);
          FileLock lock = channel.lock()) {
        if (lock.isValid() && !Files.exists(template)) {
          Path begun = folder.resolve(name + ".begun");
          delete(begun);
          EmbeddedPostgres.builder()
              .version(version)
              .directory(begun)
              .startWithoutTemplate()
              .close();
          for (String file : LEFT_BEHIND) {
            Files.deleteIfExists(begun.resolve(file));
          }
          Files.move(begun, template, StandardCopyOption.ATOMIC_MOVE);
        }
      }
      return template;
    }
  }

  static void delete(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
