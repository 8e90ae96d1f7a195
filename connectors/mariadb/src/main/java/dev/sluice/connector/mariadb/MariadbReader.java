package dev.sluice.connector.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.connector.api.load.TableDefinitions;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.source.catalog.TypeCatalog;
import dev.sluice.connector.api.source.load.DefinitionRequest;
import dev.sluice.connector.api.source.load.OrderedReader;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.RecordedTables;
import dev.sluice.connector.api.source.load.SegmentRules;
import dev.sluice.connector.api.source.load.SequenceReading;
import dev.sluice.connector.api.source.load.SnapshotReader;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.connector.mariadb.catalog.AutoIncrements;
import dev.sluice.connector.mariadb.catalog.DatabaseSequences;
import dev.sluice.connector.mariadb.catalog.DatabaseTables;
import dev.sluice.connector.mariadb.catalog.MappedTypes;
import dev.sluice.connector.mariadb.definition.MariadbDefinitionReader;
import dev.sluice.connector.mariadb.load.MariadbOrderedReader;
import dev.sluice.connector.mariadb.load.MariadbRecorder;
import dev.sluice.connector.mariadb.load.MariadbSnapshotReader;
import dev.sluice.connector.mariadb.load.SnapshotOpening;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/** Reads a MariaDB source. Threadsafe. */
final class MariadbReader implements SourceReader {
  private final MariadbServer server;
  private final SnapshotOpening snapshots;
  private final ValuePolicy values;

  MariadbReader(MariadbServer server, SnapshotOpening snapshots, ValuePolicy values) {
    this.server = server;
    this.snapshots = snapshots;
    this.values = values;
  }

  @Override
  public RecordedTables record(List<TableId> tables, SegmentRules rules) {
    return over(connection -> recorder(connection).record(tables, rules));
  }

  @Override
  public List<RecordedTable> record(List<TableId> tables) {
    return over(connection -> recorder(connection).record(tables));
  }

  private <T> T over(MariadbServer.Reading<T> reading) {
    return server.read("read the definitions of " + server, reading);
  }

  private MariadbRecorder recorder(Connection connection) {
    return new MariadbRecorder(connection, server.database());
  }

  @Override
  public SnapshotReader open(String snapshot) {
    return MariadbSnapshotReader.open(server, values, snapshots, snapshot);
  }

  @Override
  public boolean writesBinary() {
    return false;
  }

  @Override
  public OrderedReader inOrder() {
    return MariadbOrderedReader.open(server, values);
  }

  @Override
  public TypeCatalog types() {
    return over(connection -> new MappedTypes(DatabaseTables.read(connection, server.database())));
  }

  @Override
  public TableDefinitions definitions(DefinitionRequest request) {
    return over(
        connection ->
            new MariadbDefinitionReader(connection, server.database(), request, values).tables());
  }

  @Override
  public List<CompletionStep> constraints(DefinitionRequest request) {
    return over(
        connection ->
            new MariadbDefinitionReader(connection, server.database(), request, values)
                .constraints());
  }

  @Override
  public List<TableOutline> outlines(DefinitionRequest request) {
    return over(
        connection ->
            new MariadbDefinitionReader(connection, server.database(), request, values).outlines());
  }

  /** None: expressions that could run code of the source on the target are not created. */
  @Override
  public List<Problem> codeThatNeedsConsent(Collection<TableId> tables) {
    return List.of();
  }

  @Override
  public SequenceReading sequences(List<TableId> tables, Predicate<TableId> others) {
    return over(
        connection -> {
          DatabaseTables catalog = DatabaseTables.read(connection, server.database());
          DatabaseSequences own = DatabaseSequences.read(connection, server.database(), catalog);
          List<SequenceState> states = new ArrayList<>();
          AutoIncrements.of(catalog, own).stream()
              .filter(state -> isUsedBy(tables, state))
              .forEach(states::add);
          own.states().stream()
              .filter(state -> isUsedBy(tables, state) || others.test(state.sequence()))
              .forEach(states::add);
          return new SequenceReading(states, own.unreadable().stream().filter(others).toList());
        });
  }

  private static boolean isUsedBy(List<TableId> tables, SequenceState state) {
    return state.use().filter(use -> tables.contains(use.table())).isPresent();
  }

  /** For messages: user and address. */
  @Override
  public String toString() {
    return server.toString();
  }
}
