package dev.sluice.connector.postgres.writers;

import static dev.sluice.connector.postgres.writers.WritersFixture.MOVED_TO;
import static dev.sluice.connector.postgres.writers.WritersFixture.PATIENCE;
import static dev.sluice.connector.postgres.writers.WritersFixture.execute;
import static dev.sluice.connector.postgres.writers.WritersFixture.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.connector.api.source.writers.WriterStop.Decision;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Who does not know what was decided asks the source; what it says holds for good. */
class DecisionTest {
  private static final String HOLDER =
      "SELECT pid FROM pg_locks WHERE granted AND mode = 'ShareRowExclusiveLock'"
          + " AND relation = 't'::regclass";

  @Test
  void aCutoverThatNeverBeganIsNotDecidedAndNeverWillBe() throws Exception {
    try (WritersFixture source = new WritersFixture("CREATE TABLE t (id int)")) {
      assertThat(source.writers().decision(source.cutover, PATIENCE)).isEqualTo(Decision.NOT_MOVED);
      // A process that was frozen before it began goes on.
      assertThatThrownBy(() -> source.stop("t"))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("can never be decided");
      assertThat(source.writers().decision(source.cutover, PATIENCE)).isEqualTo(Decision.NOT_MOVED);
      assertThat(source.opened()).isEmpty();
      assertThat(source.reopen()).isEmpty();
      assertThatThrownBy(() -> source.stop("t")).isInstanceOf(SluiceException.Fatal.class);
    }
  }

  @Test
  void theAnswerWaitsForASessionThatCanStillDecide() throws Exception {
    try (WritersFixture source = new WritersFixture("CREATE TABLE t (id int)")) {
      CompletableFuture<Decision> asked;
      try (StoppedWriters stopped = source.stop("t")) {
        stopped.prepareMove(MOVED_TO);
        assertThatThrownBy(() -> source.writers().decision(source.cutover, Duration.ofMillis(300)))
            .isInstanceOf(SluiceException.Retryable.class)
            .hasMessageContaining("nothing is known yet");
        asked =
            CompletableFuture.supplyAsync(
                () -> source.writers().decision(source.cutover, PATIENCE));
        source.awaitTrue(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)");
        assertThat(asked).isNotDone();
        stopped.decide();
      }
      assertThat(result(asked)).isEqualTo(Decision.MOVED);
    }
  }

  /** The process is frozen; only the server can end its session. */
  @Test
  void afterNotMovedNoSessionOfThatCutoverCanDecide() throws Exception {
    try (WritersFixture source = new WritersFixture("CREATE TABLE t (id int)");
        StoppedWriters frozen =
            source.writers().stop(source.request(PATIENCE, Duration.ofSeconds(5), "t"))) {
      frozen.prepareMove(MOVED_TO);
      assertThat(source.writers().decision(source.cutover, PATIENCE)).isEqualTo(Decision.NOT_MOVED);
      assertThat(source.text("SELECT count(*) FROM pg_locks WHERE relation = 't'::regclass"))
          .isEqualTo("0");
      assertThatThrownBy(frozen::decide).isInstanceOf(SluiceException.class);
      assertThat(source.writers().decision(source.cutover, PATIENCE)).isEqualTo(Decision.NOT_MOVED);
      assertThat(result(source.async("INSERT INTO t VALUES (1)")) == null).isTrue();
    }
  }

  @Test
  void whatIsCommittedIsMoved() throws Exception {
    try (WritersFixture source = new WritersFixture("CREATE TABLE t (id int)")) {
      source.move("t");
      assertThat(source.writers().decision(source.cutover, PATIENCE)).isEqualTo(Decision.MOVED);
      assertThatThrownBy(() -> source.stop("t"))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("the source has decided it already");
    }
  }

  @Test
  void aSessionThatIsEndedBeforeItsCommitHasDecidedNothing() throws Exception {
    try (WritersFixture source = new WritersFixture("CREATE TABLE t (id int)");
        StoppedWriters stopped = source.stop("t")) {
      stopped.prepareMove(MOVED_TO);
      source.text("SELECT pg_terminate_backend((" + HOLDER + "), 60000)");
      assertThatThrownBy(stopped::decide).isInstanceOf(SluiceException.Retryable.class);
      assertThat(source.writers().decision(source.cutover, PATIENCE)).isEqualTo(Decision.NOT_MOVED);
      assertThat(result(source.async("INSERT INTO t VALUES (1)")) == null).isTrue();
    }
  }

  /** The commit waits for a standby that is not there; then its session is ended. */
  @Test
  void aSessionThatIsEndedInItsCommitHasDecided() throws Exception {
    try (WritersFixture source = new WritersFixture("CREATE TABLE t (id int)");
        Connection other = source.connect();
        StoppedWriters stopped = source.stop("t")) {
      stopped.prepareMove(MOVED_TO);
      String holder = source.text(HOLDER);
      source.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
      try {
        source.execute("SELECT pg_reload_conf()");
        source.awaitTrue("SELECT current_setting('synchronous_standby_names') = 'nobody'");
        CompletableFuture<Throwable> deciding =
            CompletableFuture.supplyAsync(
                () -> {
                  try {
                    stopped.decide();
                    return null;
                  } catch (SluiceException e) {
                    return e;
                  }
                });
        source.awaitTrue(
            "SELECT wait_event = 'SyncRep' FROM pg_stat_activity WHERE pid = " + holder);
        CompletableFuture<Decision> asked =
            CompletableFuture.supplyAsync(
                () -> source.writers().decision(source.cutover, PATIENCE));
        source.awaitTrue(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)");
        assertThat(asked).isNotDone();
        execute(other, "SELECT pg_terminate_backend(" + holder + ")");
        assertThat(result(deciding)).isInstanceOf(SluiceException.Retryable.class);
        assertThat(result(asked)).isEqualTo(Decision.MOVED);
        source.assertRefused(result(source.async("INSERT INTO t VALUES (1)")));
      } finally {
        source.execute("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()");
      }
    }
  }
}
