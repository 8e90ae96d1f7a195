package dev.sluice.sink.apply.plan;

import static dev.sluice.sink.apply.plan.ApplySession.attempt;

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
 * Keeps on the target which source tables there are and what their rows look like, and holds each
 * target table to one of them: rows of two would be told apart by nothing, and one that changes or
 * goes would take the other's along. Owned by the apply thread.
 */
public final class SourceShapes {
  private final RowShapeTable shapes;
  private final UnaryOperator<TableId> targetOf;

  /**
   * @param targetOf the target table of a source table
   */
  public SourceShapes(RowShapeTable shapes, UnaryOperator<TableId> targetOf) {
    this.shapes = shapes;
    this.targetOf = targetOf;
  }

  /** What the target knows, in the place of what the session does. */
  public void read(ApplySession session) throws SQLException {
    session.shapes().begin(shapes.read(session.connection()));
  }

  /**
   * To be asked before a table is changed.
   *
   * @throws SluiceException.Fatal where its target table has the rows of another one
   */
  void requireOnly(ApplySession session, TableId source) {
    RowShapes known = session.shapes();
    if (known.last(source).isEmpty()) {
      refuseBeside(known, source);
    }
  }

  /** The same before a table is emptied, which a look at the end would come too late for. */
  void requireOnlyNow(ApplySession session, TableId source) {
    if (session.shapes().last(source).isEmpty()) {
      attempt(
          "read which source tables there are",
          () -> {
            read(session);
            return null;
          });
      refuseBeside(session.shapes(), source);
    }
  }

  /**
   * The same of the tables that a statement has made or renamed, and {@link RowShapes} knows of.
   */
  void requireOnly(ApplySession session, List<DefinitionChange> changes) {
    for (DefinitionChange change : changes) {
      if (change.after() != null) {
        refuseBeside(session.shapes(), change.after().table());
      }
    }
  }

  /**
   * Keeps what the open transaction has met, right before it commits. Another task of a connector
   * may have met the neighbour of a new table since this session began: of the two the later one
   * sees the other.
   *
   * @throws SluiceException.Fatal where that is so
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
              "target table " + targetOf.apply(source),
              "has the rows of %s, and would get those of %s".formatted(other.get(), source),
              "one source table for each target table",
              "Leave one of them out, or give it a target table of its own: by ${schema} in"
                  + " target.table on Kafka Connect, else by TargetSchema or the transformation"
                  + " rules. Where %s is gone from the source for good, delete its row in row_shape"
                      .formatted(other.get())
                  + " of the control schema"));
    }
  }
}
