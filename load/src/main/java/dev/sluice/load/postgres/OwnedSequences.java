package dev.sluice.load.postgres;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Raises sequences above the values of the columns that own them, where the sequences' own values
 * cannot be copied any more. A sequence is never set back. Stateless.
 */
public final class OwnedSequences {
  private static final String FIND =
      """
      SELECT n.nspname, c.relname, a.attname, sn.nspname, s.relname,
        has_sequence_privilege(s.oid, 'UPDATE') AND has_sequence_privilege(s.oid, 'SELECT'),
        q.seqincrement, q.seqmin, q.seqmax, q.seqcycle,
        a.atttypid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype)
      FROM unnest(?::text[], ?::text[]) AS wanted (schema_name, table_name)
      JOIN pg_namespace n ON n.nspname = wanted.schema_name
      JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = wanted.table_name
      JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid
        AND d.refobjsubid > 0 AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
      JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
      JOIN pg_sequence q ON q.seqrelid = s.oid
      JOIN pg_namespace sn ON sn.oid = s.relnamespace
      ORDER BY 1, 2, 3""";

  private OwnedSequences() {}

  /**
   * What was done.
   *
   * @param raised how many are above the values of their columns now
   * @param notRaised one problem for each of the others
   */
  public record Result(int raised, List<Problem> notRaised) {
    public Result {
      notRaised = List.copyOf(notRaised);
    }
  }

  /** A sequence with the column that owns it. */
  private record Owned(
      TableId table,
      String column,
      TableId sequence,
      boolean settable,
      long increment,
      BigInteger min,
      BigInteger max,
      boolean cycles,
      boolean numbers) {}

  /**
   * Raises the sequences that columns of these tables own. The values are durable when it returns.
   *
   * @param margin how many values above the columns'
   */
  public static Result raise(TargetServer server, Collection<TableId> tables, long margin) {
    int raised = 0;
    List<Problem> notRaised = new ArrayList<>();
    try (TargetConnection connection = server.borrow()) {
      for (Owned owned : find(connection, tables)) {
        try {
          if (!owned.settable() || owned.cycles() || !owned.numbers()) {
            notRaised.add(problem(owned, why(owned)));
          } else {
            raise(connection, owned, margin);
            raised++;
          }
        } catch (SQLException e) {
          connection.rollback();
          notRaised.add(problem(owned, server.errors().textOf(e)));
        }
      }
      return new Result(raised, notRaised);
    } catch (SQLException e) {
      throw server.errors().classify("read the sequences of " + server, e);
    }
  }

  private static List<Owned> find(TargetConnection connection, Collection<TableId> tables)
      throws SQLException {
    List<Owned> found = new ArrayList<>();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(FIND)) {
      statement.setArray(
          1,
          connection
              .jdbc()
              .createArrayOf("text", tables.stream().map(TableId::schema).toArray(String[]::new)));
      statement.setArray(
          2,
          connection
              .jdbc()
              .createArrayOf("text", tables.stream().map(TableId::name).toArray(String[]::new)));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          found.add(
              new Owned(
                  new TableId(row.getString(1), row.getString(2)),
                  row.getString(3),
                  new TableId(row.getString(4), row.getString(5)),
                  row.getBoolean(6),
                  row.getLong(7),
                  BigInteger.valueOf(row.getLong(8)),
                  BigInteger.valueOf(row.getLong(9)),
                  row.getBoolean(10),
                  row.getBoolean(11)));
        }
      }
    }
    connection.jdbc().commit();
    return found;
  }

  private static void raise(TargetConnection connection, Owned owned, long margin)
      throws SQLException {
    boolean rises = owned.increment() > 0;
    String furthest =
        "SELECT %s(%s) FROM %s"
            .formatted(
                rises ? "max" : "min", TableId.quote(owned.column()), owned.table().quoted());
    BigDecimal value;
    try (PreparedStatement select = connection.jdbc().prepareStatement(furthest);
        ResultSet row = select.executeQuery()) {
      value = row.next() ? row.getBigDecimal(1) : null;
    }
    if (value != null) {
      BigInteger wanted =
          value
              .toBigInteger()
              .add(BigInteger.valueOf(owned.increment()).multiply(BigInteger.valueOf(margin)))
              .max(owned.min())
              .min(owned.max());
      String set =
          "SELECT setval(?::text::regclass, ?) FROM %s WHERE last_value %s ?"
              .formatted(owned.sequence().quoted(), rises ? "<" : ">");
      try (PreparedStatement statement = connection.jdbc().prepareStatement(set)) {
        statement.setString(1, owned.sequence().quoted());
        statement.setLong(2, wanted.longValueExact());
        statement.setLong(3, wanted.longValueExact());
        statement.executeQuery().close();
      }
    }
    connection.commitDurably();
    connection.jdbc().commit();
  }

  private static String why(Owned owned) {
    if (!owned.settable()) {
      return "this user may not set it";
    }
    return owned.cycles() ? "it begins again by itself" : "its column has no numbers";
  }

  private static Problem problem(Owned owned, String why) {
    return new Problem(
        "sequence " + owned.sequence(),
        "it was not raised: " + why,
        "a sequence above the values of %s.%s".formatted(owned.table(), owned.column()),
        "Set it by hand before applications insert rows: SELECT setval(...)");
  }
}
