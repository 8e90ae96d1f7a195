package dev.sluice.connector.mariadb.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.connector.api.source.StartRule;
import dev.sluice.connector.api.source.StartRule.Decision;
import dev.sluice.connector.mariadb.capture.BinlogPosition;
import dev.sluice.connector.mariadb.capture.LogHistory;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class MariadbStartRuleTest {
  private static final SourceIdentity SERVER = new SourceIdentity("a", 1);
  private static final SourceIdentity OTHER = new SourceIdentity("b", 1);
  private static final LogHistory HISTORY = new LogHistory("binlog", 0, "0-1-3");
  private static final BinlogFiles FILES =
      new BinlogFiles(
          List.of(
              new BinlogFiles.Part("binlog.000007", 1_000),
              new BinlogFiles.Part("binlog.000008", 500)),
          Optional.of(new BinlogPosition(8, 500)));

  @Test
  void aStartGoesOnAfterTheLastTransactionThatIsKnown() {
    assertThat(decide(at(7, 100), Optional.of(at(8, 200)), true, SERVER))
        .isEqualTo(new Decision.GoOn(at(8, 200), Optional.of(10L)));
    assertThat(decide(at(7, 100), Optional.empty(), false, SERVER))
        .isEqualTo(new Decision.GoOn(at(7, 100), Optional.empty()));
  }

  @Test
  void aFileThatTheServerHasRemovedStopsTheStart() {
    assertThat(problem(decide(at(6, 900), Optional.empty(), true, SERVER)))
        .contains("removed file number 6", "000007:4");
    assertThat(decide(at(6, 900), Optional.of(at(7, 4)), true, SERVER))
        .isInstanceOf(Decision.GoOn.class);
  }

  @Test
  void aLogThatEndsBeforeWhatTheTargetHasStopsTheStart() {
    assertThat(problem(decide(at(8, 600), Optional.empty(), true, SERVER)))
        .contains("ends at 000008:500", "000008:600");
  }

  @Test
  void anotherHistoryStopsTheStartAndBothAreNamed() {
    assertThat(
            problem(
                decide(
                    at(7, 100),
                    Optional.empty(),
                    true,
                    SERVER,
                    new LogHistory("binlog", 1, "0-1-4"))))
        .contains("at 000007:100 it has GTID 0-1-4", "begun at 1970-01-01T00:00:01Z")
        .contains(at(7, 100).toString())
        .doesNotContain("server a");
  }

  @Test
  void aPlaceThatTheLogDoesNotHaveStopsTheStart() {
    assertThat(problem(decide(at(7, 100), Optional.empty(), true, SERVER, null)))
        .contains("nothing of its binary log ends at 000007:100");
  }

  @Test
  void anotherIdentityWithTheSameHistoryGoesOn() {
    assertThat(decide(at(7, 100), Optional.empty(), true, OTHER)).isInstanceOf(Decision.GoOn.class);
  }

  @Test
  void anotherIdentityWithAnotherHistoryIsNamed() {
    assertThat(
            problem(
                decide(
                    at(7, 100),
                    Optional.empty(),
                    true,
                    OTHER,
                    new LogHistory("binlog", 0, "0-2-4"))))
        .contains("it is server b", "server a");
  }

  @Test
  void theHistoryOfALaneThatIsAheadIsProvenToo() {
    Function<BinlogPosition, Optional<LogHistory>> changedBehind =
        place -> Optional.of(place.offset() > 100 ? new LogHistory("binlog", 0, "0-1-9") : HISTORY);
    Position checkpoint = at(8, 100);
    assertThat(decide(checkpoint, checkpoint, Optional.empty(), true, SERVER, changedBehind))
        .isInstanceOf(Decision.GoOn.class);
    assertThat(
            problem(decide(checkpoint, at(8, 200), Optional.empty(), true, SERVER, changedBehind)))
        .contains("at 000008:200 it has GTID 0-1-9");
  }

  private static Position at(long file, long offset) {
    return new BinlogPosition(file, offset).position(HISTORY);
  }

  private static String problem(Decision decision) {
    return ((Decision.Stop) decision).problem().toString();
  }

  private static Decision decide(
      Position checkpoint,
      Optional<Position> lastInJournal,
      boolean sameTopic,
      SourceIdentity now) {
    return decide(checkpoint, lastInJournal, sameTopic, now, HISTORY);
  }

  private static Decision decide(
      Position checkpoint,
      Optional<Position> lastInJournal,
      boolean sameTopic,
      SourceIdentity now,
      LogHistory found) {
    return decide(
        checkpoint, checkpoint, lastInJournal, sameTopic, now, place -> Optional.ofNullable(found));
  }

  private static Decision decide(
      Position checkpoint,
      Position furthest,
      Optional<Position> lastInJournal,
      boolean sameTopic,
      SourceIdentity now,
      Function<BinlogPosition, Optional<LogHistory>> history) {
    return new MariadbStartRule(FILES, history)
        .decide(
            new StartRule.Facts(
                "binlog",
                Optional.empty(),
                checkpoint,
                furthest,
                lastInJournal,
                sameTopic,
                10,
                0,
                20,
                SERVER,
                now,
                Optional.empty(),
                at(8, 500)));
  }
}
