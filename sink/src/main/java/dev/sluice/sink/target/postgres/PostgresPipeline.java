package dev.sluice.sink.target.postgres;

import dev.sluice.config.internals.PgjdbcInternals;
import dev.sluice.sink.target.StatementPipeline;
import dev.sluice.sink.target.TargetColumn;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.Oid;
import org.postgresql.core.ParameterList;
import org.postgresql.core.Query;
import org.postgresql.core.QueryExecutor;
import org.postgresql.jdbc.BatchResultHandler;
import org.postgresql.jdbc.PgStatement;

/*
 * JDBC pipelines only the executions of one prepared statement. In a batch of SQL texts each one is
 * parsed again, which costs the server more than the change. The driver's core API can pipeline any
 * prepared statements. Only the class that counts the results is not public.
 */
/**
 * Pipelines prepared statements over the core of the driver. The least recently used statement is
 * closed first. Owned by the apply thread.
 */
final class PostgresPipeline implements StatementPipeline {
  private final Connection jdbc;
  private final QueryExecutor executor;

  /** By SQL; the least recently used comes first. */
  private final Map<String, Query> prepared = new LinkedHashMap<>(16, 0.75f, true);

  private final List<Query> queries = new ArrayList<>();
  private final List<ParameterList> parameters = new ArrayList<>();
  private final Set<Query> waiting = new HashSet<>();

  PostgresPipeline(Connection jdbc) throws SQLException {
    this.jdbc = jdbc;
    this.executor = jdbc.unwrap(BaseConnection.class).getQueryExecutor();
  }

  /** Sets the parameters in their order. */
  private static final class Parameters implements Values {
    private final ParameterList list;
    private int given;

    private Parameters(ParameterList list) {
      this.list = list;
    }

    @Override
    public void add(TargetColumn column, String text) throws SQLException {
      given++;
      if (text == null) {
        list.setNull(given, Oid.UNSPECIFIED);
      } else {
        list.setStringParameter(given, text, Oid.UNSPECIFIED);
      }
    }
  }

  @Override
  public boolean hasRoomFor(String sql, int size) {
    return prepared.containsKey(sql) || waiting.size() < size;
  }

  @Override
  public Values add(String sql, int size) throws SQLException {
    Query query = prepared.get(sql);
    if (query == null) {
      makeRoom(size);
      query = executor.createQuery(sql, false, true).query;
      prepared.put(sql, query);
    }
    ParameterList list = query.createParameterList();
    queries.add(query);
    parameters.add(list);
    waiting.add(query);
    return new Parameters(list);
  }

  @Override
  public long[] execute() throws SQLException {
    Query[] sent = queries.toArray(Query[]::new);
    ParameterList[] values = parameters.toArray(ParameterList[]::new);
    clear();
    try (Statement statement = jdbc.createStatement()) {
      BatchResultHandler answers =
          PgjdbcInternals.batchResults(statement.unwrap(PgStatement.class), sent, values);
      executor.execute(
          sent,
          values,
          answers,
          0,
          0,
          QueryExecutor.QUERY_NO_RESULTS | QueryExecutor.QUERY_NO_METADATA);
      return answers.getLargeUpdateCount();
    } catch (BatchUpdateException e) {
      // The batch's own message repeats the statement; the server's message is in the next
      // exception.
      throw e.getNextException() == null ? e : e.getNextException();
    }
  }

  @Override
  public void clear() {
    queries.clear();
    parameters.clear();
    waiting.clear();
  }

  private void makeRoom(int size) {
    Iterator<Query> leastUsed = prepared.values().iterator();
    while (prepared.size() >= size && leastUsed.hasNext()) {
      Query query = leastUsed.next();
      if (!waiting.contains(query)) {
        query.close();
        leastUsed.remove();
      }
    }
  }
}
