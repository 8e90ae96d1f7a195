package dev.sluice.load.target;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.sink.target.NeededApart;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetTable;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * CREATE TABLE commits, so the table is made before the window that has it, and the window begins
 * again. Its rows are committed with the checkpoint. So whenever the window comes once more, the table
 * is there with the mark of the task, and without rows. What is there otherwise is another's table.
 */
/**
 * Makes the tables that the source gets while a task runs, as a load makes them: with columns, key,
 * counter and constant defaults. Owned by the connection's thread.
 */
public final class AddedTables {
  private static final Logger LOG = LoggerFactory.getLogger(AddedTables.class);

  private final TargetConnection connection;
  private final TableMaking making;
  private final Rules rules;

  /** What differs between the kinds of targets. */
  public interface Rules {

    /** The kind of target, for messages. */
    String label();

    /** A table of the source's DDL, as a load describes it. */
    TableOutline outline(TableDefinition definition, TableId table);

    /** Why no table of that name is made; empty if one is. */
    Optional<String> objection(TableOutline outline) throws SQLException;

    /** Whether the table that is there keeps each value of the source's column. */
    boolean fits(OutlinedColumn column, TableOutline outline, TargetTable found);
  }

  public AddedTables(TargetConnection connection, TableMaking making, Rules rules) {
    this.connection = connection;
    this.making = making;
    this.rules = rules;
  }

  /**
   * @throws NeededApart if the table has to be made
   * @throws SluiceException.Data if it cannot be made, or another one has its name
   */
  public void require(TableDefinition definition, TableId table, TaskMark mark)
      throws SQLException {
    TableOutline outline = rules.outline(definition, table);
    MadeTable made = making.of(List.of(outline)).get(0);
    requireMakeable(made);
    Optional<FoundTable> found = making.find(connection, table);
    if (found.isEmpty()) {
      throw new Needed(made, mark.commentOf(table));
    }
    requireOwn(found.get(), outline, mark);
  }

  private void requireMakeable(MadeTable made) throws SQLException {
    if (!made.problems().isEmpty()) {
      throw refused(
          made.problems().stream().map(Problem::toString).collect(Collectors.joining("\n")));
    }
    if (made.outline().key().isEmpty()) {
      throw refused(
          "source table %s has no primary key, which identifies its rows on %s"
              .formatted(made.outline().source(), rules.label()));
    }
    Optional<Problem> name = connection.dialect().checks().name(connection, made.table());
    if (name.isPresent()) {
      throw refused(name.get().toString());
    }
    Optional<String> objection = rules.objection(made.outline());
    if (objection.isPresent()) {
      throw refused(objection.get());
    }
  }

  /** The rows of a window are not there before it. */
  private void requireOwn(FoundTable found, TableOutline outline, TaskMark mark)
      throws SQLException {
    TableId table = found.table();
    String why = null;
    if (!found.ordinary() || !mark.isOf(table, found.comment())) {
      why = "this task has not made it";
    } else if (connection.exists("SELECT 1 FROM " + table.quoted() + " LIMIT 1")) {
      why = "it has rows";
    } else if (!hasColumns(outline)) {
      why = "it has other columns, columns of other types, or another key";
    }
    if (why != null) {
      throw refused(
          "source table %s is new, and target table %s exists already: %s. Check what it is, and rename it or drop it on the target; then run sluice reload"
              .formatted(outline.source(), table, why));
    }
  }

  private boolean hasColumns(TableOutline outline) throws SQLException {
    Optional<TargetTable> found =
        connection.dialect().catalog().table(connection.jdbc(), outline.table());
    return found.isPresent()
        && found.get().columns().stream()
            .map(TargetColumn::name)
            .toList()
            .equals(outline.columns().stream().map(OutlinedColumn::name).toList())
        && outline.columns().stream().allMatch(column -> fits(column, outline, found.get()))
        && found.get().indexes().stream()
            .anyMatch(index -> Set.copyOf(index.uniqueKey()).equals(Set.copyOf(outline.key())));
  }

  /** One that stayed when the source dropped its table may round the values of the new one. */
  private boolean fits(OutlinedColumn column, TableOutline outline, TargetTable found) {
    TargetColumn there = found.column(column.name()).orElseThrow();
    return there.notNull() == column.notNull() && rules.fits(column, outline, found);
  }

  private static SluiceException refused(String why) {
    return new SluiceException.Data(why, null);
  }

  /** The table, which is made over a session without an open transaction. */
  private final class Needed extends NeededApart {
    private static final long serialVersionUID = 1;

    private final transient MadeTable table;
    private final String comment;

    Needed(MadeTable table, String comment) {
      super("create table " + table.table());
      this.table = table;
      this.comment = comment;
    }

    @Override
    public void make(TargetConnection session) throws SQLException {
      try {
        making.create(session, table, comment);
      } catch (SQLException e) {
        if (!making.isThere(e) || !isThere(session)) {
          throw e;
        }
        // Of an attempt whose answer was lost, or another's: the window looks again.
        return;
      }
      LOG.info("table {} created on the target", table.table());
      table.leftOut().forEach(left -> LOG.warn("not made with table {}: {}", table.table(), left));
    }

    /** Or something else is that the table needs, such as the name of its key. */
    private boolean isThere(TargetConnection session) throws SQLException {
      session.rollback();
      boolean isThere = making.find(session, table.table()).isPresent();
      session.rollback();
      return isThere;
    }
  }
}
