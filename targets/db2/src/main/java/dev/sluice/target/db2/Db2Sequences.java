package dev.sluice.target.db2;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.load.target.TargetSequence;
import dev.sluice.load.target.TargetSequences;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.target.db2.catalog.Db2Counter;
import dev.sluice.target.db2.session.Db2Session;
import java.math.BigInteger;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/*
 * To set a counter, a session needs an exclusive lock on its table, and all later statements wait
 * behind it. So the lock timeout is short, and each counter is set in its own transaction. An
 * inserted value does not move a counter, so the column's values are read as well.
 */
/**
 * Counters of identity columns. A table with an identity column and the name of a sequence replaces
 * that sequence. Each counter that is set is committed at once. Stateless, threadsafe.
 */
final class Db2Sequences implements TargetSequences {
  /** How long a change waits for a table that applications may use. */
  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(2);

  @Override
  public List<Owned> ownedBy(TargetConnection connection, Collection<TableId> tables)
      throws SQLException {
    List<Owned> found = new ArrayList<>();
    for (TableId table : new TreeSet<>(tables)) {
      Db2Counter.of(connection.jdbc(), table)
          .ifPresent(
              counter ->
                  found.add(
                      new Owned(new Owner(table, counter.column()), sequence(counter), true)));
    }
    return found;
  }

  @Override
  public Optional<TargetSequence> find(
      TargetConnection connection, Optional<Owner> owner, TableId name) throws SQLException {
    if (owner.isPresent()) {
      Optional<Db2Counter> own =
          Db2Counter.of(connection.jdbc(), owner.get().table())
              .filter(counter -> counter.column().equals(owner.get().column()));
      if (own.isPresent()) {
        return own.map(Db2Sequences::sequence);
      }
    }
    return Db2Counter.of(connection.jdbc(), name).map(Db2Sequences::sequence);
  }

  /** The right to set it is not checked: that would need the table's lock. */
  private static TargetSequence sequence(Db2Counter counter) {
    return new TargetSequence(counter.table(), true, counter.form());
  }

  @Override
  public boolean areTables() {
    return true;
  }

  @Override
  public void advance(
      TargetConnection connection,
      TargetSequence sequence,
      SequenceState state,
      Optional<Owner> user)
      throws SQLException {
    Db2Counter seen = required(connection, sequence);
    if (!isBehind(seen, furthest(connection, seen, state, user))) {
      return;
    }
    lock(connection, seen);
    // Read under the lock, since others may have moved the counter before; it is never set back.
    Db2Counter counter = required(connection, sequence);
    BigInteger next = furthest(connection, counter, state, user);
    if (isBehind(counter, next)) {
      restart(connection, counter, next);
    } else {
      connection.jdbc().commit();
    }
  }

  /** The next number that neither the sequence has given nor the column contains. */
  private static BigInteger furthest(
      TargetConnection connection, Db2Counter counter, SequenceState state, Optional<Owner> user)
      throws SQLException {
    BigInteger next = nextOf(counter, state);
    if (user.isEmpty() || counter.form().cycles()) {
      return next;
    }
    return Db2Counter.furthest(
            connection.jdbc(), user.get().table(), user.get().column(), counter.form())
        .map(value -> further(next, NextNumber.after(value, counter.form()), counter.form()))
        .orElse(next);
  }

  private static boolean isBehind(Db2Counter counter, BigInteger next) {
    return !further(next, counter.next(), counter.form()).equals(counter.next());
  }

  @Override
  public void set(TargetConnection connection, TargetSequence sequence, SequenceState state)
      throws SQLException {
    Db2Counter counter = required(connection, sequence);
    lock(connection, counter);
    restart(connection, counter, nextOf(counter, state));
  }

  private static BigInteger nextOf(Db2Counter counter, SequenceState state) throws SQLException {
    return NextNumber.of(state, counter.form())
        .orElseThrow(
            () ->
                new SQLException(
                    "the identity of table %s has no number after %d"
                        .formatted(counter.table(), state.lastValue()),
                    "23522"));
  }

  private static Db2Counter required(TargetConnection connection, TargetSequence sequence)
      throws SQLException {
    return Db2Counter.of(connection.jdbc(), sequence.name())
        .orElseThrow(
            () ->
                new SQLException(
                    "table %s no longer has an identity column".formatted(sequence.name()),
                    "42704"));
  }

  private static void lock(TargetConnection connection, Db2Counter counter) throws SQLException {
    connection
        .jdbc()
        .unwrap(Db2Session.class)
        .lockTable(counter.table().quoted(), "EXCLUSIVE", LOCK_TIMEOUT);
  }

  private static void restart(TargetConnection connection, Db2Counter counter, BigInteger next)
      throws SQLException {
    connection.execute(
        "ALTER TABLE %s ALTER COLUMN %s RESTART WITH %s"
            .formatted(counter.table().quoted(), TableId.quote(counter.column()), next));
    connection.commitDurably();
    connection.jdbc().commit();
  }

  private static BigInteger further(BigInteger one, BigInteger other, SequenceState.Form counter) {
    return counter.increment() > 0 ? one.max(other) : one.min(other);
  }

  /** Ignores the counter's first number: starting there repeats no number of the source. */
  @Override
  public boolean takes(TargetSequence sequence, SequenceState state) {
    return NextNumber.of(state, sequence.form()).isPresent();
  }

  /**
   * Ignores the cache, which belongs to the server and only leaves gaps, and a wider type of the
   * column.
   */
  @Override
  public boolean goesOnAs(TargetSequence sequence, SequenceState.Form source) {
    SequenceState.Form form = sequence.form();
    if (form.increment() != source.increment() || form.cycles() != source.cycles()) {
      return false;
    }
    if (form.cycles()) {
      return form.min() == source.min() && form.max() == source.max();
    }
    return form.increment() > 0 ? form.max() >= source.max() : form.min() <= source.min();
  }

  @Override
  public String fixOfForm(TargetSequence sequence, SequenceState.Form source) {
    return "Accept it if the applications can work with it, or run for its identity: ALTER TABLE %s ALTER COLUMN … SET INCREMENT BY %d SET MINVALUE %d SET MAXVALUE %d SET %s"
        .formatted(
            sequence.name().quoted(),
            source.increment(),
            source.min(),
            source.max(),
            source.cycles() ? "CYCLE" : "NO CYCLE");
  }

  @Override
  public String fixOfMissing(SequenceState state, TableId expected) {
    return "Sluice does not set sequences of Db2. If a column takes its default from the sequence, make that column GENERATED BY DEFAULT AS IDENTITY. If applications ask the sequence for numbers, create a table in its place, which must continue at %s: CREATE TABLE %s (\"n\" BIGINT NOT NULL GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY)"
        .formatted(
            NextNumber.of(state, state.form())
                .map(BigInteger::toString)
                .orElse("a number after " + state.lastValue()),
            expected.quoted());
  }

  @Override
  public String fixOfBounds(TargetSequence sequence) {
    return "Give the identity column a wider type, or the source's bounds: "
        + sequence.name().quoted();
  }

  @Override
  public String fixOfRight(TargetSequence sequence) {
    return "Run: GRANT ALTER ON TABLE %s TO USER the user of target.url"
        .formatted(sequence.name().quoted());
  }
}
