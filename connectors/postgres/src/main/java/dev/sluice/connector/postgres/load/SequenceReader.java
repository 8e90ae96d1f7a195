package dev.sluice.connector.postgres.load;

import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.SequenceState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads where the sequences of tables stand: those of identity and serial columns, and those that
 * defaults name. Owned by the thread that uses its connection.
 */
public final class SequenceReader {

  /** Owned by a column of the table or of a partition below it, or named in a default of one. */
  private static final String SEQUENCES =
      """
      WITH tree AS (
        SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = ?::text AND c.relname = ?::text
        UNION
        SELECT p.relid::oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace,
               pg_partition_tree(c.oid::regclass) p
        WHERE n.nspname = ?::text AND c.relname = ?::text AND c.relkind = 'p'),
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
      SELECT DISTINCT ON (s.oid) sn.nspname, s.relname, tn.nspname, t.relname, c.attname, u.owned
      FROM used u
      JOIN pg_class s ON s.oid = u.sequence AND s.relkind = 'S'
      JOIN pg_namespace sn ON sn.oid = s.relnamespace
      JOIN pg_class t ON t.oid = u.relid
      JOIN pg_namespace tn ON tn.oid = t.relnamespace
      JOIN pg_attribute c ON c.attrelid = u.relid AND c.attnum = u.attnum
      ORDER BY s.oid, u.owned DESC, u.relid
      """;

  private final Connection connection;

  public SequenceReader(Connection connection) {
    this.connection = connection;
  }

  /**
   * The sequences of the tables, each once.
   *
   * @throws SluiceException where the source refuses, for example for want of SELECT on a sequence
   */
  public List<SequenceState> read(List<TableId> tables) {
    List<SequenceState> states = new ArrayList<>();
    for (TableId table : tables) {
      for (SequenceState state : read(table)) {
        if (states.stream().noneMatch(seen -> seen.sequence().equals(state.sequence()))) {
          states.add(state);
        }
      }
    }
    return states;
  }

  private List<SequenceState> read(TableId table) {
    try (PreparedStatement statement = connection.prepareStatement(SEQUENCES)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      statement.setString(3, table.schema());
      statement.setString(4, table.name());
      List<SequenceState> states = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          states.add(
              state(
                  new TableId(rows.getString(1), rows.getString(2)),
                  new TableId(rows.getString(3), rows.getString(4)),
                  rows.getString(5),
                  rows.getBoolean(6)));
        }
      }
      return states;
    } catch (SQLException e) {
      throw SourceErrors.classify("read the sequences of " + table, e);
    }
  }

  private SequenceState state(TableId sequence, TableId table, String column, boolean owned)
      throws SQLException {
    // The sequence itself, not the view pg_sequences: that hides whether the value was given out.
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT last_value, is_called FROM " + sequence.quoted())) {
      row.next();
      return new SequenceState(sequence, table, column, owned, row.getLong(1), row.getBoolean(2));
    }
  }
}
