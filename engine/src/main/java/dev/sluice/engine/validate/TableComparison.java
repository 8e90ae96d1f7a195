package dev.sluice.engine.validate;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.load.LobCut;
import dev.sluice.connector.api.load.OrderedCopy;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.source.load.OrderedReader;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.load.TargetTables;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares tables on both sides row by row, independently of the validation: the demo and tests use
 * it for their verdict. Both sides stream their rows in the same order, so no more than two rows
 * are in memory. What is written on either side meanwhile shows as a difference. Owned by the
 * thread that calls it.
 */
public final class TableComparison {
  private static final Logger LOG = LoggerFactory.getLogger(TableComparison.class);
  private static final int EXAMPLES = 10;

  private final SourceReader source;
  private final TargetServer target;
  private final TableMappings mappings;

  /**
   * @param mappings which rows are replicated, and the names of tables and columns on the target
   */
  public TableComparison(SourceReader source, TargetServer target, TableMappings mappings) {
    this.source = source;
    this.target = target;
    this.mappings = mappings;
  }

  /**
   * Compares each table's common columns in the replicated rows: by key if the source has one,
   * otherwise as a multiset.
   *
   * @return a result for each table, in the order given
   * @throws dev.sluice.config.document.SluiceException.Overtaken naming every table that is gone
   *     from the source
   * @throws dev.sluice.config.document.SluiceException.Fatal naming every table that the target
   *     lacks
   */
  public List<ComparedTable> compare(List<TableId> tables) {
    try (OrderedReader sourceSession = source.inOrder();
        TargetConnection targetSession = target.connect()) {
      List<RecordedTable> recorded = source.record(tables);
      List<ComparedTable> compared = new ArrayList<>();
      var targetColumns =
          new TargetTables(targetSession).columns(tables.stream().map(mappings::targetOf).toList());
      for (RecordedTable table : recorded) {
        ComparedTable result =
            compare(
                table,
                targetColumns.get(mappings.targetOf(table.table())),
                sourceSession,
                targetSession);
        LOG.info("compared: {}", result);
        compared.add(result);
      }
      return compared;
    }
  }

  private ComparedTable compare(
      RecordedTable table,
      List<TableColumn> targetColumns,
      OrderedReader sourceSession,
      TargetConnection targetSession) {
    TableId targetTable = mappings.targetOf(table.table());
    Set<String> onTarget =
        targetColumns.stream().map(TableColumn::name).collect(Collectors.toSet());
    ColumnNames names = mappings.columns();
    List<String> common =
        table.columns().stream()
            .map(TableColumn::name)
            .filter(name -> names.of(table.table(), name).filter(onTarget::contains).isPresent())
            .toList();
    boolean keyed = !table.key().isEmpty() && common.containsAll(table.key());
    List<String> key = keyed ? table.key() : common;
    List<String> others = common.stream().filter(column -> !key.contains(column)).toList();
    LobCut cut = LobCut.of(table.columns(), table.key(), mappings.lobLimits().of(table.table()));

    RowsInOrder sourceRows =
        new RowsInOrder(
            "source table " + table.table(),
            sourceSession.read(
                new OrderedCopy(
                    table.table(),
                    table.partitioned(),
                    key,
                    others,
                    cut,
                    mappings.filter(table.table()))),
            key.size());
    RowsInOrder targetRows =
        new RowsInOrder(
            "target table " + targetTable,
            // Rows of a target's child tables belong to those tables.
            TargetLines.begin(
                targetSession,
                new OrderedCopy(
                    targetTable,
                    isPartitioned(targetSession, targetTable),
                    named(names, table.table(), key),
                    named(names, table.table(), others),
                    LobCut.NONE,
                    Optional.empty())),
            key.size());
    try {
      return merge(table.table(), targetTable, sourceRows, targetRows, key.size());
    } finally {
      sourceRows.close();
      targetRows.close();
      targetSession.rollback();
    }
  }

  private static ComparedTable merge(
      TableId table, TableId target, RowsInOrder source, RowsInOrder targetRows, int keyFields) {
    long equal = 0;
    long differing = 0;
    long missing = 0;
    long extra = 0;
    List<String> examples = new ArrayList<>();
    while (source.current() != null || targetRows.current() != null) {
      byte[] left = source.current();
      byte[] right = targetRows.current();
      int order =
          left == null ? 1 : right == null ? -1 : RowsInOrder.compareKeys(left, right, keyFields);
      boolean same = order == 0 && Arrays.equals(left, right);
      if (same) {
        equal++;
      } else if (examples.size() < EXAMPLES) {
        examples.add(
            (order == 0 ? "differing " : order < 0 ? "missing " : "extra ")
                + RowsInOrder.key(order <= 0 ? left : right, keyFields));
      }
      if (order == 0) {
        differing += same ? 0 : 1;
        source.advance();
        targetRows.advance();
      } else if (order < 0) {
        missing++;
        source.advance();
      } else {
        extra++;
        targetRows.advance();
      }
    }
    return new ComparedTable(
        table,
        target,
        source.rows(),
        targetRows.rows(),
        equal,
        differing,
        missing,
        extra,
        examples);
  }

  private static List<String> named(ColumnNames names, TableId source, List<String> columns) {
    return columns.stream().map(column -> names.orSame(source, column)).toList();
  }

  private static boolean isPartitioned(TargetConnection session, TableId table) {
    try {
      return session.exists(
          "SELECT 1 FROM pg_partitioned_table WHERE partrelid = '"
              + table.quoted().replace("'", "''")
              + "'::regclass");
    } catch (SQLException e) {
      throw session.errors().classify("compare tables", e);
    }
  }
}
