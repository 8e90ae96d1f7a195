package dev.sluice.connector.postgres.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.connector.api.source.load.SequenceReading;
import dev.sluice.connector.postgres.server.SourceErrors;
import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Reads the values of sequences: those of identity and serial columns, those named in defaults, and
 * those that only applications use. Owned by the thread that uses its connection.
 */
public final class SequenceReader {

  /**
   * Sequences owned by, or named in a default of, a column of the tables or of their partitions.
   * One question for all tables: a cutover asks it while the applications wait.
   */
  private static final String SEQUENCES =
      """
      WITH wanted AS (
        SELECT c.oid, c.relkind FROM unnest(?::text[], ?::text[]) AS w (table_schema, table_name)
        JOIN pg_namespace n ON n.nspname = w.table_schema
        JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = w.table_name),
      tree AS (
        SELECT oid FROM wanted
        UNION
        SELECT p.relid::oid FROM wanted, pg_partition_tree(wanted.oid::regclass) p
        WHERE wanted.relkind = 'p'),
      used AS (
        SELECT d.objid AS sequence, d.refobjid AS relid, d.refobjsubid AS attnum, true AS owned
        FROM pg_depend d JOIN tree ON tree.oid = d.refobjid
        WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass
          AND d.deptype IN ('a', 'i') AND d.refobjsubid > 0
        UNION ALL
        SELECT d.refobjid, a.adrelid, a.adnum, false
        FROM pg_attrdef a JOIN tree ON tree.oid = a.adrelid
        JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = a.oid
        WHERE d.refclassid = 'pg_class'::regclass)
      SELECT DISTINCT ON (s.oid) sn.nspname, s.relname, tn.nspname, t.relname, c.attname, u.owned,
             has_schema_privilege(sn.oid, 'USAGE') AND has_sequence_privilege(s.oid, 'SELECT')
      FROM used u
      JOIN pg_class s ON s.oid = u.sequence AND s.relkind = 'S'
      JOIN pg_namespace sn ON sn.oid = s.relnamespace
      JOIN pg_class t ON t.oid = u.relid
      JOIN pg_namespace tn ON tn.oid = t.relnamespace
      JOIN pg_attribute c ON c.attrelid = u.relid AND c.attnum = u.attnum
      ORDER BY s.oid, u.owned DESC, u.relid
      """;

  /** Sequences that no column owns. */
  private static final String UNOWNED =
      """
      SELECT n.nspname, s.relname,
             has_schema_privilege(n.oid, 'USAGE') AND has_sequence_privilege(s.oid, 'SELECT')
      FROM pg_class s JOIN pg_namespace n ON n.oid = s.relnamespace
      WHERE s.relkind = 'S' AND s.relpersistence <> 't'
        AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
        AND NOT EXISTS (
          SELECT FROM pg_depend d
          WHERE d.classid = 'pg_class'::regclass AND d.objid = s.oid
            AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
            AND d.refobjsubid > 0)
      ORDER BY n.nspname, s.relname
      """;

  private final Connection connection;

  public SequenceReader(Connection connection) {
    this.connection = connection;
  }

  /**
   * Reads the sequences of the tables and other selected ones.
   *
   * @param others selects among the sequences that no column owns
   */
  public SequenceReading read(List<TableId> tables, Predicate<TableId> others) {
    Map<TableId, SequenceState> states = new LinkedHashMap<>();
    Set<TableId> unreadable = new LinkedHashSet<>();
    readOf(tables, states, unreadable);
    readUnowned(others, states, unreadable);
    return new SequenceReading(List.copyOf(states.values()), List.copyOf(unreadable));
  }

  /** The last value of each sequence that was used and that this user may read. */
  public static Map<TableId, Long> lastValues(SourceServer server) {
    try (Connection connection = server.borrow();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT schemaname, sequencename, last_value FROM pg_catalog.pg_sequences"
                    + " WHERE last_value IS NOT NULL")) {
      Map<TableId, Long> values = new HashMap<>();
      while (rows.next()) {
        values.put(new TableId(rows.getString(1), rows.getString(2)), rows.getLong(3));
      }
      return values;
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the source's sequences", e);
    }
  }

  private void readOf(
      List<TableId> tables, Map<TableId, SequenceState> states, Set<TableId> unreadable) {
    try (PreparedStatement statement = connection.prepareStatement(SEQUENCES)) {
      statement.setArray(1, texts(tables, TableId::schema));
      statement.setArray(2, texts(tables, TableId::name));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          TableId sequence = new TableId(rows.getString(1), rows.getString(2));
          SequenceState.Use use =
              new SequenceState.Use(
                  new TableId(rows.getString(3), rows.getString(4)),
                  rows.getString(5),
                  rows.getBoolean(6));
          if (!rows.getBoolean(7)) {
            unreadable.add(sequence);
          } else if (!states.containsKey(sequence)) {
            states.put(sequence, state(sequence, Optional.of(use)));
          }
        }
      }
    } catch (SQLException e) {
      throw SourceErrors.classify("read the sequences of the tables", e);
    }
  }

  private Array texts(List<TableId> tables, Function<TableId, String> part) throws SQLException {
    return connection.createArrayOf("text", tables.stream().map(part).toArray());
  }

  private void readUnowned(
      Predicate<TableId> wanted, Map<TableId, SequenceState> states, Set<TableId> unreadable) {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(UNOWNED)) {
      while (rows.next()) {
        TableId sequence = new TableId(rows.getString(1), rows.getString(2));
        if (!states.containsKey(sequence) && wanted.test(sequence)) {
          if (rows.getBoolean(3)) {
            states.put(sequence, state(sequence, Optional.empty()));
          } else {
            unreadable.add(sequence);
          }
        }
      }
    } catch (SQLException e) {
      throw SourceErrors.classify("read the sequences that no column owns", e);
    }
  }

  private SequenceState state(TableId sequence, Optional<SequenceState.Use> use)
      throws SQLException {
    // From the sequence itself: the view pg_sequences does not show is_called.
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT s.last_value, s.is_called, q.seqincrement, q.seqmin, q.seqmax, q.seqcache,"
                    + " q.seqcycle FROM "
                    + sequence.quoted()
                    + " s JOIN pg_catalog.pg_sequence q ON q.seqrelid = s.tableoid")) {
      row.next();
      return new SequenceState(
          sequence,
          use,
          row.getLong(1),
          row.getBoolean(2),
          new SequenceState.Form(
              row.getLong(3), row.getLong(4), row.getLong(5), row.getLong(6), row.getBoolean(7)));
    }
  }
}
