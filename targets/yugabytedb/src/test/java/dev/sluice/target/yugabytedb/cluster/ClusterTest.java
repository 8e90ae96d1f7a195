package dev.sluice.target.yugabytedb.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.dbcp2.DelegatingConnection;
import org.junit.jupiter.api.Test;

/** A cluster whose servers are those of the url, since none lists others. */
class ClusterTest {
  private static final Duration LEAVE = Duration.ofSeconds(5);
  private static final String AWAY = "08001";
  private static final String WRONG_PASSWORD = "28P01";

  private final TestClock clock = new TestClock();

  /** The SQLSTATE with which a server refuses sessions. */
  private final Map<String, String> refusing = new HashMap<>();

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
    String state = refusing.get(address);
    if (state != null) {
      throw new SQLException(state, state);
    }
    return new Session(closed);
  }

  /** A session of a server that lists none. */
  private static final class Session extends DelegatingConnection<Connection> {
    private final Runnable closed;

    Session(Runnable closed) {
      super(null);
      this.closed = closed;
    }

    @Override
    public Statement createStatement() throws SQLException {
      throw new SQLException("no such function", "42883");
    }

    @Override
    public void close() {
      closed.run();
    }
  }

  /** A clock that stands until a test moves it. */
  private static final class TestClock extends Clock {
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    void pass(Duration time) {
      now = now.plus(time);
    }

    @Override
    public Instant instant() {
      return now;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      throw new UnsupportedOperationException("a clock of UTC");
    }
  }
}
