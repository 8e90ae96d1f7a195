package dev.sluice.connector.postgres.activity;

import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Timeouts that are set for roles and databases. Immutable, threadsafe. */
record SetTimeouts(SourceServer server) {
  private static final String QUERY =
      """
      SELECT coalesce('role ' || r.rolname, 'every role'),
        coalesce('database ' || d.datname, 'every database'),
        pg_catalog.split_part(c.text, '=', 1), pg_catalog.split_part(c.text, '=', 2)
      FROM pg_catalog.pg_db_role_setting s
      CROSS JOIN unnest(s.setconfig) AS c (text)
      LEFT JOIN pg_catalog.pg_roles r ON r.oid = s.setrole
      LEFT JOIN pg_catalog.pg_database d ON d.oid = s.setdatabase
      WHERE pg_catalog.split_part(c.text, '=', 1) IN ('statement_timeout', 'lock_timeout',
          'idle_in_transaction_session_timeout', 'transaction_timeout')
        AND (s.setdatabase = 0 OR d.datname = pg_catalog.current_database())
        AND r.rolname IS DISTINCT FROM current_user
      ORDER BY 1, 2, 3""";

  private static final Pattern VALUE = Pattern.compile("([0-9.]+) *([a-z]*)");

  private static final Map<String, Double> MILLISECONDS =
      Map.of("us", 0.001, "ms", 1.0, "", 1.0, "s", 1e3, "min", 6e4, "h", 3.6e6, "d", 8.64e7);

  List<String> below(Duration limit) {
    try (Connection connection = server.borrow();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(QUERY)) {
      List<String> found = new ArrayList<>();
      while (rows.next()) {
        Optional<Double> value = milliseconds(rows.getString(4));
        if (value.filter(set -> set > 0 && set < limit.toMillis()).isPresent()) {
          found.add(
              "%s of %s, %s: %s"
                  .formatted(
                      rows.getString(3), rows.getString(1), rows.getString(2), rows.getString(4)));
        }
      }
      return found;
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the timeouts of the source's roles", e);
    }
  }

  /** Empty if it is not written as the server would write it. */
  static Optional<Double> milliseconds(String value) {
    Matcher parts = VALUE.matcher(value.strip());
    return parts.matches() && MILLISECONDS.containsKey(parts.group(2))
        ? Optional.of(Double.parseDouble(parts.group(1)) * MILLISECONDS.get(parts.group(2)))
        : Optional.empty();
  }
}
