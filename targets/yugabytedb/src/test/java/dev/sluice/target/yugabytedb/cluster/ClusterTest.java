package dev.sluice.target.yugabytedb.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.sink.target.TestClock;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.rowset.CachedRowSet;
import javax.sql.rowset.RowSetMetaDataImpl;
import javax.sql.rowset.RowSetProvider;
import org.apache.commons.dbcp2.DelegatingConnection;
import org.apache.commons.dbcp2.DelegatingStatement;
import org.junit.jupiter.api.Test;

/** A cluster whose servers are those of the url, unless a test lists others. */
class ClusterTest {
  private static final Duration LEAVE = Duration.ofSeconds(5);
  private static final String AWAY = "08001";
  private static final String WRONG_PASSWORD = "28P01";

  private final TestClock clock = new TestClock();

  /** The SQLSTATE with which a server refuses sessions. */
  private final Map<String, String> refusing = new HashMap<>();

  /** The servers that the cluster lists. */
  private final List<String> listed = new ArrayList<>();

  /** What happens while a server is waited for. */
  private final Map<String, Meanwhile> meanwhile = new HashMap<>();

  private final List<String> tried = new ArrayList<>();
  private final Cluster cluster = cluster();

  @Test
  void sessionsGoToTheServerWithTheFewest() throws SQLException {
    Connection first = connect();
    connect();
    assertThat(tried).containsExactly("a:5433", "b:5433", "a:5433");
    first.close();
    tried.clear();
    connect();
    connect();
    assertThat(tried).containsExactlyInAnyOrder("a:5433", "b:5433");
  }

  @Test
  void aServerThatDoesNotAnswerIsTriedLastForAWhile() throws SQLException {
    refusing.put("a:5433", AWAY);
    connect();
    assertThat(tried).containsExactly("a:5433", "b:5433", "b:5433");
    tried.clear();
    clock.pass(LEAVE.minusMillis(1));
    connect();
    assertThat(tried).containsExactly("b:5433");
    tried.clear();
    refusing.clear();
    clock.pass(Duration.ofMillis(1));
    connect();
    connect();
    assertThat(tried).as("it has fewer sessions").contains("a:5433");
  }

  @Test
  void serversThatAreLeftAreTriedIfNoOtherAnswers() throws SQLException {
    refusing.put("a:5433", AWAY);
    connect();
    refusing.put("b:5433", AWAY);
    refusing.remove("a:5433");
    tried.clear();
    connect();
    assertThat(tried).containsExactly("b:5433", "a:5433");
  }

  @Test
  void ifNobodyAnswersEachIsTriedOnceAndTheLastErrorIsSaid() {
    refusing.put("a:5433", AWAY);
    refusing.put("b:5433", AWAY);
    assertThatThrownBy(this::connect).isInstanceOf(SQLException.class).hasMessageContaining(AWAY);
    assertThat(tried).as("to ask, and for the session").hasSize(4);
  }

  @Test
  void whatAnyServerWouldRefuseIsTriedOnNoOtherOne() {
    refusing.put("a:5433", WRONG_PASSWORD);
    refusing.put("b:5433", WRONG_PASSWORD);
    assertThatThrownBy(this::connect)
        .isInstanceOf(SQLException.class)
        .hasMessageContaining(WRONG_PASSWORD);
    assertThat(tried).as("to ask, and for the session").hasSize(2);
  }

  @Test
  void aServerThatFailsInARowIsLeftForTwiceAsLongEachTimeUpToAMinute() throws SQLException {
    list("a", "b");
    refusing.put("a:5433", AWAY);
    connect();
    assertThat(tried).contains("a:5433");
    for (int seconds : new int[] {5, 10, 20, 40, 60, 60}) {
      assertThatAIsTriedAgainAfter(Duration.ofSeconds(seconds));
    }
    refusing.clear();
    clock.pass(Duration.ofMinutes(1));
    connect();
    refusing.put("a:5433", AWAY);
    tried.clear();
    connect();
    connect();
    assertThat(tried).as("it has answered, and has fewer sessions").contains("a:5433");
    assertThatAIsTriedAgainAfter(LEAVE);
  }

  private void assertThatAIsTriedAgainAfter(Duration leave) throws SQLException {
    tried.clear();
    clock.pass(leave.minusMillis(1));
    connect();
    assertThat(tried).as("before %s", leave).doesNotContain("a:5433");
    clock.pass(Duration.ofMillis(1));
    connect();
    assertThat(tried).as("after %s", leave).containsOnlyOnce("a:5433");
  }

  @Test
  void whereAServerIsLeftTheNextSessionAsksForTheServersAgain() throws SQLException {
    list("a", "b", "c");
    connect();
    refusing.put("c:5433", AWAY);
    while (!tried.contains("c:5433")) {
      connect();
    }
    list("a", "b");
    tried.clear();
    connect();
    clock.pass(LEAVE);
    connect();
    connect();
    connect();
    assertThat(tried).as("it is listed no more").doesNotContain("c:5433");
  }

  @Test
  void oneSessionAtATimeTriesAServerAgain() throws SQLException {
    list("a", "b");
    refusing.put("a:5433", AWAY);
    for (int i = 0; i < 5; i++) {
      connect();
    }
    clock.pass(LEAVE);
    tried.clear();
    meanwhile.put("a:5433", this::connect);
    connect();
    assertThat(tried).containsOnlyOnce("a:5433");
  }

  /** As where a tunnel leads to the cluster, or a balancer in front of it. */
  @Test
  void ifNoListedServerAnswersSessionsAreSpreadOverTheHostsOfTheUrl() throws SQLException {
    list("x", "y");
    refusing.put("x:5433", AWAY);
    refusing.put("y:5433", AWAY);
    connect();
    assertThat(tried).contains("x:5433", "y:5433");
    tried.clear();
    for (int i = 0; i < 5; i++) {
      connect();
    }
    assertThat(tried).contains("a:5433", "b:5433").doesNotContain("x:5433", "y:5433");
  }

  private void list(String... hosts) {
    listed.clear();
    listed.addAll(List.of(hosts));
  }

  private Cluster cluster() {
    ClusterUrl url =
        ClusterUrl.read(
                "jdbc:yugabytedb://a:5433/shop?hosts=b&load-balance=true"
                    + "&failed-host-reconnect-delay-secs="
                    + LEAVE.toSeconds())
            .orElseThrow();
    return new Cluster(
        url, url.spread().orElseThrow(), error -> error.getSQLState().equals(AWAY), clock);
  }

  private Connection connect() throws SQLException {
    return cluster.connect(this::open);
  }

  private Connection open(String driversUrl, Runnable closed) throws SQLException {
    String address = driversUrl.replaceAll("jdbc:postgresql://|/shop", "");
    tried.add(address);
    Meanwhile other = meanwhile.remove(address);
    if (other != null) {
      other.run();
    }
    String state = refusing.get(address);
    if (state != null) {
      throw new SQLException(state, state);
    }
    return new Session(closed, listed);
  }

  private interface Meanwhile {
    void run() throws SQLException;
  }

  /** A session of a server that lists others; none if it does not know how. */
  private static final class Session extends DelegatingConnection<Connection> {
    private final Runnable closed;
    private final List<String> listed;

    Session(Runnable closed, List<String> listed) {
      super(null);
      this.closed = closed;
      this.listed = listed;
    }

    @Override
    public Statement createStatement() throws SQLException {
      if (listed.isEmpty()) {
        throw new SQLException("no such function", "42883");
      }
      return new ListingStatement(this, listed);
    }

    @Override
    public void close() {
      closed.run();
    }
  }

  /** Answers whatever it is asked with the servers of a cluster. */
  private static final class ListingStatement extends DelegatingStatement {
    private final List<String> hosts;

    ListingStatement(Session session, List<String> hosts) {
      super(session, null);
      this.hosts = hosts;
    }

    @Override
    public ResultSet executeQuery(String sql) throws SQLException {
      RowSetMetaDataImpl columns = new RowSetMetaDataImpl();
      columns.setColumnCount(6);
      for (int column = 1; column <= 6; column++) {
        columns.setColumnType(column, column == 2 ? Types.INTEGER : Types.VARCHAR);
      }
      CachedRowSet rows = RowSetProvider.newFactory().createCachedRowSet();
      rows.setMetaData(columns);
      for (String host : hosts) {
        rows.moveToInsertRow();
        rows.updateString(1, host);
        rows.updateInt(2, 5433);
        rows.updateString(3, "aws");
        rows.updateString(4, "eu");
        rows.updateString(5, "eu-a");
        rows.updateString(6, "");
        rows.insertRow();
      }
      rows.moveToCurrentRow();
      rows.beforeFirst();
      return rows;
    }

    @Override
    public void close() {
      // There is no other statement behind it.
    }
  }
}
