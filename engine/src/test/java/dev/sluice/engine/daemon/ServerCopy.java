package dev.sluice.engine.daemon;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;

/** Copies of a server's data directory: a file-level backup, or a base backup for a standby. */
final class ServerCopy {
  /** As {@code pg_basebackup} does: the log is streamed, and slots are not copied. */
  private static final List<String> NOT_IN_BACKUP =
      List.of("pg_wal", "pg_replslot", "postmaster.pid", "postmaster.opts", "epg-lock");

  private ServerCopy() {}

  /** Copies the data of a server that does not run, with its log and its slots. */
  static void ofStopped(Path data, Path copy) throws IOException {
    copy(data, copy, List.of("epg-lock"));
  }

  /**
   * Makes a streaming standby of a running server.
   *
   * @param directory to be created; a server started there follows the primary
   */
  static void standbyOf(EmbeddedPostgres primary, Path directory) throws Exception {
    try (Connection connection = primary.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_backup_start('standby', true)");
      copy(primary.directory(), directory, NOT_IN_BACKUP);
      Files.createDirectories(directory.resolve("pg_wal/archive_status"));
      Files.createDirectories(directory.resolve("pg_wal/summaries"));
      Files.createDirectories(directory.resolve("pg_replslot"));
      try (ResultSet row = statement.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
        row.next();
        Files.writeString(directory.resolve("backup_label"), row.getString(1));
      }
    }
    Files.writeString(
        directory.resolve("postgresql.auto.conf"),
        "primary_conninfo = 'host=127.0.0.1 port=%d user=postgres'\n".formatted(primary.port()));
    Files.createFile(directory.resolve("standby.signal"));
  }

  private static void copy(Path data, Path copy, List<String> leftOut) throws IOException {
    try (Stream<Path> files = Files.walk(data)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Path name = data.relativize(file);
        if (leftOut.contains(name.getName(0).toString())) {
          continue;
        }
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy.resolve(name.toString()));
        } else {
          copyFile(file, copy.resolve(name.toString()));
        }
      }
    }
    // The server refuses data that others may read.
    Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwx------"));
  }

  private static void copyFile(Path file, Path copy) throws IOException {
    try {
      Files.copy(file, copy);
    } catch (NoSuchFileException e) {
      // A running server deletes files; the log that the standby replays does so as well.
    }
  }
}
