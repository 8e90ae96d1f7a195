package dev.sluice.connector.postgres.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.ChangeEvent.Definition;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.Position;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TruncatedTablesTest {
  private static final Position PLACE = new Position(4711);

  private final Partitions partitions = new Partitions();

  @Test
  void aTruncatedLeafTakesOnlyItsRowsFromItsRoot() {
    partitions.add("root", "low", "id < 10");
    partitions.add("root", "high", "id >= 10");
    assertThat(emptied("low")).containsExactly(new Emptied(id("root"), "id < 10"));
    assertThat(emptied("high")).containsExactly(new Emptied(id("root"), "id >= 10"));
  }

  @Test
  void severalLeavesOfManyTakeTheRowsOfEach() {
    partitions.add("root", "low", "id < 10");
    partitions.add("root", "middle", "id >= 10 AND id < 20");
    partitions.add("root", "high", "id >= 20");
    assertThat(emptied("low", "middle"))
        .containsExactly(new Emptied(id("root"), "(id < 10) OR (id >= 10 AND id < 20)"));
  }

  @Test
  void allLeavesOfARootTakeAllOfIt() {
    partitions.add("root", "low", "id < 10");
    partitions.add("root", "high", "id >= 10");
    assertThat(emptied("high", "low")).containsExactly(new Emptied(id("root"), null));
  }

  /** No partition has the rows of another root, and a plain table is its own root. */
  @Test
  void eachRootLosesItsOwnRows() {
    partitions.add("root", "low", "id < 10");
    partitions.add("root", "high", "id >= 10");
    partitions.add("other", "old", "at < 2000");
    partitions.add("other", "new", "at >= 2000");
    partitions.add("plain", "plain", null);
    assertThat(emptied("plain", "new", "low", "old", "unknown"))
        .containsExactly(
            new Emptied(id("plain"), null),
            new Emptied(id("other"), null),
            new Emptied(id("root"), "id < 10"),
            new Emptied(id("unknown"), null));
  }

  /** With the rows of the root, those of the other partitions would be gone. */
  @Test
  void aLeafWithoutBoundsTakesNothing() {
    partitions.add("root", "low", null);
    partitions.add("root", "high", "id >= 10");
    assertThatThrownBy(() -> emptied("low"))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("table public.root: its partition public.low was truncated")
        .hasMessageContaining("sluice resync --delete-extra");
  }

  /** Which leaves a root has may not be known any more. */
  @Test
  void aLeafOfARootWithoutKnownLeavesTakesOnlyItsRows() {
    partitions.add("root", "low", "id < 10");
    partitions.leaves.clear();
    assertThat(emptied("low")).containsExactly(new Emptied(id("root"), "id < 10"));
  }

  private List<Emptied> emptied(String... truncated) {
    return new TruncatedTables(partitions, PLACE)
        .change(Arrays.stream(truncated).map(TruncatedTablesTest::id).toList())
        .tables();
  }

  private static TableId id(String name) {
    return new TableId("public", name);
  }

  private static final class Partitions implements SourceTables {
    private final Map<TableId, SourceTable> tables = new HashMap<>();
    private final Map<TableId, Set<TableId>> leaves = new HashMap<>();

    /** Adds a leaf, or a table that is its own root. */
    void add(String root, String name, String condition) {
      Column key = new Column("id", "integer", false, true);
      tables.put(
          id(name), new SourceTable(id(name), id(root), List.of(key), false, condition, true));
      if (!root.equals(name)) {
        leaves.computeIfAbsent(id(root), any -> new LinkedHashSet<>()).add(id(name));
      }
    }

    @Override
    public Optional<SourceTable> describe(TableId table, Position position) {
      assertThat(position).isEqualTo(PLACE);
      return Optional.ofNullable(tables.get(table));
    }

    @Override
    public Set<TableId> leavesOf(TableId root, Position position) {
      assertThat(position).isEqualTo(PLACE);
      return leaves.getOrDefault(root, Set.of());
    }

    @Override
    public String typeName(int type, int modifier) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Optional<Column> inCatalog(TableId table, String column) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isCaptured(TableId published) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean mayFollow(TableId unknown) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Optional<Definition> definition(int relation, String report) {
      throw new UnsupportedOperationException();
    }
  }
}
