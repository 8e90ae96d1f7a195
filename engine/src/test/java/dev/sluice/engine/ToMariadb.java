package dev.sluice.engine.daemon;

import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A PostgreSQL source and a MariaDB target, whose schema is {@code shop}. */
record ToMariadb(EmbeddedPostgres source, EmbeddedMariadb target) implements AutoCloseable {
  static ToMariadb start() {
    return new ToMariadb(EmbeddedPostgres.start(), EmbeddedMariadb.builder().fsync().start());
  }

  /**
   * A task that is named like the source's database.
   *
   * @param settings of DMS
   */
  TaskFolder task(Path folder, String database, String settings) throws Exception {
    return TaskFolder.of(
            folder.resolve(database), database, source.port(), target.port(), database, "shop")
        .replacing(
            "type: postgresql\n  url: postgresql://postgres@127.0.0.1:%d/%s\n  password: ${env:HOME}"
                .formatted(target.port(), database),
            "type: mariadb\n  url: mariadb://root@127.0.0.1:%d/shop".formatted(target.port()))
        .settings(settings);
  }

  /** What the last statement returns: the first column of its rows. */
  List<String> onSource(String database, String... statements) throws SQLException {
    try (Connection session = source.connect(database)) {
      return texts(session, statements);
    }
  }

  /** The same on the target. */
  List<String> onTarget(String... statements) throws SQLException {
    try (Connection session = target.connect()) {
      return texts(session, statements);
    }
  }

  private static List<String> texts(Connection session, String... statements) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (Statement statement = session.createStatement()) {
      for (String sql : statements) {
        texts.clear();
        if (statement.execute(sql)) {
          try (ResultSet row = statement.getResultSet()) {
            while (row.next()) {
              texts.add(row.getString(1));
            }
          }
        }
      }
    }
    return texts;
  }

  @Override
  public void close() {
    source.close();
    target.close();
  }
}
