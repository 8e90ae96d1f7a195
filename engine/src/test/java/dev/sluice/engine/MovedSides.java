package dev.sluice.engine;

import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A PostgreSQL source, and a target to whose schema {@code shop} its applications are moved. */
public interface MovedSides extends AutoCloseable {
  EmbeddedPostgres source();

  /**
   * A task that is named like the source's database.
   *
   * @param settings of DMS
   */
  TaskFolder task(Path folder, String database, String settings) throws Exception;

  /** What the last statement returns: the first column of its rows. */
  default List<String> onSource(String database, String... statements) throws SQLException {
    try (Connection session = source().connect(database)) {
      return Sql.texts(session, statements);
    }
  }

  /** The same on the target. */
  List<String> onTarget(String... statements) throws SQLException;

  /** Makes room for the target's tables. */
  void createShop() throws SQLException;

  @Override
  void close();
}
