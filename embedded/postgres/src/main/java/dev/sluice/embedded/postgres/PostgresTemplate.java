package dev.sluice.embedded.postgres;

import dev.sluice.embedded.FolderTree;
import dev.sluice.embedded.PreparedFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

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
    PreparedFolder template = new PreparedFolder(folder, version.name().toLowerCase(Locale.ROOT));
    FolderTree.copy(template.filledBy(this::initialize), directory);
    // The server refuses data that others may read.
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
  }

  private void initialize(Path begun) throws IOException {
    EmbeddedPostgres.builder().version(version).directory(begun).startWithoutTemplate().close();
    for (String file : LEFT_BEHIND) {
      Files.deleteIfExists(begun.resolve(file));
    }
  }
}
