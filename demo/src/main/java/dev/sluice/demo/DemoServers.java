package dev.sluice.demo;

import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopTransactions;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The demo's two servers: what a migration needs to know of the source's kind of database. Owned by
 * the demo's thread; the workload's threads open connections.
 */
sealed interface DemoServers extends AutoCloseable
    permits PostgresServers, MariadbServers, ToMariadbServers {
  /** The name of the database on both servers. */
  String DATABASE = "shop";

  /** Starts the target, with its database. */
  static EmbeddedPostgres startTarget(Path folder) throws SQLException {
    EmbeddedPostgres target =
        EmbeddedPostgres.builder().directory(folder.resolve("target")).start();
    try {
      target.createDatabase(DATABASE);
      return target;
    } catch (SQLException | RuntimeException e) {
      target.close();
      throw e;
    }
  }

  /** Makes the shop on the source, and what a DBA prepares for a task. */
  void prepare(ShopScale scale) throws SQLException;

  Connection connectSource() throws SQLException;

  /** The statements of the workload. */
  ShopTransactions transactions();

  /** The section {@code source} of the task file. */
  String sourceSection();

  int targetPort();

  /** The section {@code target} of the task file. */
  String targetSection();

  /** That section for a target of PostgreSQL. */
  static String postgresSection(EmbeddedPostgres target) {
    return """
        target:
          type: postgresql
          url: postgresql://postgres@127.0.0.1:%d/%s
          password: the-servers-trust-this-machine\
        """
        .formatted(target.port(), DATABASE);
  }

  /**
   * Cuts over, after the workload has stopped.
   *
   * @return whether the target can be used
   */
  boolean cutOver(DemoSteps steps, String task) throws SQLException;

  /** Compares every row of both sides after the cutover, and prints what was found. */
  boolean areEqual(DemoSteps steps, String task);

  @Override
  void close();
}
