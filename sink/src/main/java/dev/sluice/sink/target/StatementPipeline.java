package dev.sluice.sink.target;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
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
 * JDBC sends the statements of a batch without waiting, but only of one prepared statement; those of
 * a batch of texts are parsed anew each time, which costs the server more than the change. The
 * driver's own core takes any statements together. Of that, only how the answers are counted is
 * hidden; it is looked up when this class is loaded, so that another release of the driver fails at
 * once and not in the midst of a window.
 */
/**
 * Sends prepared statements of any kinds to the target together, in their order, without waiting
 * for each answer. What is prepared is kept on the server over transactions; what was not used for
 * longest makes room. Owned by the apply thread.
 */
public final class StatementPipeline {
  private static final Constructor<BatchResultHandler> ANSWERS = answers();

  private final Connection jdbc;
  private final QueryExecutor executor;

  /** By SQL; the one not used for longest comes first. */
  private final Map<String, Query> prepared = new LinkedHashMap<>(16, 0.75f, true);

  private final List<Query> queries = new ArrayList<>();
  private final List<ParameterList> parameters = new ArrayList<>();
  private final Set<Query> waiting = new HashSet<>();

  StatementPipeline(Connection jdbc) throws SQLException {
    this.jdbc = jdbc;
    this.executor = jdbc.unwrap(BaseConnection.class).getQueryExecutor();
  }

  /** One statement with its values, given in the order of its parameters. */
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
   * Whether a statement can be added as it is; else {@link #execute} is to be called before, since
   * as many kinds wait as may be kept.
   *
   * @param size statements that may be kept, from 1 on
   */
  public boolean hasRoomFor(String sql, int size) {
    return prepared.containsKey(sql) || waiting.size() < size;
  }

  /**
   * Adds a statement that gives no rows.
   *
   * @param sql with {@code ?} for its parameters
   * @param size statements that may be kept, from 1 on
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
   * Runs what was added; nothing of it is left then.
   *
   * @return the rows that each has changed
   */
  public long[] execute() throws SQLException {
    Query[] sent = queries.toArray(Query[]::new);
    ParameterList[] values = parameters.toArray(ParameterList[]::new);
    clear();
    try (Statement statement = jdbc.createStatement()) {
      BatchResultHandler answers =
          ANSWERS.newInstance(statement.unwrap(PgStatement.class), sent, values, false);
      executor.execute(
          sent,
          values,
          answers,
          0,
          0,
          QueryExecutor.QUERY_NO_RESULTS | QueryExecutor.QUERY_NO_METADATA);
      return answers.getLargeUpdateCount();
    } catch (BatchUpdateException e) {
      // The batch's own message repeats the whole statement; what the server said is behind it.
      throw e.getNextException() == null ? e : e.getNextException();
    } catch (InstantiationException | IllegalAccessException | InvocationTargetException e) {
      throw unknown(e);
    }
  }

  /** Forgets what was added and not run. */
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

  private static Constructor<BatchResultHandler> answers() {
    try {
      Constructor<BatchResultHandler> constructor =
          BatchResultHandler.class.getDeclaredConstructor(
              PgStatement.class, Query[].class, ParameterList[].class, boolean.class);
      constructor.setAccessible(true);
      return constructor;
    } catch (NoSuchMethodException e) {
      throw unknown(e);
    }
  }

  private static IllegalStateException unknown(Exception e) {
    return new IllegalStateException(
        "this release of PostgreSQL's JDBC driver makes no "
            + BatchResultHandler.class.getName()
            + " of a statement, queries and parameters",
        e);
  }
}
