package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.load.target.FoundTable;
import dev.sluice.sink.target.ApartChange;
import dev.sluice.sink.target.DdlStatements;
import dev.sluice.sink.target.NeededApart;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetDefinitions;
import dev.sluice.sink.target.TargetDefinitions.Found;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Each statement takes effect at once and cannot be rolled back, and may have been executed
 * although its answer was lost. So each attempt first reads on the target what is still to do: from
 * the table's name, and from the names, types and NOT NULL of its columns. A table gets its new
 * name last, and so does a column that needs several statements. A change that the target would not
 * show is refused.
 */
/**
 * Alters and renames the tables that the source alters and renames while a task runs. Owned by the
 * connection's thread.
 */
final class YugabyteAlteredTables {
  private static final Logger LOG = LoggerFactory.getLogger(YugabyteAlteredTables.class);

  private final TargetConnection connection;

  YugabyteAlteredTables(TargetConnection connection) {
    this.connection = connection;
  }

  /**
   * @throws NeededApart if the table does not have the change yet
   * @throws SluiceException.Data if the table cannot be changed like this
   */
  void require(ApartChange change) throws SQLException {
    Step step = next(connection, change);
    if (!step.statements().isEmpty()) {
      throw new Needed(change, step);
    }
    step.notReplicated()
        .forEach(what -> LOG.info("table {}: {} is not replicated", change.now(), what));
  }

  private Step next(TargetConnection session, ApartChange change) throws SQLException {
    Optional<FoundTable> old = YugabyteFoundTables.find(session, change.was());
    Optional<FoundTable> renamed =
        change.renames() ? YugabyteFoundTables.find(session, change.now()) : Optional.empty();
    if (old.isPresent() && renamed.isPresent()) {
      throw refused(change.now(), "cannot be renamed from %s: both exist".formatted(change.was()));
    }
    FoundTable found =
        old.or(() -> renamed)
            .orElseThrow(() -> refused(change.now(), "is not there to be altered"));
    TargetDefinitions definitions = session.dialect().definitions(session);
    Found table =
        definitions
            .find(found.table())
            .orElseThrow(() -> refused(found.table(), "is a " + found.kind()));
    DdlStatements ddl = session.dialect().ddl();
    YugabyteAlteration alteration =
        new YugabyteAlteration(ddl, change, table, definitions.hasRows(found.table()));
    List<String> statements = new ArrayList<>(alteration.statements());
    if (change.renames() && old.isPresent()) {
      statements.addAll(naming(session, ddl, found, change));
    }
    if (!statements.isEmpty()) {
      requireAlterable(found, change);
    }
    return new Step(found.table(), statements, alteration.notReplicated());
  }

  private static void requireAlterable(FoundTable found, ApartChange change) {
    if (!found.ordinary()) {
      throw refused(found.table(), "is a " + found.kind());
    }
    if (change.mark().isPresent() && change.mark().get().isAnothersIn(found.comment())) {
      throw refused(found.table(), "was made by another task");
    }
  }

  /** The mark for the new name is set first, since the table is complete once it has that name. */
  private static List<String> naming(
      TargetConnection session, DdlStatements ddl, FoundTable found, ApartChange change)
      throws SQLException {
    TableId was = found.table();
    TableId now = change.now();
    boolean isMoved = !was.schema().equals(now.schema());
    if (isMoved && !was.name().equals(now.name())) {
      throw refused(
          now,
          "would get another schema and another name than %s in one statement, which is not supported"
              .formatted(was));
    }
    List<String> statements = new ArrayList<>();
    if (isMoved
        && !session.dialect().controlDefinitions().hasSchema(session.jdbc(), now.schema())) {
      statements.add("CREATE SCHEMA IF NOT EXISTS " + TableId.quote(now.schema()));
    }
    change
        .mark()
        .filter(mark -> mark.isOf(was, found.comment()))
        .ifPresent(
            mark ->
                statements.add(
                    "COMMENT ON TABLE %s IS %s"
                        .formatted(was.quoted(), Literal.of(mark.commentOf(now)))));
    statements.add(isMoved ? ddl.moveToSchema(was, now.schema()) : ddl.rename(was, now.name()));
    return statements;
  }

  private static SluiceException refused(TableId table, String why) {
    return new SluiceException.Data(
        "target table %s %s; load the table again".formatted(table, why), null);
  }

  /**
   * The statements that change a table.
   *
   * @param table its present name
   * @param notReplicated for messages
   */
  private record Step(TableId table, List<String> statements, List<String> notReplicated) {
    String sql() {
      return String.join("; ", statements);
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
      CommittedStatements.underLock(session, change.was(), () -> alter(session));
    }

    private void alter(TargetConnection session) throws SQLException {
      List<String> last = List.of();
      SQLException rejection = null;
      for (Step step = next(session, change);
          !step.statements().isEmpty();
          step = next(session, change)) {
        if (step.statements().equals(last)) {
          throw rejection != null
              ? rejection
              : new SQLException(
                  "table %s is not altered after %s".formatted(step.table(), step.sql()));
        }
        last = step.statements();
        rejection = null;
        try {
          CommittedStatements.each(session, last);
          LOG.info("table {} altered on the target: {}", step.table(), step.sql());
        } catch (SQLException e) {
          if (!session.errors().faultOf(e).rejectsDefinition()) {
            throw e;
          }
          // An attempt whose answer was lost may have executed it. The target shows whether it did.
          rejection = e;
        }
      }
      session.rollback();
    }
  }
}
