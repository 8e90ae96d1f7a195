package dev.sluice.sink.apply.plan;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.sink.control.position.RowShapeTable;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Stores the row schema of each source table on the target, and allows only one source table for
 * each target table. Rows of two source tables could not be distinguished there, so changes of one
 * would hit rows of the other. Owned by the apply thread.
 */
public final class SourceShapes {
  private final RowShapeTable shapes;
  private final UnaryOperator<TableId> targetOf;

  /**
   * @param targetOf maps a source table to its target table
   */
  public SourceShapes(RowShapeTable shapes, UnaryOperator<TableId> targetOf) {
    this.shapes = shapes;
    this.targetOf = targetOf;
  }

  /** The target table of a source table. */
  TableId target(TableId source) {
    return targetOf.apply(source);
  }

  /** Replaces the session's row schemas by those stored on the target. */
  public void read(ApplySession session) throws SQLException {
    session.shapes().begin(shapes.read(session.connection()));
  }

  /**
   * Call it before a table is changed.
   *
   * @throws SluiceException.Fatal if its target table has the rows of another source table
   */
  void requireOnly(ApplySession session, TableId source) {
    RowShapes known = session.shapes();
    if (known.last(source).isEmpty()) {
      refuseBeside(known, source);
    }
  }

  /** The same before a table is emptied, when a check at the commit would be too late. */
  void requireOnlyNow(ApplySession session, TableId source) {
    if (session.shapes().last(source).isEmpty()) {
      session.attempt(
          "read which source tables there are",
          () -> {
            read(session);
            return null;
          });
      refuseBeside(session.shapes(), source);
    }
  }

  /** The same for tables that a DDL statement created or renamed. */
  void requireOnly(ApplySession session, List<DefinitionChange> changes) {
    for (DefinitionChange change : changes) {
      if (change.after() != null) {
        refuseBeside(session.shapes(), change.after().table());
      }
    }
  }

  /**
   * Stores the schemas of the open transaction, right before it commits. Another connector task may
   * have stored a second source table of the same target table since this session began; the later
   * one finds it.
   *
   * @throws SluiceException.Fatal if a target table has two source tables
   */
  public void write(ApplySession session) throws SQLException {
    RowShapes known = session.shapes();
    Set<TableId> met = known.found();
    if (!met.isEmpty()) {
      known.begin(shapes.readAlone(session.connection()));
      met.forEach(source -> refuseBeside(known, source));
    }
    shapes.write(session.connection(), known.changed());
  }

  private void refuseBeside(RowShapes known, TableId source) {
    Optional<TableId> other = known.besides(source, targetOf);
    if (other.isPresent()) {
      throw new SluiceException.Fatal(
          new Problem(
              "target table " + target(source),
              "has the rows of %s, and would get those of %s".formatted(other.get(), source),
              "one source table for each target table",
              "Deselect one of them, or give it a target table of its own: by ${schema} in"
                  + " target.table on Kafka Connect, else by TargetSchema or the transformation"
                  + " rules. If %s was dropped on the source for good, delete its row in row_shape"
                      .formatted(other.get())
                  + " of the control schema"));
    }
  }
}
