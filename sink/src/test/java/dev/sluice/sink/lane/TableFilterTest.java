package dev.sluice.sink.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.ddl.TableDefinition.Partition;
import dev.sluice.sink.JournalScript;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class TableFilterTest {
  private static final TableId ITEMS = JournalScript.ITEMS.table();
  private static final TableId OTHER = new TableId("shop", "other");

  private final TableFilter items = TableFilter.only(Set.of(ITEMS));
  private final TableFilter rest = TableFilter.not(items);

  @Test
  void aRowIsTakenByOneOfTheTwo() {
    ChangeEvent row = JournalScript.insert(1, "a");
    assertThat(items.of(row)).isSameAs(row);
    assertThat(rest.of(row)).isNull();
  }

  @Test
  void aTruncateOfSeveralTablesIsTakenInParts() {
    Truncate both = new Truncate(List.of(new Emptied(ITEMS, null), new Emptied(OTHER, "a < 5")));
    assertThat(items.of(both)).isEqualTo(new Truncate(List.of(new Emptied(ITEMS, null))));
    assertThat(rest.of(both)).isEqualTo(new Truncate(List.of(new Emptied(OTHER, "a < 5"))));
    assertThat(items.of(rest.of(both))).isNull();
  }

  @Test
  void aFenceIsForEveryLane() {
    ChangeEvent fence = JournalScript.fence("here");
    assertThat(items.of(fence)).isSameAs(fence);
    assertThat(rest.of(fence)).isSameAs(fence);
  }

  @Test
  void ddlIsTakenByTheTableNamesOfTheRows() {
    DefinitionChange renamed = change(table(ITEMS, null), table(OTHER, null));
    DefinitionChange partition =
        change(
            null, table(new TableId("shop", "items_1"), new Partition(ITEMS, ITEMS, "FOR", null)));
    DefinitionChange foreign = change(null, table(OTHER, null));
    assertThat(items.of(ddl(renamed, partition, foreign))).isEqualTo(ddl(renamed, partition));
    assertThat(items.of(ddl(foreign))).isNull();
  }

  @Test
  void tablesThatGoIntoOneTargetTableGoTogether() {
    TableFilter one =
        TableFilter.into(Set.of(new TableId("shop", "all")), table -> new TableId("shop", "all"));
    assertThat(one.takes(ITEMS)).isTrue();
    assertThat(one.takes(OTHER)).isTrue();
  }

  @Test
  void onlyTablesThatStartedBeforeATransactionAreTakenOfIt() {
    Position early = Position.parse("0/100");
    Position late = Position.parse("0/200");
    TableFilter filter = TableFilter.ALL.from(new TableStarts(Map.of(ITEMS, early), late));

    assertThat(takes(filter, "0/FF")).isEmpty();
    assertThat(takes(filter, "0/100")).isEmpty();
    assertThat(takes(filter, "0/101")).containsExactly(ITEMS);
    assertThat(takes(filter, "0/200")).containsExactly(ITEMS);
    assertThat(takes(filter, "0/201")).containsExactly(ITEMS, OTHER);
    assertThat(filter.at(Position.parse("0/201"))).isSameAs(TableFilter.ALL);
    assertThat(filter.isAll()).isTrue();
    assertThat(filter.at(late).isAll()).isFalse();
  }

  @Test
  void aLaneTakesOfItsOwnTablesWhatComesAfterTheirStartAndNothingOfOthers() {
    TableStarts starts =
        new TableStarts(Map.of(ITEMS, Position.parse("0/100")), Position.parse("0/200"));

    assertThat(takes(items.from(starts), "0/180")).containsExactly(ITEMS);
    assertThat(takes(rest.from(starts), "0/180")).isEmpty();
    assertThat(takes(rest.from(starts), "0/280")).containsExactly(OTHER);
    assertThat(takes(rest.from(starts).ofAllTables(), "0/180")).containsExactly(ITEMS);
    assertThat(rest.from(starts).ofAllTables().isAll()).isTrue();
  }

  @Test
  void ddlBeforeTheStartOfATableIsNotDoneAgain() {
    TableFilter filter =
        TableFilter.ALL.from(
            new TableStarts(Map.of(ITEMS, Position.parse("0/100")), Position.parse("0/200")));
    DefinitionChange ofItems = change(table(ITEMS, null), table(ITEMS, null));
    DefinitionChange ofOther = change(table(OTHER, null), table(OTHER, null));

    assertThat(filter.at(Position.parse("0/150")).of(ddl(ofItems, ofOther)))
        .isEqualTo(ddl(ofItems));
    assertThat(filter.at(Position.parse("0/50")).of(ddl(ofItems, ofOther))).isNull();
  }

  private static List<TableId> takes(TableFilter filter, String position) {
    TableFilter at = filter.at(Position.parse(position));
    return List.of(ITEMS, OTHER).stream().filter(at::takes).toList();
  }

  private static Definition ddl(DefinitionChange... changes) {
    return new Definition(
        new DefinitionChanges("ALTER TABLE", true, Map.of(), List.of(), List.of(changes)));
  }

  private static DefinitionChange change(TableDefinition before, TableDefinition after) {
    return new DefinitionChange(before, after, false, false, null);
  }

  private static TableDefinition table(TableId table, Partition partition) {
    return new TableDefinition(table, null, partition, List.of(), List.of());
  }
}
