package dev.sluice.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.connector.api.load.SequenceState.Use;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.load.target.TargetSequence;
import dev.sluice.load.target.TargetSequences;
import dev.sluice.load.target.TargetSequences.Owner;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Sets target sequences to the values of their source sequences. Owned by the thread that owns the
 * connection.
 */
public final class SequenceWriter {

  private final TargetConnection connection;
  private final TargetSequences sequences;
  private final UnaryOperator<TableId> targetOf;
  private final ColumnNames columns;

  /**
   * @param targetOf gives the target name of a source table or sequence
   * @param columns the columns' names on the target
   */
  public SequenceWriter(
      TargetConnection connection, UnaryOperator<TableId> targetOf, ColumnNames columns) {
    this.connection = connection;
    this.sequences = LoadDialects.of(connection.dialect()).sequences();
    this.targetOf = targetOf;
    this.columns = columns;
  }

  /** The target's sequence for a source sequence; empty if there is none. */
  public Optional<TargetSequence> find(SequenceState state) {
    Optional<Owner> owner = state.use().filter(Use::owned).map(this::column);
    try {
      return sequences.find(connection, owner, targetOf.apply(state.sequence()));
    } catch (SQLException e) {
      connection.rollback();
      throw connection.errors().classify("find the target's sequence for " + state.sequence(), e);
    }
  }

  private Owner column(Use use) {
    return new Owner(targetOf.apply(use.table()), columns.orSame(use.table(), use.column()));
  }

  /**
   * Sets the target's sequence, unless it is already further: then the target is in use, and
   * setting it back would produce values twice.
   */
  public void set(TargetSequence found, SequenceState state) {
    try {
      sequences.advance(connection, found, state, state.use().map(this::column));
    } catch (SQLException e) {
      throw notSet(found, e);
    }
  }

  /**
   * Sets the target's sequence to the source's value, also back: one that cycles may have begun
   * again. Only while nobody uses the target.
   */
  public void setExactly(TargetSequence found, SequenceState state) {
    try {
      sequences.set(connection, found, state);
    } catch (SQLException e) {
      throw notSet(found, e);
    }
  }

  private SluiceException notSet(TargetSequence found, SQLException error) {
    connection.rollback();
    return connection.errors().classify("set the target's sequence " + found.name(), error);
  }

  /** Commits the values that were set, durably. */
  public void commit() {
    try {
      connection.commitDurably();
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw connection.errors().classify("commit the target's sequences", e);
    }
  }
}
