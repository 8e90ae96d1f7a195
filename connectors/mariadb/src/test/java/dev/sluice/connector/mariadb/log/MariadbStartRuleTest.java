package dev.sluice.connector.mariadb.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.Problem;
import dev.sluice.config.task.CdcStop;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.connector.api.source.StartRule;
import dev.sluice.connector.api.source.StartRule.Decision;
import dev.sluice.connector.mariadb.capture.DecidedStart;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogBookmark;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.capture.succession.Succession;
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

  private static final String BOOKMARK = "0-1-3@4711;0-1-3";
  private static final Function<BinlogPosition, Optional<LogHistory>> OTHER_AT_8 =
      place -> Optional.of(place.file() == 8 ? new LogHistory("binlog", 5, "0-1-3") : HISTORY);

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

  /** The server was set back, and has written other transactions since. */
  @Test
  void theHistoryOfALoadAndOfWhatATermHasNotRepeatedYetIsProvenToo() {
    Function<BinlogPosition, Optional<LogHistory>> changedBehind =
        place -> Optional.of(place.offset() > 100 ? new LogHistory("binlog", 0, "0-1-9") : HISTORY);
    Position have = at(8, 100);
    Position later = at(8, 200);
    StartRule.Facts before = facts(have, have, have, Optional.of(have), true, SERVER, "");
    MariadbStartRule rule =
        rule(
            changedBehind,
            bookmark -> new Succession.At(new BinlogPosition(7, 40)),
            new DecidedStart());
    assertThat(rule.decide(before)).isInstanceOf(Decision.GoOn.class);
    for (StartRule.Facts ahead :
        List.of(
            with(before, later, position -> Optional.empty(), Optional.empty()),
            facts(have, have, later, Optional.of(have), true, SERVER, ""))) {
      assertThat(problem(rule.decide(ahead))).contains("at 000008:200 it has GTID 0-1-9");
    }
  }

  @Test
  void aReplicaWithTheSameTransactionsGoesOnAtItsPlaceInTheNextTimeline() {
    DecidedStart start = new DecidedStart();
    BinlogPosition place = new BinlogPosition(7, 40);
    Position have = at(8, 200);
    assertThat(
            rule(OTHER_AT_8, bookmark -> new Succession.At(place), start)
                .decide(facts(have, have, have, Optional.empty(), true, SERVER, BOOKMARK)))
        .isEqualTo(new Decision.GoOn(have, Optional.of(10L)));
    Position from = start.from(have);
    assertThat(from).isGreaterThan(have).isEqualTo(place.on(1).position(HISTORY));
    // The next change of the server goes behind this one.
    assertThat(
            rule(at -> Optional.empty(), bookmark -> new Succession.At(place), start)
                .decide(facts(from, from, have, Optional.empty(), true, SERVER, BOOKMARK)))
        .isInstanceOf(Decision.Stop.class);
    Function<BinlogPosition, Optional<LogHistory>> third =
        at -> Optional.of(at.timeline() < 2 ? new LogHistory("binlog", 9, "0-1-9") : HISTORY);
    rule(third, bookmark -> new Succession.At(new BinlogPosition(7, 4)), start)
        .decide(facts(from, from, have, Optional.empty(), true, SERVER, BOOKMARK));
    assertThat(start.from(from)).isGreaterThan(from);
  }

  /** A term that ended early has repeated only a part of what the term before it had. */
  @Test
  void aReplicaGoesOnBehindAllThatTheSinkTakesFromTheJournal() {
    DecidedStart start = new DecidedStart();
    Position taken = at(8, 300);
    StartRule.Facts facts =
        facts(at(8, 100), at(8, 100), at(8, 100), Optional.of(at(8, 200)), true, SERVER, BOOKMARK);
    assertThat(
            rule(OTHER_AT_8, bookmark -> new Succession.At(new BinlogPosition(7, 40)), start)
                .decide(taking(taken, facts)))
        .isEqualTo(new Decision.GoOn(taken, Optional.of(10L)));
    assertThat(BinlogPosition.of(start.from(taken)).timeline()).isEqualTo(1);
  }

  private static StartRule.Facts taking(Position accepted, StartRule.Facts facts) {
    return with(
        facts,
        accepted,
        position -> position.equals(accepted) ? Optional.of(BOOKMARK) : Optional.empty(),
        facts.stop());
  }

  @Test
  void aReplicaIsRefusedWhileTheTargetHasRowsOfALaterPositionThanTheJournal() {
    Position have = at(8, 200);
    Position later = at(8, 201);
    Function<LogBookmark, Succession> found =
        bookmark -> new Succession.At(new BinlogPosition(7, 40));
    for (StartRule.Facts facts :
        List.of(
            facts(have, later, have, Optional.empty(), true, SERVER, BOOKMARK),
            facts(have, have, later, Optional.empty(), true, SERVER, BOOKMARK))) {
      assertThat(problem(rule(OTHER_AT_8, found, new DecidedStart()).decide(facts)))
          .contains("has another history", "tables as they were at " + later);
      assertThat(
              problem(rule(OTHER_AT_8, found, new DecidedStart()).decide(facts.withoutBookmark())))
          .doesNotContain("tables as they were");
    }
  }

  @Test
  void aServerThatCannotTakeOverIsRefusedWithBothReasons() {
    Position have = at(8, 200);
    MariadbStartRule rule =
        rule(
            OTHER_AT_8,
            bookmark ->
                new Succession.Refused(
                    new Problem(
                        "source", "it lacks " + bookmark.lastGtid(), "it", "Look elsewhere")),
            new DecidedStart());
    assertThat(
            problem(rule.decide(facts(have, have, have, Optional.empty(), true, OTHER, BOOKMARK))))
        .contains("has another history", "as a replica of the former server either: it lacks 0-1-3")
        .contains("Look elsewhere", "keep both until you know")
        .doesNotContain("stop --drop");
    assertThat(
            problem(rule.decide(facts(have, have, have, Optional.empty(), true, SERVER, BOOKMARK))))
        .contains("sluice resync", "load the tables again", "keep both until you know")
        .containsSubsequence("bring back to it what only the target has", "sluice resync");
  }

  /** Its bound belongs to the former server's log, and all of the new one's would be behind it. */
  @Test
  void aTaskThatIsToStopDoesNotChangeItsServer() {
    Position have = at(8, 200);
    Function<LogBookmark, Succession> found =
        bookmark -> new Succession.At(new BinlogPosition(7, 40));
    StartRule.Facts facts = facts(have, have, have, Optional.empty(), true, SERVER, BOOKMARK);
    for (CdcStop stop : List.of(new CdcStop.Now(), new CdcStop.AtPosition("binlog.000009:4"))) {
      assertThat(problem(rule(OTHER_AT_8, found, new DecidedStart()).decide(stopping(facts, stop))))
          .contains("another server", "without cdc-stop-position");
    }
  }

  @Test
  void aPlaceOfOneServersLogIsNoStopForATaskThatHasChangedItsServer() {
    Position have = new BinlogPosition(7, 100).on(1).position(HISTORY);
    StartRule.Facts facts = facts(have, have, have, Optional.empty(), true, SERVER, BOOKMARK);
    MariadbStartRule rule =
        rule(place -> Optional.of(HISTORY), bookmark -> null, new DecidedStart());
    CdcStop place = new CdcStop.AtPosition("binlog.000009:4");
    assertThat(problem(rule.decide(stopping(facts, place)))).contains("cdc-stop-position");
    assertThat(rule.decide(stopping(facts, new CdcStop.Now()))).isInstanceOf(Decision.GoOn.class);
    for (String gtids : List.of("0-1-9", "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-9")) {
      assertThat(rule.decide(stopping(facts, new CdcStop.AtPosition(gtids))))
          .as("they are the same on all servers")
          .isInstanceOf(Decision.GoOn.class);
    }
  }

  private static StartRule.Facts stopping(StartRule.Facts facts, CdcStop stop) {
    return with(facts, facts.accepted(), facts.bookmark(), Optional.of(stop));
  }

  private static StartRule.Facts with(
      StartRule.Facts facts,
      Position accepted,
      Function<Position, Optional<String>> bookmark,
      Optional<CdcStop> stop) {
    return new StartRule.Facts(
        facts.retentionName(),
        facts.retention(),
        facts.checkpoint(),
        facts.furthest(),
        facts.lastInJournal(),
        facts.sameTopic(),
        facts.offset(),
        facts.journalStart(),
        facts.journalEnd(),
        facts.sourceThen(),
        facts.sourceNow(),
        facts.parted(),
        facts.logEnd(),
        accepted,
        facts.loaded(),
        bookmark,
        stop);
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
    return rule(
            history,
            bookmark -> {
              throw new AssertionError("nobody has a bookmark");
            },
            new DecidedStart())
        .decide(facts(checkpoint, furthest, Position.ZERO, lastInJournal, sameTopic, now, ""));
  }

  private static MariadbStartRule rule(
      Function<BinlogPosition, Optional<LogHistory>> history,
      Function<LogBookmark, Succession> succession,
      DecidedStart start) {
    return new MariadbStartRule(FILES, history, succession, start);
  }

  private static StartRule.Facts facts(
      Position checkpoint,
      Position furthest,
      Position loaded,
      Optional<Position> lastInJournal,
      boolean sameTopic,
      SourceIdentity now,
      String bookmark) {
    return new StartRule.Facts(
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
        at(8, 500),
        checkpoint,
        loaded,
        position -> position.equals(checkpoint) ? Optional.of(bookmark) : Optional.empty(),
        Optional.empty());
  }
}
