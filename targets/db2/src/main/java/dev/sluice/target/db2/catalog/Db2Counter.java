package dev.sluice.target.db2.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState.Form;
import dev.sluice.target.db2.session.Derby;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/*
 * The driver's metadata do not have the next number of an identity. The catalog is read in cursor
 * stability, so that sessions which insert rows do not wait for this transaction.
 */
/**
 * The identity column of a table, which has at most one. Immutable.
 *
 * @param next its next number, or a later one: cached numbers count as given
 * @param form its bounds, limited to those of a source's numbers
 */
public record Db2Counter(TableId table, String column, BigInteger next, Form form) {
  private static final String OF_DB2 =
      "SELECT I.COLNAME, I.NEXTCACHEFIRSTVALUE, I.INCREMENT, I.MINVALUE, I.MAXVALUE, I.CACHE, I.CYCLE"
          + " FROM SYSCAT.COLIDENTATTRIBUTES AS I WHERE I.TABSCHEMA = ? AND I.TABNAME = ? WITH CS";

  private static final String OF_DERBY =
      "SELECT C.COLUMNNAME, C.AUTOINCREMENTVALUE, C.AUTOINCREMENTINC"
          + " FROM SYS.SYSCOLUMNS AS C, SYS.SYSTABLES AS T, SYS.SYSSCHEMAS AS S"
          + " WHERE C.REFERENCEID = T.TABLEID AND T.SCHEMAID = S.SCHEMAID AND S.SCHEMANAME = ?"
          + " AND T.TABLENAME = ? AND C.AUTOINCREMENTINC IS NOT NULL WITH CS";

  private static final BigInteger LARGEST = BigInteger.valueOf(Long.MAX_VALUE);
  private static final BigInteger SMALLEST = BigInteger.valueOf(Long.MIN_VALUE);

  /** The counter of a table; empty if it has none or does not exist. */
  public static Optional<Db2Counter> of(Connection session, TableId table) throws SQLException {
    boolean derby = Derby.isIt(session);
    try (PreparedStatement statement = session.prepareStatement(derby ? OF_DERBY : OF_DB2)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return Optional.empty();
        }
        String column = row.getString(1);
        Optional<BigInteger> next =
            Optional.ofNullable(row.getBigDecimal(2)).map(BigDecimal::toBigInteger);
        long increment = row.getLong(3);
        Form form = derby ? form(session, table, column, increment) : form(row, increment);
        return Optional.of(new Db2Counter(table, column, next.orElseGet(() -> behind(form)), form));
      }
    }
  }

  /** The next number of an exhausted counter: no number is further. */
  private static BigInteger behind(Form form) {
    return form.increment() > 0
        ? BigInteger.valueOf(form.max()).add(BigInteger.ONE)
        : BigInteger.valueOf(form.min()).subtract(BigInteger.ONE);
  }

  private static Form form(ResultSet row, long increment) throws SQLException {
    return new Form(
        increment,
        number(row, 4).max(SMALLEST).longValueExact(),
        number(row, 5).min(LARGEST).longValueExact(),
        Math.max(1, row.getLong(6)),
        row.getString(7).equals("Y"));
  }

  /** On Derby an identity has the bounds of its type, and does not cycle. */
  private static Form form(Connection session, TableId table, String column, long increment)
      throws SQLException {
    BigInteger largest = largestOf(session, table, column).orElse(LARGEST);
    return new Form(
        increment, largest.negate().longValueExact() - 1, largest.longValueExact(), 1, false);
  }

  private static BigInteger number(ResultSet row, int column) throws SQLException {
    return row.getBigDecimal(column).toBigInteger();
  }

  /** The largest number of a column's type; empty if it is not a type of whole numbers. */
  private static Optional<BigInteger> largestOf(Connection session, TableId table, String column)
      throws SQLException {
    try (ResultSet row =
        Db2Metadata.metadata(session).getColumns(null, table.schema(), table.name(), null)) {
      while (row.next()) {
        if (Db2Metadata.isOf(row, table) && row.getString("COLUMN_NAME").equals(column)) {
          return switch (row.getString("TYPE_NAME")) {
            case "SMALLINT" -> Optional.of(BigInteger.valueOf(Short.MAX_VALUE));
            case "INTEGER" -> Optional.of(BigInteger.valueOf(Integer.MAX_VALUE));
            case "BIGINT" -> Optional.of(LARGEST);
            case "DECIMAL", "NUMERIC" ->
                Optional.of(BigInteger.TEN.pow(row.getInt("COLUMN_SIZE")).subtract(BigInteger.ONE));
            default -> Optional.empty();
          };
        }
      }
      return Optional.empty();
    }
  }

  /**
   * The value of a column that a counter in this direction would reach last. Read only if the
   * column comes first in an index, so that no table scan is needed. Ignores values after which the
   * counter would have no number, and the last one of the column's type, which applications use for
   * "unknown".
   *
   * @param counter its direction and bounds
   */
  public static Optional<BigInteger> furthest(
      Connection session, TableId table, String column, Form counter) throws SQLException {
    Optional<BigInteger> largest = largestOf(session, table, column);
    if (largest.isEmpty() || !beginsAnIndex(session, table, column)) {
      return Optional.empty();
    }
    BigInteger last = lastToGoOnFrom(counter, largest.get());
    boolean rises = counter.increment() > 0;
    String name = TableId.quote(column);
    String query = "SELECT %s(%s) FROM %s".formatted(rises ? "MAX" : "MIN", name, table.quoted());
    Optional<BigInteger> value = value(session, query);
    boolean beyond = value.isPresent() && value.get().compareTo(last) * (rises ? 1 : -1) > 0;
    return beyond
        ? value(session, query + " WHERE %s %s %s".formatted(name, rises ? "<=" : ">=", last))
        : value;
  }

  /**
   * @param largest number of the column's type
   */
  private static BigInteger lastToGoOnFrom(Form counter, BigInteger largest) {
    BigInteger step = BigInteger.valueOf(counter.increment());
    BigInteger known = largest.subtract(BigInteger.ONE);
    return counter.increment() > 0
        ? BigInteger.valueOf(counter.max()).subtract(step).min(known)
        : BigInteger.valueOf(counter.min()).subtract(step).max(known.negate());
  }

  private static Optional<BigInteger> value(Connection session, String query) throws SQLException {
    try (Statement statement = session.createStatement();
        ResultSet row = statement.executeQuery(query + " WITH CS")) {
      row.next();
      return Optional.ofNullable(row.getBigDecimal(1)).map(BigDecimal::toBigInteger);
    }
  }

  private static boolean beginsAnIndex(Connection session, TableId table, String column)
      throws SQLException {
    try (ResultSet row =
        Db2Metadata.metadata(session)
            .getIndexInfo(null, table.schema(), table.name(), false, true)) {
      while (row.next()) {
        if (row.getShort("TYPE") != DatabaseMetaData.tableIndexStatistic
            && Db2Metadata.isOf(row, table)
            && row.getShort("ORDINAL_POSITION") == 1
            && row.getString("COLUMN_NAME").equals(column)) {
          return true;
        }
      }
      return false;
    }
  }
}
