package dev.sluice.demo;

import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopTransactions;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.BiFunction;

/**
 * The demo's two servers: what a migration needs to know of the kinds of their databases. Owned by
 * the demo's thread; the workload's threads open connections.
 */
sealed interface DemoServers extends AutoCloseable
    permits PostgresServers, MariadbServers, ToMariadbServers {

  /** Starts a server. */
  interface Start<S extends DemoServer> {
    S in(Path folder) throws SQLException;
  }

  /** Starts both, each in a folder of its own. */
  static <S extends DemoServer, T extends DemoServer, B extends DemoServers> B start(
      Path folder, Start<S> source, Start<T> target, BiFunction<S, T, B> both) throws SQLException {
    S started = source.in(folder.resolve("source"));
    try {
      return both.apply(started, target.in(folder.resolve("target")));
    } catch (SQLException | RuntimeException e) {
      started.close();
      throw e;
    }
  }

  DemoServer source();

  DemoServer target();

  /** Makes the shop on the source, and what a DBA prepares for a task. */
  void prepare(ShopScale scale) throws SQLException;

  default Connection connectSource() throws SQLException {
    return source().connect();
  }

  /** The statements of the workload. */
  ShopTransactions transactions();

  /** The sections {@code source} and {@code target} of the task file. */
  default String sections() {
    return source().section("source") + "\n" + target().section("target");
  }

  /**
   * Cuts over, after the workload has stopped.
   *
   * @return whether the target can be used
   */
  boolean cutOver(DemoSteps steps, String task) throws SQLException;

  /** Compares every row of both sides after the cutover, and prints what was found. */
  default boolean areEqual(DemoSteps steps, String task) {
    return steps.command("validate", task) == 0;
  }

  @Override
  default void close() {
    try {
      target().close();
    } finally {
      source().close();
    }
  }
}
