package dev.sluice.sink.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.Truncate;
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
  void ddlIsTakenByTheNamesUnderWhichRowsCome() {
    DefinitionChange renamed = change(table(ITEMS, null), table(OTHER, null));
    DefinitionChange partition =
        change(null, table(new TableId("shop", "items_1"), new Partition(ITEMS, "FOR", null)));
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
