package dev.sluice.engine.validate.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.validation.TableCoverage;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TableOrderTest {
  private static final Instant NOW = Instant.parse("2026-01-10T00:00:00Z");
  private static final Position AT = Position.parse("0/10");

  private final Map<String, Integer> fruitless = new HashMap<>();
  private final TableOrder order = new TableOrder(Duration.ofHours(100));

  @Test
  void whatIsBegunIsCompletedBeforeAnotherTableBegins() {
    TableCoverage begun = readOf("begun", Duration.ofHours(90)).read(AT, 5, Optional.of("k"), NOW);

    assertThat(due(neverRead("a"), begun)).containsExactly("begun", "a");
  }

  @Test
  void whatWasNeverReadComesBeforeWhatWasReadLongAgo() {
    assertThat(
            due(
                readOf("old", Duration.ofHours(90)),
                readOf("older", Duration.ofHours(95)),
                neverRead("z")))
        .containsExactly("z", "older", "old");
  }

  @Test
  void aTableIsReadAgainBeforeItsProofIsTooOld() {
    assertThat(due(readOf("t", Duration.ofHours(79)))).isEmpty();
    assertThat(due(readOf("t", Duration.ofHours(80)))).containsExactly("t");
    assertThat(order.isTooOld(readOf("t", Duration.ofHours(100)), NOW)).isFalse();
    assertThat(order.isTooOld(readOf("t", Duration.ofHours(101)), NOW)).isTrue();
  }

  @Test
  void aSuspendedTableIsNotRead() {
    assertThat(due(neverRead("t").suspendedFor("too many differences"))).isEmpty();
  }

  @Test
  void aTableWhoseLastPassDoesNotCountIsReadAgain() {
    TableCoverage outdated =
        TableCoverage.none(new TableId("public", "t"), "outdated")
            .read(AT, 10, Optional.empty(), NOW);

    assertThat(due(outdated, readOf("u", Duration.ofHours(1)))).containsExactly("t");
  }

  @Test
  void aTableOfWhichSessionsBroughtNothingDoesNotKeepTheOthersWaiting() {
    TableCoverage begun = readOf("begun", Duration.ofHours(90)).read(AT, 5, Optional.of("k"), NOW);
    fruitless.put("begun", 2);
    fruitless.put("never", 1);

    assertThat(due(begun, neverRead("never"), readOf("old", Duration.ofHours(90))))
        .containsExactly("old", "never", "begun");
  }

  private List<String> due(TableCoverage... tables) {
    return order
        .due(
            List.of(tables),
            table -> table.shape().equals("outdated"),
            table -> fruitless.getOrDefault(table.name(), 0),
            NOW)
        .stream()
        .map(TableId::name)
        .toList();
  }

  private static TableCoverage neverRead(String name) {
    return TableCoverage.none(new TableId("public", name), "shape");
  }

  private static TableCoverage readOf(String name, Duration ago) {
    return neverRead(name).read(AT, 10, Optional.empty(), NOW.minus(ago));
  }
}
