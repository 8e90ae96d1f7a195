package dev.sluice.load.target;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.Optional;

/** Finds and sets sequences. Stateless, threadsafe. */
public interface TargetSequences {

  /** A column of the target that owns a sequence. Immutable. */
  record Owner(TableId table, String column) {}

  /**
   * The sequence that the column owns; if there is none, the one of this name; empty if there is
   * none either.
   */
  Optional<TargetSequence> find(TargetConnection connection, Optional<Owner> owner, TableId name)
      throws SQLException;

  /** Sets a sequence to a source's value, unless it is already further. */
  void advance(TargetConnection connection, TargetSequence sequence, SequenceState state)
      throws SQLException;

  /** Sets a sequence to a source's value, also back. */
  void set(TargetConnection connection, TargetSequence sequence, SequenceState state)
      throws SQLException;
}
