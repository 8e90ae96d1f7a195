package dev.sluice.sink.target;

import dev.sluice.config.internals.PgjdbcInternals;
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
 * Sends any prepared statements to the target in order, without waiting for each result. They stay
 * prepared across transactions, up to a limit; the least recently used is closed first. Owned by
 * the apply thread.
 */
public final class StatementPipeline {
  private final Connection jdbc;
  private final QueryExecutor executor;

  /** By SQL; the least recently used comes first. */
  private final Map<String, Query> prepared = new LinkedHashMap<>(16, 0.75f, true);

  private final List<Query> queries = new ArrayList<>();
  private final List<ParameterList> parameters = new ArrayList<>();
  private final Set<Query> waiting = new HashSet<>();

  StatementPipeline(Connection jdbc) throws SQLException {
    this.jdbc = jdbc;
    this.executor = jdbc.unwrap(BaseConnection.class).getQueryExecutor();
  }

  /** The values of one statement, added in the order of its parameters. */
  public static final class Values {
    private final ParameterList list;
    private int given;

    private Values(ParameterList list) {
      this.list = list;
    }

    /**
     * @param text PostgreSQL's text form; null for NULL
     */
    public void add(String text) throws SQLException {
      given++;
      if (text == null) {
        list.setNull(given, Oid.UNSPECIFIED);
      } else {
        list.setStringParameter(given, text, Oid.UNSPECIFIED);
      }
    }
  }

  /**
   * Whether a statement can be added now. If not, call {@link #execute} first: the waiting
   * statements use all prepared statements that may be kept.
   *
   * @param size the maximum number of prepared statements, at least 1
   */
  public boolean hasRoomFor(String sql, int size) {
    return prepared.containsKey(sql) || waiting.size() < size;
  }

  /**
   * Adds a statement that returns no rows.
   *
   * @param sql with {@code ?} for its parameters
   * @param size the maximum number of prepared statements, at least 1
   */
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
    return new Values(list);
  }

  /**
   * Runs the added statements and clears the pipeline.
   *
   * @return the number of rows that each statement changed
   */
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

  /** Removes the statements that were added and not run. */
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
