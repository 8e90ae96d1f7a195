package dev.sluice.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.load.target.FoundTable;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.load.target.TableMaking;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The tables of the target with the mark of the task that made them. Only the database that the url
 * names is checked, since tasks write to no other. Used by one thread.
 */
public final class MarkedTables {
  private final TargetServer target;
  private final TableMaking making;
  private final DropGuard guard;

  private MarkedTables(TargetServer target, TableMaking making, RowGuard rows) {
    this.target = target;
    this.making = making;
    this.guard = new DropGuard(making, rows, true);
  }

  /**
   * @param rows with the mark of the task
   * @return empty if tables of such a target carry no marks, or the task has none
   */
  public static Optional<MarkedTables> on(TargetServer target, RowGuard rows) {
    return LoadDialects.of(target.dialect())
        .making()
        .filter(making -> rows.mark().isPresent())
        .map(making -> new MarkedTables(target, making, rows));
  }

  /**
   * Those of the tables that another task made, one problem for each. No task loads them, however
   * its tables are prepared. Changes nothing; on a target without marks there are none.
   */
  public static List<Problem> anothers(
      TargetServer target, RowGuard rows, Collection<TableId> tables) {
    return on(target, rows).map(marked -> marked.anothers(tables)).orElse(List.of());
  }

  private List<Problem> anothers(Collection<TableId> tables) {
    try (TargetConnection connection = target.borrow()) {
      return making.commented(connection).stream()
          .filter(found -> tables.contains(found.table()))
          .flatMap(found -> guard.anothers(found).stream())
          .toList();
    } catch (SQLException e) {
      throw target.errors().classify("look for tables of other tasks on the target", e);
    }
  }

  /**
   * The tables that a removed task had made. Immutable.
   *
   * @param any whether the mark was taken off one of them
   * @param left statements that take it off the others, each with the server's reason, for messages
   */
  public record GivenUp(boolean any, List<String> left) {
    public GivenUp {
      left = List.copyOf(left);
    }
  }

  /**
   * Takes the task's mark off all tables that it made: they belong to the user then. Nobody may run
   * the task meanwhile. A table that somebody uses keeps it, since others would wait behind; so
   * does one that the server does not alter.
   */
  public GivenUp giveUp() {
    try (TargetConnection connection = target.borrow()) {
      boolean any = false;
      List<String> left = new ArrayList<>();
      for (FoundTable table : making.commented(connection)) {
        if (guard.isMade(table)) {
          Optional<String> refused = making.removeComment(connection, table.table());
          any |= refused.isEmpty();
          refused.ifPresent(
              reason ->
                  left.add("%s (%s)".formatted(making.withoutComment(table.table()), reason)));
        }
      }
      return new GivenUp(any, left);
    } catch (SQLException e) {
      throw target.errors().classify("take the task's mark off its tables", e);
    }
  }
}
