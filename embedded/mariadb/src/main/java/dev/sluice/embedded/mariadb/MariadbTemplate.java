package dev.sluice.embedded.mariadb;

import dev.sluice.embedded.FolderTree;
import dev.sluice.embedded.PreparedFolder;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The data of a new server, created once beside the binaries and copied for each server. Stateless.
 */
final class MariadbTemplate {
  private static final List<String> SCRIPTS =
      List.of(
          "mariadb_system_tables.sql",
          "mariadb_performance_tables.sql",
          "mariadb_system_tables_data.sql",
          "mariadb_sys_schema.sql");

  private MariadbTemplate() {}

  /** Copies the data into an empty directory. */
  static void copyTo(Path directory, MariadbBinaries binaries) throws IOException {
    PreparedFolder template = new PreparedFolder(binaries.folder().getParent(), "data-11.4.5");
    FolderTree.copy(template.filledBy(begun -> initialize(begun, binaries)), directory);
  }

  /** As {@code mariadb-install-db} does. */
  private static void initialize(Path begun, MariadbBinaries binaries) throws IOException {
    Files.createDirectories(begun);
    ServerProcess process =
        ServerProcess.start(
            binaries.program(),
            begun,
            List.of("--bootstrap", "--enforce-storage-engine="),
            Map.of());
    try (OutputStream statements = process.input()) {
      send(statements, "CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket=NULL;\n");
      for (String script : SCRIPTS) {
        statements.write(Files.readAllBytes(binaries.folder().resolve("share").resolve(script)));
      }
      send(
          statements,
          """

          DELETE FROM mysql.global_priv WHERE User <> 'mariadb.sys';
          INSERT INTO mysql.global_priv VALUES ('%', 'root', '{"access":18446744073709551615}');
          CREATE DATABASE IF NOT EXISTS test;
          """);
    }
    process.requireEnd();
  }

  private static void send(OutputStream statements, String text) throws IOException {
    statements.write(text.getBytes(StandardCharsets.UTF_8));
  }
}
