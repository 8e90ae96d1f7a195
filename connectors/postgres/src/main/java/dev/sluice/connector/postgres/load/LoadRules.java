package dev.sluice.connector.postgres.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.ParallelLoad;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.connector.postgres.server.SourceErrors;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks the parallel-load rules against the source's tables and computes the parts that they
 * define. Owned by the thread that owns the connection, which must not be in a transaction.
 */
public final class LoadRules {
  private final Connection connection;
  private final Map<TableId, ParallelLoad> rules;
  private final Map<TableId, List<SegmentRange>> parts = new HashMap<>();

  public LoadRules(Connection connection, Map<TableId, ParallelLoad> rules) {
    this.connection = connection;
    this.rules = Map.copyOf(rules);
  }

  /**
   * All problems of the rules.
   *
   * @param tables the task's tables; a rule for another table is a problem, since it has no effect
   */
  public static List<Problem> problems(
      SourceServer source, Map<TableId, ParallelLoad> rules, Collection<TableId> tables) {
    if (rules.isEmpty()) {
      return List.of();
    }
    try (Connection connection = source.connect()) {
      LoadRules checked = new LoadRules(connection, rules);
      List<Problem> problems = new ArrayList<>();
      for (TableId table : rules.keySet().stream().sorted().toList()) {
        if (!tables.contains(table)) {
          problems.add(unknown(table));
        } else {
          problems.addAll(checked.problems(new TableRecorder(connection).record(List.of(table))));
        }
      }
      return problems;
    } catch (SQLException e) {
      throw SourceErrors.classify("check the parallel-load rules", e);
    }
  }

  /**
   * Adds the rules' parts to a segmentation.
   *
   * @throws SluiceException.Fatal with the problems of all rules
   */
  public Segmentation segmentation(Segmentation byDefault, List<RecordedTable> tables) {
    try {
      List<Problem> problems = problems(tables);
      if (!problems.isEmpty()) {
        throw new SluiceException.Fatal(problems);
      }
      return byDefault.ruled(parts);
    } catch (SQLException e) {
      throw SourceErrors.classify("read the columns of the parallel-load rules", e);
    }
  }

  private List<Problem> problems(List<RecordedTable> tables) throws SQLException {
    List<Problem> problems = new ArrayList<>();
    for (RecordedTable table : tables) {
      ParallelLoad rule = rules.get(table.table());
      if (rule instanceof ParallelLoad.Ranges ranges) {
        KeyRanges keys = new KeyRanges(connection, table.table(), ranges);
        List<Problem> found = keys.problems();
        problems.addAll(found);
        if (found.isEmpty()) {
          parts.put(table.table(), keys.ranges());
        }
      } else if (rule instanceof ParallelLoad.Whole) {
        parts.put(table.table(), List.of(new SegmentRange.Whole()));
      } else if (rule instanceof ParallelLoad.Partitions partitions) {
        Set<String> missing = new HashSet<>(partitions.names());
        table.leaves().forEach(leaf -> missing.remove(leaf.leaf().name()));
        if (!missing.isEmpty()) {
          problems.add(
              new Problem(
                  "table-mappings, rule "
                      + partitions.rule()
                      + ", parallel-load of "
                      + table.table(),
                  "it has no partitions " + missing,
                  "partitions that hold rows: "
                      + table.leaves().stream().map(leaf -> leaf.leaf().name()).toList(),
                  "Correct the names, or write \"type\": \"partitions-auto\""));
        }
      }
    }
    return problems;
  }

  private static Problem unknown(TableId table) {
    return new Problem(
        "table-mappings, parallel-load for " + table,
        "the source has no such table, or no rule selects it",
        "a table of the task",
        "Correct the name (it is case-sensitive), or remove the rule");
  }
}
