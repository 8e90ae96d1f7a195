package dev.sluice.connector.mariadb.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.connector.mariadb.server.MariadbFailures;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The sequences of {@code CREATE SEQUENCE}, by name, each with a column whose default uses it.
 * MySQL has none. Immutable.
 *
 * @param states each with the first value that no session has taken or cached
 * @param unreadable the sequences that this user may not read
 */
public record DatabaseSequences(List<SequenceState> states, List<TableId> unreadable) {
  private static final String NAMES =
      """
      SELECT TABLE_NAME FROM information_schema.TABLES
      WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'SEQUENCE' ORDER BY TABLE_NAME
      """;

  private static final String STATE =
      """
      SELECT next_not_cached_value, minimum_value, maximum_value, increment, cache_size, cycle_option
      FROM\040""";

  public DatabaseSequences {
    states = List.copyOf(states);
    unreadable = List.copyOf(unreadable);
  }

  /**
   * Reads them.
   *
   * @param catalog of the same database
   */
  public static DatabaseSequences read(
      Connection connection, String database, DatabaseTables catalog) throws SQLException {
    MariadbQuery query = new MariadbQuery(connection);
    List<SequenceState> states = new ArrayList<>();
    List<TableId> unreadable = new ArrayList<>();
    for (String[] name : query.rows(NAMES, database)) {
      TableId sequence = new TableId(database, name[0]);
      try {
        Optional<String[]> row = query.row(STATE + sequence.quoted());
        row.ifPresent(state -> states.add(state(sequence, use(sequence, catalog), state)));
      } catch (SQLException e) {
        if (!MariadbFailures.isMissingRight(e)) {
          throw e;
        }
        unreadable.add(sequence);
      }
    }
    return new DatabaseSequences(states, unreadable);
  }

  private static Optional<SequenceState.Use> use(TableId sequence, DatabaseTables catalog) {
    return catalog.tables().stream()
        .flatMap(
            table ->
                table.columns().stream()
                    .filter(column -> column.sequence().filter(sequence::equals).isPresent())
                    .map(column -> new SequenceState.Use(table.table(), column.name(), false)))
        .findFirst();
  }

  private static SequenceState state(
      TableId sequence, Optional<SequenceState.Use> use, String[] row) {
    return new SequenceState(
        sequence,
        use,
        number(row[0]),
        false,
        new SequenceState.Form(
            // 0 means the server's auto_increment_increment.
            row[3].equals("0") ? 1 : number(row[3]),
            number(row[1]),
            number(row[2]),
            Math.max(1, number(row[4])),
            !row[5].equals("0")));
  }

  /** A number; of an unsigned type it may be larger than PostgreSQL's largest. */
  private static long number(String text) {
    return new BigInteger(text)
        .min(BigInteger.valueOf(Long.MAX_VALUE))
        .max(BigInteger.valueOf(Long.MIN_VALUE))
        .longValueExact();
  }
}
