package dev.sluice.embedded.mariadb;

import dev.sluice.embedded.FolderTree;
import dev.sluice.embedded.PreparedFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The program {@code mysqld} that somebody has put on this machine. Immutable.
 *
 * @param file the program, or a script that becomes it
 */
record MysqlProgram(Path file) {
  private static final String PROPERTY = "sluice.mysqld";
  private static final String VARIABLE = "SLUICE_MYSQLD";

  private static final String USERS =
      """
      CREATE USER root@'%';
      GRANT ALL ON *.* TO root@'%' WITH GRANT OPTION;
      CREATE DATABASE test;
      """;

  /** The program of this machine; empty if none is named. */
  static Optional<MysqlProgram> found() {
    return Optional.ofNullable(System.getProperty(PROPERTY))
        .filter(name -> !name.isBlank())
        .or(() -> Optional.ofNullable(System.getenv(VARIABLE)))
        .filter(name -> !name.isBlank())
        .map(name -> new MysqlProgram(Path.of(name).toAbsolutePath()));
  }

  /** The program, with the options that each server has. */
  List<String> command() {
    return List.of(
        file.toString(),
        "--no-defaults",
        // The files of a new server are small enough to be copied for each test.
        "--innodb-data-file-path=ibdata1:5M:autoextend",
        "--innodb-autoextend-increment=2",
        "--innodb-redo-log-capacity=32M");
  }

  /** Copies the data of a new server, which are made once, into an empty directory. */
  void copyNewData(Path directory) throws IOException {
    PreparedFolder template =
        new PreparedFolder(
            WorkingFolder.path(), "data-mysql-" + Integer.toHexString(version().hashCode()));
    FolderTree.copy(template.filledBy(this::initialize), directory);
    // Each server has an identity of its own.
    Files.deleteIfExists(directory.resolve("auto.cnf"));
  }

  /** As the program prints it. */
  private String version() throws IOException {
    Process process = new ProcessBuilder(file.toString(), "--no-defaults", "--version").start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private void initialize(Path begun) throws IOException {
    Files.createDirectories(begun);
    Path users = Files.createTempFile("sluice-mysql-", ".sql");
    try {
      Files.writeString(users, USERS);
      // The server wants an empty directory, and this one has its log.
      Path data = begun.resolve("data");
      Files.createDirectories(data);
      ServerProcess.start(
              command(),
              begun,
              List.of(
                  "--datadir=" + data,
                  "--initialize-insecure",
                  "--init-file=" + users,
                  "--auto-generate-certs=OFF",
                  "--caching-sha2-password-auto-generate-rsa-keys=OFF",
                  "--performance-schema=OFF",
                  "--innodb-use-native-aio=OFF",
                  "--innodb-doublewrite=OFF"),
              Map.of())
          .requireEnd();
      try (var files = Files.list(data)) {
        for (Path file : (Iterable<Path>) files::iterator) {
          Files.move(file, begun.resolve(file.getFileName()));
        }
      }
      Files.delete(data);
    } finally {
      Files.delete(users);
    }
  }
}
