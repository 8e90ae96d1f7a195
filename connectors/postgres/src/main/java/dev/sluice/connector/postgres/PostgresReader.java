package dev.sluice.connector.postgres;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.load.CompletionStep;
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
import dev.sluice.connector.postgres.catalog.PostgresTypes;
import dev.sluice.connector.postgres.definition.DefinitionReader;
import dev.sluice.connector.postgres.definition.EvaluatedCode;
import dev.sluice.connector.postgres.definition.OutlineReader;
import dev.sluice.connector.postgres.load.LoadRules;
import dev.sluice.connector.postgres.load.OrderedSession;
import dev.sluice.connector.postgres.load.RowEstimates;
import dev.sluice.connector.postgres.load.Segmentation;
import dev.sluice.connector.postgres.load.SequenceReader;
import dev.sluice.connector.postgres.load.SnapshotSegments;
import dev.sluice.connector.postgres.load.TableRecorder;
import dev.sluice.connector.postgres.server.SourceErrors;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Reads a PostgreSQL source. Immutable, threadsafe. */
public final class PostgresReader implements SourceReader {
  private final SourceServer server;

  public PostgresReader(SourceServer server) {
    this.server = server;
  }

  @Override
  public RecordedTables record(List<TableId> tables, SegmentRules rules) {
    return over(
        connection -> {
          List<RecordedTable> recorded = new TableRecorder(connection).record(tables);
          Map<TableId, Long> rows = new RowEstimates(connection).of(recorded, rules.condition());
          Segmentation segmentation =
              new LoadRules(connection, rules.parallel())
                  .segmentation(new Segmentation(rules.size()), recorded);
          return new RecordedTables(
              recorded,
              rows,
              recorded.stream().collect(Collectors.toMap(RecordedTable::table, segmentation::of)));
        });
  }

  @Override
  public List<RecordedTable> record(List<TableId> tables) {
    return over(connection -> new TableRecorder(connection).record(tables));
  }

  @Override
  public SnapshotReader open(String snapshot) {
    return SnapshotSegments.open(server, snapshot);
  }

  @Override
  public OrderedReader inOrder() {
    return OrderedSession.open(server);
  }

  @Override
  public TypeCatalog types() {
    return PostgresTypes.open(server);
  }

  @Override
  public TableDefinitions definitions(DefinitionRequest request) {
    return over(connection -> reader(connection, request).tables(request.tables()));
  }

  @Override
  public List<CompletionStep> constraints(DefinitionRequest request) {
    return over(connection -> reader(connection, request).constraints(request.tables()));
  }

  @Override
  public List<TableOutline> outlines(DefinitionRequest request) {
    return over(
        connection -> new OutlineReader(connection, request.targetOf()).read(request.tables()));
  }

  @Override
  public List<Problem> codeThatNeedsConsent(Collection<TableId> tables) {
    return EvaluatedCode.problems(server, tables);
  }

  @Override
  public SequenceReading sequences(List<TableId> tables, Predicate<TableId> others) {
    return over(connection -> new SequenceReader(connection).read(tables, others));
  }

  /** For messages: user and address. */
  @Override
  public String toString() {
    return server.toString();
  }

  private static DefinitionReader reader(Connection connection, DefinitionRequest request) {
    return new DefinitionReader(
        connection, request.targetOf(), request.targetMajorVersion(), request.runsCode());
  }

  private <T> T over(Function<Connection, T> reading) {
    try (Connection connection = server.connect()) {
      return reading.apply(connection);
    } catch (SQLException e) {
      throw SourceErrors.classify("leave " + server, e);
    }
  }
}
