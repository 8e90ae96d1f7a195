package dev.sluice.sink.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.connector.api.Position;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.control.position.CheckpointRows;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HeldCheckpointTest {
  private static final Duration OFTEN = Duration.ofMillis(5);
  private static final JournalOffset PLACE = JournalOffset.beginning(Position.ZERO);

  private final AtomicInteger questions = new AtomicInteger();
  private TargetLab lab;

  @BeforeEach
  void open() throws SQLException {
    lab = TargetLab.on(PostgresVersion.NEWEST);
  }

  @AfterEach
  void close() throws SQLException {
    lab.close();
  }

  @Test
  void theRowIsAskedForUntilItIsGivenUp() throws SQLException {
    try (HeldCheckpoint held = new HeldCheckpoint(lab.server(), rows(Integer.MAX_VALUE), OFTEN)) {
      assertThat(held.place()).isEqualTo(PLACE);
      await().atMost(Duration.ofMinutes(1)).until(() -> questions.get() > 3);
    }
    int last = questions.get();
    assertThat(lab.rows("SELECT pg_sleep(0.1)")).hasSize(1);
    assertThat(questions).hasValue(last);
  }

  @Test
  void aRowThatIsLostIsNotAskedForAgain() throws SQLException {
    try (HeldCheckpoint held = new HeldCheckpoint(lab.server(), rows(2), OFTEN)) {
      assertThat(held.place()).isEqualTo(PLACE);
      await().atMost(Duration.ofMinutes(1)).until(() -> questions.get() == 3);
      assertThat(lab.rows("SELECT pg_sleep(0.1)")).hasSize(1);
      assertThat(questions).hasValue(3);
    }
  }

  @Test
  void noSessionStaysOpenIfTheRowIsAnothers() {
    assertThatThrownBy(() -> new HeldCheckpoint(lab.server(), rows(0), OFTEN))
        .isInstanceOf(SQLException.class);
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () ->
                assertThat(
                        lab.rows(
                            "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND pid <> pg_backend_pid()"))
                    .isEmpty());
  }

  /** Answers so often. */
  private CheckpointRows rows(int answers) {
    return new CheckpointRows() {
      @Override
      public JournalOffset lock(TargetConnection connection) throws SQLException {
        if (questions.incrementAndGet() > answers) {
          throw new SQLException("terminated", "57P01");
        }
        return PLACE;
      }

      @Override
      public void advance(TargetConnection connection, JournalOffset place) {
        throw new UnsupportedOperationException();
      }

      @Override
      public void harden(TargetConnection connection) {
        throw new UnsupportedOperationException();
      }
    };
  }
}
