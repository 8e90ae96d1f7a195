package dev.sluice.target.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.load.target.TargetSequence;
import dev.sluice.load.target.TargetSequences;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.target.mariadb.catalog.BoundedAlter;
import dev.sluice.target.mariadb.catalog.Shown;
import dev.sluice.target.mariadb.catalog.TableRights;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/*
 * The counter of an AUTO_INCREMENT column is known by the name of its table: a table has at most
 * one such column, and no sequence has the name of a table. The server never sets it below a value
 * of the column, also one from an UPDATE. A sequence has no such link to a column.
 */
/**
 * Counters of columns (AUTO_INCREMENT), and sequences of MariaDB. MySQL has none: there a table
 * with the sequence's name and such a column stands for it. Stateless, threadsafe.
 */
final class MariadbSequences implements TargetSequences {
  private static final String KIND =
      "SELECT TABLE_NAME, TABLE_TYPE, COALESCE(AUTO_INCREMENT, 1) FROM information_schema.TABLES"
          + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?";

  private static final String COUNTED =
      "SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE FROM information_schema.COLUMNS"
          + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND EXTRA LIKE '%auto_increment%'";

  private static final String INDEXED =
      "SELECT DATA_TYPE, COLUMN_TYPE FROM information_schema.STATISTICS JOIN information_schema.COLUMNS"
          + " USING (TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME)"
          + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND COLUMN_NAME = ? AND SEQ_IN_INDEX = 1"
          + " AND DATA_TYPE IN ('tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'decimal')";

  private static final Map<String, Integer> BITS =
      Map.of("tinyint", 8, "smallint", 16, "mediumint", 24, "int", 32, "bigint", 64);

  private final ServerKind server;

  MariadbSequences(ServerKind server) {
    this.server = server;
  }

  @Override
  public List<Owned> ownedBy(TargetConnection connection, Collection<TableId> tables)
      throws SQLException {
    List<Owned> found = new ArrayList<>();
    for (TableId table : new TreeSet<>(tables)) {
      counter(connection, table, Optional.empty()).ifPresent(found::add);
    }
    return found;
  }

  @Override
  public Optional<TargetSequence> find(
      TargetConnection connection, Optional<Owner> owner, TableId name) throws SQLException {
    if (owner.isPresent()) {
      Optional<TargetSequence> counter =
          counter(connection, owner.get().table(), Optional.of(owner.get().column()))
              .map(Owned::sequence);
      if (counter.isPresent()) {
        return counter;
      }
    }
    if (server == ServerKind.MYSQL) {
      return counter(connection, name, Optional.empty()).map(Owned::sequence);
    }
    return isSequence(connection, name)
        ? Optional.of(sequence(connection, name))
        : Optional.empty();
  }

  private static Optional<Owned> counter(
      TargetConnection connection, TableId table, Optional<String> wanted) throws SQLException {
    try (PreparedStatement statement = prepare(connection, COUNTED, table);
        ResultSet row = statement.executeQuery()) {
      if (!row.next() || wanted.isPresent() && !wanted.get().equals(row.getString(1))) {
        return Optional.empty();
      }
      long max = largestOf(row.getString(2), row.getString(3));
      return Optional.of(
          new Owned(
              new Owner(table, row.getString(1)),
              new TargetSequence(
                  table,
                  TableRights.granted(connection.jdbc(), table.schema(), table.name())
                      .contains("ALTER"),
                  new SequenceState.Form(1, 1, max, 1, false)),
              true));
    }
  }

  /** The largest number of a type, and of a sequence where the type has larger ones. */
  private static long largestOf(String type, String columnType) {
    int bits = BITS.getOrDefault(type, 64);
    return columnType.contains("unsigned") && bits < 64
        ? (1L << bits) - 1
        : Long.MAX_VALUE >> (64 - bits);
  }

  private static TargetSequence sequence(TargetConnection connection, TableId name)
      throws SQLException {
    try (Statement statement = connection.jdbc().createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT increment, minimum_value, maximum_value, cache_size, cycle_option FROM "
                    + name.quoted())) {
      row.next();
      return new TargetSequence(
          name,
          TableRights.granted(connection.jdbc(), name.schema(), name.name()).contains("INSERT"),
          new SequenceState.Form(
              row.getLong(1),
              row.getLong(2) == NumberBehind.SMALLEST_BOUND ? Long.MIN_VALUE : row.getLong(2),
              row.getLong(3) == NumberBehind.LARGEST_BOUND ? Long.MAX_VALUE : row.getLong(3),
              Math.max(1, row.getLong(4)),
              row.getBoolean(5)));
    }
  }

  private static boolean isSequence(TargetConnection connection, TableId name) throws SQLException {
    try (PreparedStatement statement = prepare(connection, KIND, name);
        ResultSet row = statement.executeQuery()) {
      return row.next()
          && row.getString(1).equals(name.name())
          && row.getString(2).equals("SEQUENCE");
    }
  }

  @Override
  public void advance(
      TargetConnection connection,
      TargetSequence sequence,
      SequenceState state,
      Optional<Owner> user)
      throws SQLException {
    if (!isSequence(connection, sequence.name())) {
      long next = NumberBehind.ofCounter(state);
      if (next > counted(connection, sequence.name())) {
        setCounter(connection, sequence.name(), next);
      }
      return;
    }
    // It answers NULL, and changes nothing, if the sequence is already further.
    String set = "SELECT SETVAL(" + sequence.name().quoted() + ", %d, %d)";
    connection.exists(
        set.formatted(
            Math.min(state.lastValue(), NumberBehind.LARGEST_BOUND), state.called() ? 1 : 0));
    if (user.isPresent() && sequence.form().increment() > 0 && !sequence.form().cycles()) {
      Optional<Long> largest =
          largest(
              connection, user.get(), Math.min(sequence.form().max(), NumberBehind.LARGEST_BOUND));
      if (largest.isPresent()) {
        connection.exists(set.formatted(largest.get(), 1));
      }
    }
  }

  /**
   * Only for a column that comes first in an index, so that no table scan is needed. The type's
   * largest number is ignored: applications use it for "unknown", and a sequence has no number
   * after it.
   */
  private static Optional<Long> largest(TargetConnection connection, Owner column, long bound)
      throws SQLException {
    long end;
    try (PreparedStatement statement = prepare(connection, INDEXED, column.table())) {
      statement.setString(3, column.column());
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return Optional.empty();
        }
        end = Math.min(bound, largestOf(row.getString(1), row.getString(2)));
      }
    }
    try (Statement statement = connection.jdbc().createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT MAX(%s) FROM %s WHERE %1$s > 0 AND %1$s < %3$d"
                    .formatted(TableId.quote(column.column()), column.table().quoted(), end))) {
      row.next();
      return Optional.ofNullable(row.getBigDecimal(1)).map(Number::longValue);
    }
  }

  @Override
  public void set(TargetConnection connection, TargetSequence sequence, SequenceState state)
      throws SQLException {
    if (isSequence(connection, sequence.name())) {
      connection.execute(
          "ALTER SEQUENCE %s RESTART WITH %d"
              .formatted(sequence.name().quoted(), NumberBehind.of(state, sequence.form())));
    } else {
      setCounter(connection, sequence.name(), NumberBehind.ofCounter(state));
    }
  }

  private void setCounter(TargetConnection connection, TableId table, long next)
      throws SQLException {
    BoundedAlter.run(server, connection, table, BoundedAlter.SECONDS, "AUTO_INCREMENT = " + next);
  }

  private static long counted(TargetConnection connection, TableId table) throws SQLException {
    try (PreparedStatement statement = prepare(connection, KIND, table);
        ResultSet row = statement.executeQuery()) {
      return row.next() ? row.getLong(3) : 1;
    }
  }

  private static PreparedStatement prepare(TargetConnection connection, String sql, TableId id)
      throws SQLException {
    PreparedStatement statement = connection.jdbc().prepareStatement(sql);
    statement.setString(1, id.schema());
    statement.setString(2, id.name());
    return statement;
  }

  @Override
  public boolean areTables() {
    return server == ServerKind.MYSQL;
  }

  @Override
  public String fixOfForm(TargetSequence sequence, SequenceState.Form source) {
    if (server == ServerKind.MYSQL) {
      return source.increment() > 0
          ? "Accept it: the counter of a column always goes on by 1, up to the end of its type"
          : "Accept it if the applications can work with it: a counter only goes up, so it begins above all numbers of the source's sequence";
    }
    return "ALTER SEQUENCE %s INCREMENT %d MINVALUE %d MAXVALUE %d CACHE %d %s; the counter of a column always goes on by 1"
        .formatted(
            Shown.table(sequence.name()),
            source.increment(),
            Math.max(source.min(), NumberBehind.SMALLEST_BOUND),
            Math.min(source.max(), NumberBehind.LARGEST_BOUND),
            source.cache(),
            source.cycles() ? "CYCLE" : "NOCYCLE");
  }

  @Override
  public String fixOfMissing(SequenceState state, TableId expected) {
    if (server == ServerKind.MYSQL) {
      return "MySQL has no sequences. If a column takes its default from the sequence, make that column AUTO_INCREMENT. If applications ask the sequence for numbers, create a table in its place, which must continue at %d: CREATE TABLE %s (n bigint AUTO_INCREMENT PRIMARY KEY)"
          .formatted(NumberBehind.ofCounter(state), Shown.table(expected));
    }
    return "If a column takes its default from the sequence, make that column AUTO_INCREMENT. If applications ask the sequence for numbers, create the sequence %s; it must continue at %d"
        .formatted(Shown.table(expected), NumberBehind.of(state, state.form()));
  }

  @Override
  public String fixOfBounds(TargetSequence sequence) {
    return (server == ServerKind.MYSQL
            ? "Give the column a wider type: "
            : "Give the column a wider type, or the sequence the source's bounds: ")
        + Shown.table(sequence.name());
  }

  @Override
  public String fixOfRight(TargetSequence sequence) {
    return "Run: GRANT INSERT, SELECT, ALTER ON %s TO the user of target.url"
        .formatted(Shown.table(sequence.name()));
  }
}
