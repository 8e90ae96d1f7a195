package dev.sluice.sink.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.embedded.postgres.PostgresVersion;
import dev.sluice.sink.control.position.WindowCheckpoint;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.target.NeededApart;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.window.StageTimes;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a window needs apart, where DDL commits. */
class WindowTransactionsTest {
  private TargetLab lab;
  private final List<String> events = new ArrayList<>();

  @BeforeEach
  void open() throws SQLException {
    lab = TargetLab.on(PostgresVersion.NEWEST);
  }

  @AfterEach
  void close() throws SQLException {
    lab.close();
  }

  @Test
  void anotherDaemonTakesOverOnlyOnceWhatIsNeededIsMade() {
    WindowTransactions transactions = transactions();
    NeededApart needed =
        new Needed() {
          @Override
          public void make(TargetConnection connection) {
            assertThatThrownBy(() -> lab.store().claim("task", Duration.ofMillis(200)))
                .isInstanceOf(SluiceException.Retryable.class);
            events.add("made");
          }
        };
    transactions.run(
        "work",
        (session, before) -> {
          events.add("work");
          if (events.size() == 1) {
            throw needed;
          }
          transactions.rollBack(session);
          return true;
        });
    assertThat(events).containsExactly("work", "made", "work");
    lab.store().claim("task", Duration.ofMillis(200));
    transactions.close();
  }

  @Test
  void whoHasLostTheTaskMakesNothing() {
    WindowTransactions transactions = transactions();
    NeededApart needed =
        new Needed() {
          @Override
          public void make(TargetConnection connection) {
            events.add("made");
          }
        };
    assertThatThrownBy(
            () ->
                transactions.run(
                    "work",
                    (session, before) -> {
                      transactions.rollBack(session);
                      lab.store().claim("task");
                      throw needed;
                    }))
        .isInstanceOf(SluiceException.Fenced.class);
    assertThat(events).isEmpty();
    transactions.close();
  }

  private WindowTransactions transactions() {
    Checkpoint claimed = lab.store().claim("task");
    return new WindowTransactions(
        lab.server(),
        new WindowCheckpoint(TargetLab.CONTROL, claimed, LaneId.MAIN),
        claimed.place().position(),
        new StageTimes());
  }

  private abstract static class Needed extends NeededApart {
    private static final long serialVersionUID = 1;

    Needed() {
      super("a table");
    }
  }
}
