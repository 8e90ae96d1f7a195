package dev.sluice.engine.validate.session;

import static dev.sluice.engine.validate.session.MovingPair.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.transformation.ColumnNames;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Servers that let a user in only so many times. */
class FewSessionsTest {
  /** One keeps the snapshot, one watches the locks, one reads. */
  private static final int FEWEST = 3;

  private static final int ROWS = 40_000;
  private static final AtomicInteger ROLES = new AtomicInteger();

  private final String role = "few_" + ROLES.incrementAndGet();
  private MovingPair pair;

  @BeforeEach
  void makeDatabases() throws SQLException {
    pair = new MovingPair();
    pair.onBoth(
        "CREATE TABLE app.t (id int PRIMARY KEY, v text)",
        "INSERT INTO app.t SELECT i, i::text FROM generate_series(1, " + ROWS + ") i",
        "CREATE ROLE " + role + " LOGIN",
        "GRANT USAGE ON SCHEMA app TO " + role,
        "GRANT SELECT ON app.t TO " + role);
    pair.onTarget(
        "GRANT USAGE ON SCHEMA control TO " + role,
        "GRANT SELECT ON control.checkpoint TO " + role,
        "UPDATE app.t SET v = 'wrong' WHERE id = 39000");
  }

  @AfterEach
  void dropDatabases() throws SQLException {
    pair.onBoth("DROP OWNED BY " + role, "DROP ROLE " + role);
    pair.close();
  }

  @Test
  void lanesWithoutRoomForTheirSessionsLeaveTheirPartsToTheOthers() throws Exception {
    for (int more = 0; more < 2; more++) {
      allow(FEWEST + more);

      TableFindings found = MovingPair.compare(session(), plan());

      assertThat(found.end()).isEqualTo(TableFindings.End.DONE);
      assertThat(found.rest()).isEmpty();
      assertThat(found.chunks().stream().mapToLong(chunk -> chunk.source().rows()).sum())
          .isEqualTo(ROWS);
      assertThat(found.differences()).hasSize(1);
    }
  }

  @Test
  void aServerWithoutRoomForASessionEndsItAndKeepsNoneOfThoseThatItHadOpened() throws Exception {
    allow(FEWEST - 1);
    ComparisonSession session = session();

    assertThatThrownBy(() -> MovingPair.compare(session, plan()))
        .isInstanceOf(SluiceException.Retryable.class)
        .hasStackTraceContaining("too many connections for role");

    String sessions = "SELECT count(*) FROM pg_stat_activity WHERE usename = '" + role + "'";
    await()
        .atMost(Duration.ofMinutes(5))
        .until(
            () -> pair.onSourceGet(sessions).equals("0") && pair.onTargetGet(sessions).equals("0"));
    allow(FEWEST);
    assertThat(MovingPair.compare(session, plan()).differences()).hasSize(1);
  }

  private void allow(int sessions) throws SQLException {
    pair.onBoth("ALTER ROLE " + role + " CONNECTION LIMIT " + sessions);
  }

  private ComparisonSession session() {
    SessionLimits limits =
        new SessionLimits(Duration.ofSeconds(60), 1000, 100, 1000, 100_000, Duration.ofSeconds(10))
            .withLanes(4);
    return new ComparisonSession(
        pair.comparisonSourceAs(role),
        pair.comparisonTargetAs(role),
        TableMappings.EVERYTHING,
        new AppliedKeys(pair.keys(), ColumnNames.SAME),
        any -> pair.endWindow(),
        limits);
  }

  private static ComparisonPlan plan() {
    return ComparisonPlan.whole(table("t"), List.of("id"));
  }
}
