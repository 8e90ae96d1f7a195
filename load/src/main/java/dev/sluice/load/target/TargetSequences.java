package dev.sluice.load.target;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Finds and sets sequences. Stateless, threadsafe. */
public interface TargetSequences {

  /** A column of the target that owns a sequence. Immutable. */
  record Owner(TableId table, String column) {}

  /**
   * A sequence with the column that owns it. Immutable.
   *
   * @param numbers whether the column has whole numbers
   */
  record Owned(Owner owner, TargetSequence sequence, boolean numbers) {}

  /** The sequences that columns of these tables own, in the order of the columns' names. */
  List<Owned> ownedBy(TargetConnection connection, Collection<TableId> tables) throws SQLException;

  /**
   * The sequence that the column owns; if there is none, the one of this name; empty if there is
   * none either.
   */
  Optional<TargetSequence> find(TargetConnection connection, Optional<Owner> owner, TableId name)
      throws SQLException;

  /**
   * Sets a sequence to a source's value, unless it is already further. Where the values of a column
   * do not tell that by themselves, it is set above them as well.
   *
   * @param user the column that gets its values, if there is one
   */
  void advance(
      TargetConnection connection,
      TargetSequence sequence,
      SequenceState state,
      Optional<Owner> user)
      throws SQLException;

  /** Whether servers or sessions keep numbers, which they give out after the sequence was set. */
  default boolean keepsNumbers() {
    return false;
  }

  /**
   * The last number that a sequence has given out, where servers or sessions may keep numbers
   * before it, and give them out after the sequence was set. Empty if it has given out none, or
   * nobody keeps any.
   */
  default Optional<Long> givenOut(TargetConnection connection, TargetSequence sequence)
      throws SQLException {
    return Optional.empty();
  }

  /** Whether a sequence can go on after a source's value. */
  default boolean takes(TargetSequence sequence, SequenceState state) {
    SequenceState.Form form = sequence.form();
    return state.lastValue() >= form.min() && state.lastValue() <= form.max();
  }

  /** Whether a sequence goes on as a source's does. */
  default boolean goesOnAs(TargetSequence sequence, SequenceState.Form source) {
    return sequence.form().equals(source);
  }

  /** Whether tables replace sequences. Setting one waits for all sessions that use its table. */
  default boolean areTables() {
    return false;
  }

  /**
   * What to do about a sequence that the target lacks.
   *
   * @param expected its name there
   */
  String fixOfMissing(SequenceState state, TableId expected);

  /** What to do about a sequence that the user may not set. */
  String fixOfRight(TargetSequence sequence);

  /** What to do about a sequence that goes on otherwise than the source's. */
  String fixOfForm(TargetSequence sequence, SequenceState.Form source);

  /** What to do about a sequence whose bounds do not have the source's value. */
  String fixOfBounds(TargetSequence sequence);

  /** Sets a sequence to a source's value, also back, unless the target keeps numbers. */
  void set(TargetConnection connection, TargetSequence sequence, SequenceState state)
      throws SQLException;
}
