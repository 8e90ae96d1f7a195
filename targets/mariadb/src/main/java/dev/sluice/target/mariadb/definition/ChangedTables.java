package dev.sluice.target.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ddl.TableDefinition.Partition;
import dev.sluice.load.target.FoundTable;
import dev.sluice.sink.target.ApartChange;
import dev.sluice.sink.target.NeededApart;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.target.mariadb.catalog.BoundedAlter;
import dev.sluice.target.mariadb.catalog.Shown;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * ALTER TABLE commits, so it is executed before the window that contains the change. The server
 * executes such a statement completely or not at all. So after a crash the table's name and columns
 * show whether it was executed. A change that they would not show is refused.
 */
/**
 * Alters and renames the tables that the source alters and renames while a task runs. Owned by the
 * connection's thread.
 */
final class ChangedTables {
  private static final Logger LOG = LoggerFactory.getLogger(ChangedTables.class);

  private final ServerKind server;
  private final TargetConnection connection;

  ChangedTables(ServerKind server, TargetConnection connection) {
    this.server = server;
    this.connection = connection;
  }

  /**
   * @throws NeededApart if the table does not have the change yet
   * @throws SluiceException.Data if the table cannot be changed like this
   */
  void require(ApartChange change) throws SQLException {
    if (isOfPartition(change)) {
      return;
    }
    Step step = next(connection, change);
    if (!step.isEmpty()) {
      throw new Needed(change, step);
    }
    step.notReplicated()
        .forEach(what -> LOG.info("table {}: {} is not replicated", change.now(), what));
  }

  /** The target has the rows of a partition in its root table, so there is no table to change. */
  private boolean isOfPartition(ApartChange change) {
    Partition before = change.change().before().partition();
    Partition after = change.change().after().partition();
    if (before == null && after == null) {
      return false;
    }
    if (before == null || after == null || !before.root().equals(after.root())) {
      throw refused(
          change.now(),
          "became a partition or was one, and %s has the rows of partitions in their root"
              .formatted(server.label()));
    }
    return true;
  }

  private Step next(TargetConnection session, ApartChange change) throws SQLException {
    Optional<FoundTable> old = MariadbFoundTables.find(session, change.was());
    Optional<FoundTable> renamed =
        change.renames() ? MariadbFoundTables.find(session, change.now()) : Optional.empty();
    if (old.isPresent() && renamed.isPresent()) {
      throw refused(change.now(), "cannot be renamed from %s: both exist".formatted(change.was()));
    }
    FoundTable found =
        old.or(() -> renamed)
            .orElseThrow(() -> refused(change.now(), "is not there to be altered"));
    requireAlterable(found, change);
    Alteration alteration =
        new Alteration(server, change, AlterableTable.read(session, found.table()));
    List<String> clauses = new ArrayList<>(alteration.clauses());
    if (change.renames() && old.isPresent()) {
      requireName(session, change.now());
      clauses.addAll(renaming(found, change));
    }
    return new Step(found.table(), clauses, alteration.defaults(), alteration.notReplicated());
  }

  private static void requireAlterable(FoundTable found, ApartChange change) {
    if (!found.ordinary()) {
      throw refused(found.table(), "is a " + found.kind());
    }
    if (change.mark().isPresent() && change.mark().get().isAnothersIn(found.comment())) {
      throw refused(found.table(), "was made by another task");
    }
  }

  private void requireName(TargetConnection session, TableId name) throws SQLException {
    Optional<Problem> problem = session.dialect().checks().name(session, name);
    if (problem.isPresent()) {
      throw refused(name, "cannot have that name: " + problem.get());
    }
    if (!name.schema().equals(session.jdbc().getCatalog())) {
      throw refused(
          name,
          "would be in another database than that of target.url, to which a task does not write");
    }
  }

  /** The parts of ALTER TABLE that rename a table, with its mark if the task made it. */
  private static List<String> renaming(FoundTable found, ApartChange change) {
    List<String> clauses = new ArrayList<>();
    change
        .mark()
        .filter(mark -> mark.isOf(found.table(), found.comment()))
        .ifPresent(mark -> clauses.add("COMMENT = " + Shown.text(mark.commentOf(change.now()))));
    clauses.add("RENAME TO " + change.now().quoted());
    return clauses;
  }

  private static SluiceException refused(TableId table, String why) {
    return new SluiceException.Data(
        "target table %s %s; load the table again".formatted(table, why), null);
  }

  /**
   * The statements that change a table.
   *
   * @param table its present name
   * @param clauses of one ALTER TABLE
   * @param defaults of a second one, after it
   * @param notReplicated for messages
   */
  private record Step(
      TableId table, List<String> clauses, List<String> defaults, List<String> notReplicated) {
    boolean isEmpty() {
      return clauses.isEmpty() && defaults.isEmpty();
    }

    String sql() {
      return String.join(", ", clauses.isEmpty() ? defaults : clauses);
    }
  }

  /** Makes the change, on a session without an open transaction. */
  private final class Needed extends NeededApart {
    private static final long serialVersionUID = 1;

    private final transient ApartChange change;

    Needed(ApartChange change, Step step) {
      super("alter table %s: %s".formatted(step.table(), step.sql()));
      this.change = change;
    }

    @Override
    public void make(TargetConnection session) throws SQLException {
      Step step = next(session, change);
      while (!step.isEmpty()) {
        run(session, step);
        Step behind = next(session, change);
        if (behind.sql().equals(step.sql())) {
          throw refused(step.table(), "is not altered after " + step.sql());
        }
        step = behind;
      }
    }

    private void run(TargetConnection session, Step step) throws SQLException {
      session.rollback();
      session.execute("SET SESSION foreign_key_checks = 1");
      try {
        BoundedAlter.run(server, session, step.table(), BoundedAlter.SECONDS, step.sql());
        LOG.info("table {} altered on the target: {}", step.table(), step.sql());
      } finally {
        session.execute("SET SESSION foreign_key_checks = 0");
      }
    }
  }
}
