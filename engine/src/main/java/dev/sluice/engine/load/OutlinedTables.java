package dev.sluice.engine.load;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.IndexedColumn;
import dev.sluice.connector.api.load.TableOutline.OtherObject;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import dev.sluice.connector.api.load.TableOutline.OutlinedForeignKey;
import dev.sluice.connector.api.load.TableOutline.OutlinedIndex;
import dev.sluice.connector.api.source.load.DefinitionRequest;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.load.MadeTables;
import dev.sluice.load.RowGuard;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.load.target.MadeTable;
import dev.sluice.sink.target.ColumnFit;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TargetTable;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The source's tables as they are created on a target with its own types: with the names that rules
 * give, and without the columns that rules remove. Stateless.
 */
public final class OutlinedTables {
  private static final Logger LOG = LoggerFactory.getLogger(OutlinedTables.class);

  /** The name of a primary key on such a target. */
  private static final String PRIMARY = "PRIMARY";

  private OutlinedTables() {}

  /**
   * @param tables names on the source
   */
  public static List<TableOutline> read(
      SourceReader source, List<TableId> tables, TableMappings mappings) {
    List<TableOutline> outlines =
        source.outlines(new DefinitionRequest(tables, mappings::targetOf, 0, false));
    Map<TableId, TableId> sources =
        outlines.stream().collect(Collectors.toMap(TableOutline::table, TableOutline::source));
    return outlines.stream().map(table -> mapped(table, sources, mappings.columns())).toList();
  }

  /** The constraints that are created when no more changes are applied to the tables. */
  public static List<CompletionStep> constraints(
      SourceReader source, TargetServer target, List<TableId> tables, TableMappings mappings) {
    return MadeTables.constraints(
        MadeTables.on(target, RowGuard.NONE)
            .orElseThrow(() -> new IllegalStateException("BUG: the target makes no tables"))
            .of(read(source, tables, mappings)));
  }

  private static TableOutline mapped(
      TableOutline table, Map<TableId, TableId> sources, ColumnNames names) {
    Function<String, String> own = column -> names.orSame(table.source(), column);
    List<OutlinedColumn> columns = new ArrayList<>();
    for (OutlinedColumn column : table.columns()) {
      names.of(table.source(), column.name()).ifPresent(name -> columns.add(column.named(name)));
    }
    return new TableOutline(
        table.source(),
        table.table(),
        columns,
        table.key().stream().map(own).toList(),
        table.primary(),
        table.indexes().stream()
            .map(
                index ->
                    new OutlinedIndex(
                        index.name(),
                        index.unique(),
                        index.columns().stream()
                            .map(
                                part ->
                                    new IndexedColumn(own.apply(part.name()), part.descending()))
                            .toList(),
                        index.special()))
            .toList(),
        table.foreignKeys().stream().map(key -> mapped(key, own, sources, names)).toList(),
        table.columns().stream().allMatch(column -> names.keeps(table.source(), column.name()))
            ? table.others()
            : table.others().stream().map(OutlinedTables::ofSource).toList());
  }

  /** Marks the text as the source's: its columns may have other names here, or be missing. */
  private static OtherObject ofSource(OtherObject other) {
    return new OtherObject(
        other.kind(), other.name(), "with the source's columns: " + other.definition());
  }

  private static OutlinedForeignKey mapped(
      OutlinedForeignKey key,
      Function<String, String> own,
      Map<TableId, TableId> sources,
      ColumnNames names) {
    TableId referenced = sources.get(key.references());
    return new OutlinedForeignKey(
        key.name(),
        key.columns().stream().map(own).toList(),
        key.references(),
        key.referencedColumns().stream()
            .map(column -> referenced == null ? column : names.orSame(referenced, column))
            .toList(),
        key.onUpdate(),
        key.onDelete(),
        key.special());
  }

  /**
   * Whether the table is on the target with exactly these columns and this key, they keep the
   * values or have the source's types, and no index would refuse rows or indexes of the source.
   */
  public static boolean fits(MadeTable made, TargetServer target) {
    Optional<ColumnFit> fit = target.dialect().columnFit();
    try (TargetConnection connection = target.borrow()) {
      return fits(made, connection, fit);
    } catch (SQLException e) {
      throw target.errors().classify("read the columns of " + made.table(), e);
    }
  }

  private static boolean fits(MadeTable made, TargetConnection connection, Optional<ColumnFit> fit)
      throws SQLException {
    Optional<TargetTable> found =
        connection.dialect().catalog().table(connection.jdbc(), made.table());
    connection.rollback();
    return found.isPresent()
        && found.get().unfit().isEmpty()
        && hasKey(made.outline(), found.get(), fit.isPresent())
        && found.get().columns().size() == made.outline().columns().size()
        && made.outline().columns().stream()
            .allMatch(column -> fits(column, made, found.get(), fit))
        && indexesInTheWay(made, connection).isEmpty();
  }

  private static List<String> indexesInTheWay(MadeTable made, TargetConnection connection)
      throws SQLException {
    List<String> indexes =
        LoadDialects.of(connection.dialect())
            .making()
            .orElseThrow(() -> new IllegalStateException("BUG: the target makes no tables"))
            .indexesInTheWay(connection, made);
    if (!indexes.isEmpty()) {
      LOG.info("{} has indexes that its source does not have: {}", made.table(), indexes);
    }
    return indexes;
  }

  /**
   * @param named whether a primary key is recognized by its name
   */
  private static boolean hasKey(TableOutline outline, TargetTable found, boolean named) {
    return outline.key().isEmpty()
        || found.indexes().stream()
            .anyMatch(
                index ->
                    index.uniqueKey().equals(outline.key())
                        && (!named || index.name().equals(PRIMARY) == outline.primary()));
  }

  private static boolean fits(
      OutlinedColumn column, MadeTable made, TargetTable found, Optional<ColumnFit> fit) {
    Optional<TargetColumn> there = found.column(column.name());
    if (there.isPresent() && fit.isEmpty()) {
      return there.get().type().equals(column.type()) && there.get().notNull() == column.notNull();
    }
    Column source =
        new Column(
            column.name(),
            column.type(),
            !column.notNull(),
            made.outline().key().contains(column.name()));
    return there.isPresent()
        && there.get().notNull() == column.notNull()
        && !(fit.orElseThrow().of(source, found, there.get()) instanceof ColumnFit.Verdict.Unfit);
  }
}
