package dev.sluice.sink.window.compaction;

import static dev.sluice.sink.JournalScript.ITEMS;
import static dev.sluice.sink.JournalScript.fence;
import static dev.sluice.sink.JournalScript.insert;
import static dev.sluice.sink.JournalScript.update;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.sink.Tunings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

final class RoundCutterTest {
  private static final TableId TABLE = ITEMS.table();
  private static final TableId OTHER = new TableId("shop", "orders");

  @Nested
  final class Compacting {
    private final RoundCutter cutter = new RoundCutter(Tunings.batch());

    @Test
    void withoutChangesThereIsNoRound() {
      assertThat(cutter.add(fence("here"))).isNull();
      assertThat(cutter.finish()).isNull();
    }

    @Test
    void aTruncateThatFollowsChangesBeginsARound() {
      assertThat(cutter.add(insert(1, "a"))).isNull();
      Round before = cutter.add(new Truncate(List.of(new Emptied(TABLE, null))));
      assertThat(before.truncate()).isEmpty();
      assertThat(cutter.add(insert(1, "b"))).isNull();
      Round after = cutter.finish();
      assertThat(after.truncate()).containsExactly(new Emptied(TABLE, null));
      assertThat(((Round.Net) after).tables()).hasSize(1);
    }

    @Test
    void truncatesInARowAreOneStatement() {
      cutter.add(new Truncate(List.of(new Emptied(TABLE, "a < 5"), new Emptied(OTHER, null))));
      cutter.add(new Truncate(List.of(new Emptied(TABLE, null))));
      assertThat(cutter.add(new Truncate(List.of(new Emptied(TABLE, "a < 7"))))).isNull();
      assertThat(cutter.finish().truncate())
          .containsExactlyInAnyOrder(new Emptied(TABLE, null), new Emptied(OTHER, null));
    }

    @Test
    void ddlIsARoundOfItsOwnInItsPlace() {
      DefinitionChanges ddl =
          new DefinitionChanges("DROP TABLE", true, Map.of(), List.of(), List.of());
      Truncate truncate = new Truncate(List.of(new Emptied(TABLE, null)));
      cutter.add(insert(1, "a"));
      assertThat(cutter.add(new Definition(ddl))).isInstanceOf(Round.Net.class);
      assertThat(cutter.add(new Definition(ddl))).isEqualTo(new Round.Definitions(ddl));
      assertThat(cutter.add(truncate)).isEqualTo(new Round.Definitions(ddl));
      assertThat(cutter.add(insert(1, "a"))).isNull();
      assertThat(cutter.add(new Definition(ddl)).truncate()).hasSize(1);
      assertThat(cutter.finish()).isEqualTo(new Round.Definitions(ddl));
    }

    @Test
    void aChangeThatCannotFollowThoseBeforeItBeginsARound() {
      cutter.add(insert(1, "a"));
      Round ended = cutter.add(insert(1, "b"));
      assertThat(((Round.Net) ended).tables()).hasSize(1);
      assertThat(cutter.netChanges()).isEqualTo(1);
    }

    @Test
    void anotherRowSchemaOfATableBeginsARound() {
      cutter.add(insert(1, "a"));
      Round before = cutter.add(insertOfNewSchema(2));
      assertThat(((Round.Net) before).tables().get(0).schema()).isEqualTo(ITEMS);
      Round.Net after = (Round.Net) cutter.finish();
      assertThat(after.tables().get(0).schema().columns()).hasSize(3);
    }

    @Test
    void aTableOfWhichNothingIsLeftIsNotInTheRound() {
      cutter.add(insert(1, "a"));
      cutter.add(new RowChange(ITEMS, RowBuilder.rowOf("1"), null));
      assertThat(cutter.netChanges()).isZero();
      assertThat(cutter.retainedBytes()).isZero();
      assertThat(((Round.Net) cutter.finish()).tables()).isEmpty();
    }

    @Test
    void manyChangesOfOneRowKeepTheMemoryOfOne() {
      cutter.add(insert(1, "a"));
      long one = cutter.retainedBytes();
      for (int i = 0; i < 1000; i++) {
        cutter.add(update(1, "b"));
      }
      assertThat(cutter.retainedBytes()).isEqualTo(one);
    }
  }

  @Nested
  final class Ordered {
    private final RoundCutter cutter = new RoundCutter(Tunings.transactional());

    @Test
    void changesAreKeptAsTheyCome() {
      cutter.add(insert(1, "a"));
      cutter.add(update(1, "b"));
      assertThat(((Round.Ordered) cutter.finish()).changes())
          .containsExactly(insert(1, "a"), update(1, "b"));
    }

    @Test
    void anotherRowSchemaOfATableBeginsARound() {
      cutter.add(insert(1, "a"));
      assertThat(cutter.add(insertOfNewSchema(2))).isNotNull();
    }
  }

  @Test
  void changesOfATableThatIsNotCompactedKeepTheirOrderBesideNetChanges() {
    RoundCutter cutter = new RoundCutter(Tunings.batch(Tunings.forItems(Tunings.oneByOne())));
    RowSchema other = new RowSchema(OTHER, ITEMS.columns());
    cutter.add(insert(1, "a"));
    cutter.add(new RowChange(other, null, RowBuilder.rowOf("1", "a")));
    cutter.add(new RowChange(other, RowBuilder.rowOf("1"), RowBuilder.rowOf("1", "b")));
    cutter.add(update(1, "b"));
    assertThat(cutter.netChanges()).isEqualTo(3);
    List<TableChanges> tables = ((Round.Net) cutter.finish()).tables();
    assertThat(tables.get(0))
        .isEqualTo(new TableChanges.Ordered(ITEMS, List.of(insert(1, "a"), update(1, "b"))));
    assertThat(tables.get(1).count()).isEqualTo(1);
  }

  @Test
  void theShareOfATableIsCountedAloneAndFallsWithCompaction() {
    TableShares shares = new TableShares(Tunings.batch(Tunings.forItems(Tunings.memory(150))));
    shares.charge(OTHER, 1_000_000);
    shares.charge(TABLE, 149);
    assertThat(shares.isReached()).isFalse();
    shares.charge(TABLE, 1);
    assertThat(shares.isReached()).isTrue();
    shares.charge(TABLE, -1);
    assertThat(shares.isReached()).isFalse();
  }

  private static RowChange insertOfNewSchema(int id) {
    RowSchema schema =
        new RowSchema(
            TABLE,
            List.of(
                new Column("id", "integer", false, true),
                new Column("name", "text", true, false),
                new Column("added", "text", true, false)));
    return new RowChange(schema, null, RowBuilder.rowOf("" + id, "a", "b"));
  }
}
