package dev.sluice.connector.mariadb.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.ParallelLoad;
import dev.sluice.config.settings.DataSize;
import dev.sluice.connector.api.source.load.Segment;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.connector.mariadb.catalog.DatabaseTables;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Divides tables into segments, by the parallel-load rules or by size. Owned by the thread that
 * owns the connection.
 */
public final class SegmentPlan {
  private final Connection connection;
  private final Map<TableId, ParallelLoad> rules;

  public SegmentPlan(Connection connection, Map<TableId, ParallelLoad> rules) {
    this.connection = connection;
    this.rules = Map.copyOf(rules);
  }

  /**
   * All problems of the rules.
   *
   * @param tables the task's tables; a rule for another table is a problem, since it has no effect
   */
  public List<Problem> problems(DatabaseTables catalog, Collection<TableId> tables)
      throws SQLException {
    List<Problem> problems = new ArrayList<>();
    for (TableId name : rules.keySet().stream().sorted().toList()) {
      Optional<MariadbTable> table = catalog.table(name).filter(one -> tables.contains(name));
      if (table.isEmpty()) {
        problems.add(
            new Problem(
                "table-mappings, parallel-load for " + name,
                "the source has no such table, or no rule selects it",
                "a table of the task",
                "Correct the name (it is case-sensitive), or remove the rule"));
      } else {
        problems.addAll(problems(table.get()));
      }
    }
    return problems;
  }

  private List<Problem> problems(MariadbTable table) throws SQLException {
    ParallelLoad rule = rules.get(table.table());
    if (rule instanceof ParallelLoad.Ranges ranges) {
      return new RangeRules(connection, table, ranges).problems();
    }
    if (rule instanceof ParallelLoad.Partitions partitions) {
      return List.of(
          new Problem(
              "table-mappings, rule " + partitions.rule() + ", parallel-load of " + table.table(),
              "it divides the table by its partitions, which is not built for this source",
              "\"type\": \"ranges\" or \"none\", or no rule: a large table is divided by its key",
              "Change or remove the rule"));
    }
    return List.of();
  }

  /**
   * The segments of a table; together they contain each of its rows once.
   *
   * @param size approximate size of a segment
   * @throws SluiceException.Fatal with the problems of the table's rule
   */
  List<Segment> of(MariadbTable table, DataSize size) throws SQLException {
    List<Segment> segments = new ArrayList<>();
    for (SegmentRange rows : ranges(table, size)) {
      segments.add(new Segment(table.table(), segments.size(), table.table(), rows));
    }
    return segments;
  }

  private List<SegmentRange> ranges(MariadbTable table, DataSize size) throws SQLException {
    ParallelLoad rule = rules.get(table.table());
    if (rule instanceof ParallelLoad.Ranges ranges) {
      RangeRules checked = new RangeRules(connection, table, ranges);
      List<Problem> problems = checked.problems();
      if (!problems.isEmpty()) {
        throw new SluiceException.Fatal(problems);
      }
      return checked.ranges();
    }
    List<Problem> problems = problems(table);
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
    return rule instanceof ParallelLoad.Whole
        ? List.of(new SegmentRange.Whole())
        : new KeySegments(connection, size).of(table);
  }
}
