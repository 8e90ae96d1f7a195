package dev.sluice.connector.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.settings.DataSize;
import dev.sluice.config.transformation.SelectionPattern;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.journal.JournalReader;
import dev.sluice.connector.journal.JournalReader.Transaction;
import dev.sluice.connector.postgres.ddl.DefinitionTrigger;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the event triggers report of statements that convert the values of a table's rows. */
class ReportedConversionsTest {
  private static final DataSize LARGEST_VALUE = DataSize.ofMebibytes(1);

  /** The rows of a partitioned table are those of its partitions; the table itself has none. */
  @Test
  void aStatementThatComputesValuesOfAPartitionedTableIsReported() throws Exception {
    try (SourceFixture fixture =
            new SourceFixture(
                "CREATE TABLE whole (id int PRIMARY KEY, n int) PARTITION BY RANGE (id)",
                "CREATE TABLE part PARTITION OF whole FOR VALUES FROM (0) TO (10)"
                    + " PARTITION BY RANGE (id)",
                "CREATE TABLE leaf PARTITION OF part FOR VALUES FROM (0) TO (5)",
                "INSERT INTO whole VALUES (1, 1)");
        JournalReader reader = fixture.reader()) {
      DefinitionTrigger trigger = following(fixture, "whole");
      try (Capture capture = started(fixture)) {
        fixture.execute("ALTER TABLE whole ALTER n TYPE int USING n + 1");
        DefinitionChanges changes = definition(reader.read(1).get(0));
        assertThat(changes.plainCasts()).isFalse();
        assertThat(changes.changes())
            .singleElement()
            .satisfies(
                change -> {
                  assertThat(change.table()).isEqualTo(SourceFixture.table("whole"));
                  assertThat(change.rewritten()).isTrue();
                });
        assertThat(capture.failure()).isEmpty();
      }
      trigger.remove();
    }
  }

  /** A new column's values come of its definition, and it writes the rows again for itself. */
  @Test
  void aStatementWithoutANewTypeConvertsNothingWhereverItStands() throws Exception {
    try (SourceFixture fixture = new SourceFixture("CREATE TABLE a (id int PRIMARY KEY, v int)");
        JournalReader reader = fixture.reader()) {
      DefinitionTrigger trigger = following(fixture, "a");
      String added = "ADD g%d int GENERATED ALWAYS AS (id + %1$d) STORED";
      try (Capture capture = started(fixture)) {
        assertThat(
                plain(fixture, reader, "DO 'BEGIN ALTER TABLE a " + added.formatted(1) + "; END'"))
            .isTrue();
        assertThat(
                plain(
                    fixture,
                    reader,
                    "ALTER TABLE a " + added.formatted(2) + ", ALTER v TYPE int USING v + 1"))
            .isFalse();
        assertThat(
                plain(
                    fixture,
                    reader,
                    "DO 'BEGIN ALTER TABLE a "
                        + added.formatted(3)
                        + ", ALTER v TYPE int USING v + 1; END'"))
            .isFalse();
        assertThat(capture.failure()).isEmpty();
      }
      trigger.remove();
    }
  }

  /** Their columns change with their type, by CASCADE. */
  @Test
  void tablesOfATypeAreReportedWhenTheTypeIsAltered() throws Exception {
    try (SourceFixture fixture =
            new SourceFixture(
                "CREATE TYPE pair AS (id int, n numeric(10,2))",
                "CREATE TYPE mood AS ENUM ('sad')",
                "CREATE TABLE a OF pair (PRIMARY KEY (id))",
                "INSERT INTO a VALUES (1, 1)");
        JournalReader reader = fixture.reader()) {
      DefinitionTrigger trigger = following(fixture, "a");
      try (Capture capture = started(fixture)) {
        fixture.execute(
            "ALTER TYPE mood ADD VALUE 'glad'",
            "ALTER TYPE pair ADD ATTRIBUTE more text CASCADE",
            "ALTER TYPE pair RENAME ATTRIBUTE n TO amount CASCADE",
            "ALTER TYPE pair ALTER ATTRIBUTE amount TYPE numeric(10,4) CASCADE",
            "ALTER TYPE pair DROP ATTRIBUTE more CASCADE",
            "CREATE TYPE other AS (v int)",
            "ALTER TYPE other ADD ATTRIBUTE w int CASCADE");
        List<Transaction> read = reader.read(4);
        assertThat(read)
            .extracting(
                transaction ->
                    definition(transaction).changes().get(0).after().columns().stream()
                        .map(column -> column.name() + " " + column.type())
                        .toList())
            .containsExactly(
                List.of("id integer", "n numeric(10,2)", "more text"),
                List.of("id integer", "amount numeric(10,2)", "more text"),
                List.of("id integer", "amount numeric(10,4)", "more text"),
                List.of("id integer", "amount numeric(10,4)"));
        assertThat(definition(read.get(2)).plainCasts()).isFalse();
        assertThat(capture.failure()).isEmpty();
      }
      trigger.remove();
    }
  }

  private static boolean plain(SourceFixture fixture, JournalReader reader, String statement) {
    fixture.execute(statement);
    return definition(reader.read(1).get(0)).plainCasts();
  }

  private static DefinitionChanges definition(Transaction transaction) {
    return transaction.changes().stream()
        .filter(Definition.class::isInstance)
        .map(change -> ((Definition) change).changes())
        .findFirst()
        .orElseThrow();
  }

  /** Installs the triggers, publishes the table and makes the slot. */
  private static DefinitionTrigger following(SourceFixture fixture, String table) {
    DefinitionTrigger trigger = fixture.source.definitionTrigger();
    assertThat(trigger.install()).isEmpty();
    fixture.prepare().close();
    trigger.register(
        "sluice_" + fixture.task,
        false,
        List.of(new SelectionPattern(SelectionPattern.Says.INCLUDED, ".*", ".*")),
        List.of(SourceFixture.table(table)));
    return trigger;
  }

  private static Capture started(SourceFixture fixture) {
    return fixture.startWithTriggers(LARGEST_VALUE);
  }
}
