package dev.sluice.load.target;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetDialect;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What one kind of target database needs in order to be loaded, beside its {@link TargetDialect}.
 * Steps, marks, bad rows and the order of things are the same for every kind. Whoever implements a
 * target implements this, and names the class in {@code META-INF/services}: {@link LoadDialects}
 * finds it there. Stateless, threadsafe.
 *
 * <p>What takes a connection acts in its open transaction, which the caller ends.
 */
public interface LoadDialect {

  /** The type of target, as {@link TargetDialect#type} has it. */
  String type();

  /** Whether rows of a segment may come in the binary format; if not, they come as text. */
  default boolean takesBinary() {
    return false;
  }

  /**
   * How many bytes of a step are kept, so that it may be sent again if another transaction was
   * faster; 0 where a load has nobody beside it who could be.
   */
  default long bytesSentAgain() {
    return 0;
  }

  /**
   * How many workers suit the target, where the task file names no number; empty if as many as the
   * setting has by default. No more than that: each is a session on the source, too.
   *
   * @throws dev.sluice.config.document.SluiceException if the target cannot be reached
   */
  default OptionalInt usualWorkers(TargetServer target) {
    return OptionalInt.empty();
  }

  /**
   * How many workers suit the target while it is loaded, where the task file names no number; empty
   * if that does not change.
   *
   * @param most of the load
   */
  default Optional<WorkerAdvice> workerAdvice(TargetServer target, int most) {
    return Optional.empty();
  }

  /** Starts to send rows of a segment to a table. */
  RowStream rows(TargetConnection connection, TableId table, CopyLayout layout) throws SQLException;

  FileRows files();

  /**
   * Makes tables where DDL is not part of a transaction; empty if it is, and the source's
   * statements are run instead.
   */
  default Optional<TableMaking> making() {
    return Optional.empty();
  }

  TableReader tables();

  /**
   * Deletes all rows of these tables and of their partitions, and no others: a table that refers to
   * one of them keeps its rows. It first locks the tables, so that an earlier attempt's open
   * transaction ends before, and its rows go too.
   */
  void empty(TargetConnection connection, List<TableId> tables) throws SQLException;

  /**
   * Why the server cannot lock so many tables in the transaction that creates them; empty if it
   * can, or if each is prepared alone.
   *
   * @param dropped those that are dropped in the same transaction, if they are there
   */
  default Optional<Problem> lockingAllMade(
      TargetConnection connection, List<TableId> tables, List<TableId> dropped)
      throws SQLException {
    return Optional.empty();
  }

  /** The same for the transaction that empties them. */
  default Optional<Problem> lockingAllEmptied(TargetConnection connection, List<TableId> tables)
      throws SQLException {
    return Optional.empty();
  }

  /**
   * Those of the tables that depend on some of them, over however many other objects, and these;
   * all where the target does not tell.
   */
  default List<TableId> dependents(
      TargetConnection connection, List<TableId> some, List<TableId> among) throws SQLException {
    return among;
  }

  /**
   * Starts to collect keys of a table.
   *
   * @param number unique in the transaction
   * @param columns the columns of its key
   */
  StaleKeys staleKeys(TargetConnection connection, int number, TableId table, List<String> columns)
      throws SQLException;

  TargetSequences sequences();

  ForeignKeys foreignKeys();
}
