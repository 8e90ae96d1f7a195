package dev.sluice.engine.resync;

import static dev.sluice.sink.control.suspension.SuspensionState.CATCHING_UP;
import static dev.sluice.sink.control.suspension.SuspensionState.RELOADING;
import static dev.sluice.sink.control.suspension.SuspensionState.SUSPENDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspensionState;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.progress.AppliedPoint;
import dev.sluice.sink.progress.ApplyProgress;
import dev.sluice.sink.progress.SinkState;
import dev.sluice.sink.progress.WindowFigures;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ResyncStateTest {
  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

  private List<SuspendedTable> passedOver = List.of();

  @Test
  void theTableThatHasWaitedLongestIsNextAndASuspendedOneNever() {
    ResyncState board = new ResyncState(this::main);
    assertThat(board.next()).isEmpty();

    SuspendedTable early = table("early", CATCHING_UP, 1);
    board.know(() -> List.of(table("left", SUSPENDED, 0), table("a_late", RELOADING, 2), early));
    assertThat(board.next()).contains(early);
    assertThat(board.find(early.table())).contains(early);
  }

  @Test
  void aJoinedTableIsNotSuspendedEvenIfTheLanesStillSkipIt() {
    SuspendedTable item = table("item", CATCHING_UP, 0);
    passedOver = List.of(item);
    ResyncState board = new ResyncState(this::main);
    assertThat(board.suspended()).containsExactly(item);

    board.joined(item.table(), NOON.plusSeconds(10));
    assertThat(board.suspended()).isEmpty();
    assertThat(board.next()).isEmpty();
  }

  @Test
  void aTableThatALaneSuspendsAgainAfterItJoinedIsSuspended() {
    SuspendedTable item = table("item", CATCHING_UP, 0);
    passedOver = List.of(item);
    ResyncState board = new ResyncState(this::main);
    board.joined(item.table(), NOON.plusSeconds(10));

    SuspendedTable again = table("item", SUSPENDED, 11);
    passedOver = List.of(again);
    assertThat(board.suspended()).containsExactly(again);
  }

  private ApplyProgress main() {
    AppliedPoint point =
        new AppliedPoint(JournalOffset.beginning(new Position(100)), Optional.empty());
    return new ApplyProgress(
        SinkState.RUNNING,
        "",
        point,
        point,
        0,
        Optional.empty(),
        0,
        0,
        WindowFigures.NONE,
        Map.of(),
        passedOver,
        List.of(),
        Optional.empty());
  }

  private static SuspendedTable table(String name, SuspensionState state, int seconds) {
    Position position = new Position(50);
    return new SuspendedTable(
        new TableId("public", name),
        state,
        "an error",
        NOON.plusSeconds(seconds),
        JournalOffset.beginning(position),
        position,
        true,
        true);
  }
}
