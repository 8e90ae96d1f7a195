package dev.sluice.connector.generic.catalog;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.TableDefinitions;
import dev.sluice.connector.api.source.catalog.PrintedForm;
import dev.sluice.connector.api.source.catalog.TypeCatalog;
import dev.sluice.connector.api.source.catalog.TypeServer;
import dev.sluice.connector.api.source.catalog.TypeTree;
import dev.sluice.connector.api.source.load.DefinitionRequest;
import dev.sluice.connector.api.source.load.OrderedReader;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.RecordedTables;
import dev.sluice.connector.api.source.load.SegmentRules;
import dev.sluice.connector.api.source.load.SequenceReading;
import dev.sluice.connector.api.source.load.SnapshotReader;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.connector.generic.config.NotBuilt;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Reads definitions by JDBC. It reads no row: the connector delivers all of them, so each table has
 * no segment. Threadsafe.
 */
public record GenericReader(JdbcServer server) implements SourceReader {
  /** What the text of the values means to all releases of PostgreSQL. */
  private static final TypeServer TYPES =
      new TypeServer(16, "UTF8", 100, false, Map.of(), Map.of());

  @Override
  public RecordedTables record(List<TableId> tables, SegmentRules rules) {
    return new RecordedTables(
        record(tables),
        Map.of(),
        tables.stream().collect(Collectors.toMap(Function.identity(), table -> List.of())));
  }

  @Override
  public List<RecordedTable> record(List<TableId> tables) {
    return tables(tables).stream()
        .map(
            table ->
                new RecordedTable(
                    table.table(), 0, table.targetColumns(), table.key(), false, List.of()))
        .toList();
  }

  /** In the given order. */
  private List<JdbcTable> tables(List<TableId> names) {
    Map<TableId, JdbcTable> found =
        server
            .ask(
                "read the definitions",
                connection -> new JdbcCatalog(connection, server.config()).tables(names::contains))
            .stream()
            .collect(Collectors.toMap(JdbcTable::table, Function.identity()));
    List<TableId> gone = new ArrayList<>(names);
    gone.removeAll(found.keySet());
    if (!gone.isEmpty()) {
      throw new SluiceException.Overtaken(
          "tables that were selected do not exist any more: " + gone, null);
    }
    return names.stream().map(found::get).toList();
  }

  @Override
  public SnapshotReader open(String snapshot) {
    return new NoRows();
  }

  @Override
  public boolean writesBinary() {
    return false;
  }

  @Override
  public OrderedReader inOrder() {
    throw NotBuilt.refused("its rows cannot be read in order", "no comparison");
  }

  @Override
  public TypeCatalog types() {
    return new Types(server);
  }

  @Override
  public TableDefinitions definitions(DefinitionRequest request) {
    return CreatedTables.of(tables(request.tables()), request.targetOf());
  }

  /** Foreign keys, checks and triggers are not made. */
  @Override
  public List<CompletionStep> constraints(DefinitionRequest request) {
    return List.of();
  }

  /** No code of the source runs on the target: no expression is carried. */
  @Override
  public List<Problem> codeThatNeedsConsent(Collection<TableId> tables) {
    return List.of();
  }

  @Override
  public SequenceReading sequences(List<TableId> tables, Predicate<TableId> others) {
    return new SequenceReading(List.of(), List.of());
  }

  /** For messages: user and address. */
  @Override
  public String toString() {
    return server.toString();
  }

  /** The types of PostgreSQL to which columns go. */
  private record Types(JdbcServer read) implements TypeCatalog {
    @Override
    public TypeServer server() {
      return TYPES;
    }

    @Override
    public Map<TableId, Map<String, TypeTree>> of(Set<TableId> tables) {
      Map<TableId, Map<String, TypeTree>> types = new HashMap<>();
      read.ask(
              "read the columns",
              connection -> new JdbcCatalog(connection, read.config()).tables(tables::contains))
          .forEach(table -> types.put(table.table(), types(table)));
      return types;
    }

    private static Map<String, TypeTree> types(JdbcTable table) {
      Map<String, TypeTree> types = new LinkedHashMap<>();
      for (JdbcColumn column : table.columns()) {
        // One whose type is unknown is a problem of the source's checks.
        column.target().ifPresent(type -> types.put(column.name(), PrintedForm.of(type)));
      }
      return types;
    }

    @Override
    public Optional<TypeTree> named(TableId name) {
      return Optional.empty();
    }

    @Override
    public void close() {
      // Each question has a session of its own.
    }
  }
}
