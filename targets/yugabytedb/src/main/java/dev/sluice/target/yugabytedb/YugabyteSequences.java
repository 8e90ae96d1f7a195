package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.load.target.TargetSequence;
import dev.sluice.load.target.TargetSequences;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/*
 * Numbers are taken from a sequence a hundred at a time, unless a flag of the servers says
 * otherwise: by a session for itself, or by a server for all its sessions. setval() does not change
 * numbers that are cached there. So a sequence is safe to set only while nobody has taken a number
 * from it.
 */
/**
 * Sequences like PostgreSQL's, whose numbers are cached by servers and sessions. Stateless,
 * threadsafe.
 */
final class YugabyteSequences implements TargetSequences {
  private final TargetSequences postgres;

  YugabyteSequences(TargetSequences postgres) {
    this.postgres = postgres;
  }

  @Override
  public List<Owned> ownedBy(TargetConnection connection, Collection<TableId> tables)
      throws SQLException {
    return postgres.ownedBy(connection, tables);
  }

  @Override
  public Optional<TargetSequence> find(
      TargetConnection connection, Optional<Owner> owner, TableId name) throws SQLException {
    return postgres.find(connection, owner, name);
  }

  @Override
  public void advance(
      TargetConnection connection,
      TargetSequence sequence,
      SequenceState state,
      Optional<Owner> user)
      throws SQLException {
    postgres.advance(connection, sequence, state, user);
  }

  /** Never sets it back: somebody may have taken a number since it was read. */
  @Override
  public void set(TargetConnection connection, TargetSequence sequence, SequenceState state)
      throws SQLException {
    postgres.advance(connection, sequence, state, Optional.empty());
  }

  @Override
  public boolean keepsNumbers() {
    return true;
  }

  @Override
  public Optional<Long> givenOut(TargetConnection connection, TargetSequence sequence)
      throws SQLException {
    try (PreparedStatement statement =
            connection
                .jdbc()
                .prepareStatement(
                    "SELECT last_value FROM " + sequence.name().quoted() + " WHERE is_called");
        ResultSet row = statement.executeQuery()) {
      return row.next() ? Optional.of(row.getLong(1)) : Optional.empty();
    }
  }

  /** Ignores the cache: a flag of the servers sets its minimum for all sequences. */
  @Override
  public boolean goesOnAs(TargetSequence sequence, SequenceState.Form source) {
    SequenceState.Form form = sequence.form();
    return new SequenceState.Form(
            form.increment(),
            form.min(),
            form.max(),
            Math.min(form.cache(), source.cache()),
            form.cycles())
        .equals(source);
  }

  @Override
  public String fixOfMissing(SequenceState state, TableId expected) {
    return postgres.fixOfMissing(state, expected);
  }

  @Override
  public String fixOfRight(TargetSequence sequence) {
    return postgres.fixOfRight(sequence);
  }

  @Override
  public String fixOfForm(TargetSequence sequence, SequenceState.Form source) {
    return postgres.fixOfForm(sequence, source);
  }

  @Override
  public String fixOfBounds(TargetSequence sequence) {
    return postgres.fixOfBounds(sequence);
  }
}
