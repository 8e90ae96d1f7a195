package dev.sluice.target.db2;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.load.target.TargetSequence;
import dev.sluice.load.target.TargetSequences;
import dev.sluice.sink.target.TargetConnection;
import java.math.BigInteger;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Sequences and identities of Db2, none of which is found: a load names each one, with the
 * statement that sets it. Stateless, threadsafe.
 */
final class Db2Sequences implements TargetSequences {

  @Override
  public List<Owned> ownedBy(TargetConnection connection, Collection<TableId> tables) {
    return List.of();
  }

  @Override
  public Optional<TargetSequence> find(
      TargetConnection connection, Optional<Owner> owner, TableId name) {
    return Optional.empty();
  }

  @Override
  public String fixOfMissing(SequenceState state, TableId expected) {
    BigInteger last = BigInteger.valueOf(state.lastValue());
    BigInteger next =
        state.called() ? last.add(BigInteger.valueOf(state.form().increment())) : last;
    return "Sluice sets no sequences and identities of Db2. If the applications need it, set it beyond what the source has given out by then: ALTER SEQUENCE %s RESTART WITH %s; or for an identity: ALTER TABLE … ALTER COLUMN … RESTART WITH %s"
        .formatted(expected.quoted(), next, next);
  }

  @Override
  public void advance(
      TargetConnection connection,
      TargetSequence sequence,
      SequenceState state,
      Optional<Owner> user) {
    throw neverFound(sequence);
  }

  @Override
  public void set(TargetConnection connection, TargetSequence sequence, SequenceState state) {
    throw neverFound(sequence);
  }

  @Override
  public String fixOfRight(TargetSequence sequence) {
    throw neverFound(sequence);
  }

  @Override
  public String fixOfForm(TargetSequence sequence, SequenceState.Form source) {
    throw neverFound(sequence);
  }

  @Override
  public String fixOfBounds(TargetSequence sequence) {
    throw neverFound(sequence);
  }

  private static IllegalStateException neverFound(TargetSequence sequence) {
    return new IllegalStateException("BUG: no sequence is found on Db2, but " + sequence.name());
  }
}
