package dev.sluice.connector.postgres.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.postgres.server.SourceErrors;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Estimates how many rows of a table a load will copy, by the source's query planner: from
 * statistics, or from the file's size without them. Owned by the thread that plans the load.
 */
public final class RowEstimates {
  private static final Logger LOG = LoggerFactory.getLogger(RowEstimates.class);

  private static final Pattern PLAN_ROWS = Pattern.compile("\"Plan Rows\": *(\\d+)");

  private final Connection connection;

  public RowEstimates(Connection connection) {
    this.connection = connection;
  }

  /**
   * The estimated rows by table; a table that is locked has none.
   *
   * @param condition the SQL condition of the rows to copy; empty: all
   */
  public Map<TableId, Long> of(
      List<RecordedTable> tables, Function<RecordedTable, Optional<String>> condition) {
    Map<TableId, Long> estimates = new LinkedHashMap<>();
    try (Statement statement = connection.createStatement()) {
      // Planning locks the table for a moment. It does not wait for a session that alters it.
      statement.execute("SET lock_timeout = '100ms'");
      for (RecordedTable table : tables) {
        estimate(statement, table, condition.apply(table))
            .ifPresent(rows -> estimates.put(table.table(), rows));
      }
      statement.execute("SET lock_timeout = 0");
    } catch (SQLException e) {
      throw SourceErrors.classify("estimate the rows of tables", e);
    }
    return estimates;
  }

  private static Optional<Long> estimate(
      Statement statement, RecordedTable table, Optional<String> condition) throws SQLException {
    String sql =
        "EXPLAIN (FORMAT JSON) SELECT FROM "
            + (table.partitioned() || table.isView() ? "" : "ONLY ")
            + table.table().quoted()
            + condition.map(rows -> " WHERE " + rows).orElse("");
    try (ResultSet plan = statement.executeQuery(sql)) {
      plan.next();
      Matcher rows = PLAN_ROWS.matcher(plan.getString(1));
      return rows.find() ? Optional.of(Long.parseLong(rows.group(1))) : Optional.empty();
    } catch (SQLException e) {
      if (statement.getConnection().isClosed()) {
        throw e;
      }
      LOG.debug("no estimate of the rows of {}: {}", table.table(), e.getMessage());
      return Optional.empty();
    }
  }
}
