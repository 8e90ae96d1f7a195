package dev.sluice.connector.mariadb.server;

import dev.sluice.connector.comparison.mariadb.ClusterMember;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Runs queries of the catalog, whose values are texts. Owned by the thread of its connection. */
public final class MariadbQuery {
  private final Connection connection;

  public MariadbQuery(Connection connection) {
    this.connection = connection;
  }

  /**
   * All rows of a query, each with its values in order; NULL is null.
   *
   * @param parameters texts for the question marks
   */
  public List<String[]> rows(String sql, String... parameters) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setString(i + 1, parameters[i]);
      }
      try (ResultSet found = statement.executeQuery()) {
        int columns = found.getMetaData().getColumnCount();
        List<String[]> rows = new ArrayList<>();
        while (found.next()) {
          String[] row = new String[columns];
          for (int i = 0; i < columns; i++) {
            row[i] = found.getString(i + 1);
          }
          rows.add(row);
        }
        return rows;
      }
    }
  }

  /** All rows of a statement, each with its values by the names of their columns, without NULL. */
  public List<Map<String, String>> named(String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql);
        ResultSet found = statement.executeQuery()) {
      ResultSetMetaData columns = found.getMetaData();
      List<Map<String, String>> rows = new ArrayList<>();
      while (found.next()) {
        Map<String, String> row = new HashMap<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
          String value = found.getString(i);
          row.put(columns.getColumnLabel(i), value == null ? "" : value);
        }
        rows.add(row);
      }
      return rows;
    }
  }

  /** Which server answers. */
  public Flavour flavour() throws SQLException {
    return Flavour.of(connection);
  }

  /** The cluster that the server belongs to. */
  public Optional<ClusterMember> cluster() throws SQLException {
    return ClusterMember.read(connection);
  }

  /** Whether the server is a node of Galera, which gets rows from others. */
  public boolean isNodeOfGalera() throws SQLException {
    return cluster().filter(member -> member.kind() == ClusterMember.Kind.GALERA).isPresent();
  }

  /** The first row; empty if there is none. */
  public Optional<String[]> row(String sql, String... parameters) throws SQLException {
    return rows(sql, parameters).stream().findFirst();
  }

  /** The server's variables by name in lower case. One that this server lacks is missing. */
  public Map<String, String> variables() throws SQLException {
    return byName(rows("SHOW GLOBAL VARIABLES"));
  }

  /** The same of some of them, by their names in lower case. */
  public Map<String, String> variables(String... names) throws SQLException {
    String all = String.join(", ", Collections.nCopies(names.length, "?"));
    return byName(rows("SHOW GLOBAL VARIABLES WHERE Variable_name IN (" + all + ")", names));
  }

  private static Map<String, String> byName(List<String[]> rows) {
    Map<String, String> variables = new HashMap<>();
    for (String[] row : rows) {
      variables.put(row[0].toLowerCase(Locale.ROOT), row[1] == null ? "" : row[1]);
    }
    return variables;
  }
}
