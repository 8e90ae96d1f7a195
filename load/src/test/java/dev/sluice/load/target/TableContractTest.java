package dev.sluice.load.target;

import static dev.sluice.load.target.LoadTestTables.ITEM;
import static dev.sluice.load.target.LoadTestTables.NUMBERS;
import static dev.sluice.load.target.LoadTestTables.PART;
import static dev.sluice.load.target.LoadTestTables.TICKET;
import static dev.sluice.load.target.LoadTestTables.WORD;
import static dev.sluice.load.target.LoadTestTables.run;
import static dev.sluice.load.target.LoadTestTables.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.FullLoadSettings.PrepMode;
import dev.sluice.connector.api.load.CopyFormat;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.connector.api.load.SequenceState;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.load.RowGuard;
import dev.sluice.load.TargetTablePreparation;
import dev.sluice.load.TargetTables;
import dev.sluice.load.target.TargetSequences.Owner;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a load does on any target with tables, keys and sequences. A kind of target passes it on its
 * own server.
 */
public abstract class TableContractTest {
  private TargetServer server;
  private LoadDialect dialect;

  protected abstract LoadContractLab lab();

  @BeforeEach
  void create() throws SQLException {
    lab().createTables();
    server = lab().target();
    dialect = LoadDialects.of(server.dialect());
    run(
        server,
        "INSERT INTO dst.item VALUES (1, 'a')",
        "INSERT INTO dst.item VALUES (2, 'b')",
        "INSERT INTO dst.part VALUES (7, 1)");
  }

  private List<String> items() throws SQLException {
    return texts(server, "SELECT id FROM dst.item ORDER BY id");
  }

  private List<String> parts() throws SQLException {
    return texts(server, "SELECT id FROM dst.part ORDER BY id");
  }

  private void empty(EpochFence fence, TableId... tables) {
    try (TargetConnection connection = server.connect()) {
      new TargetTablePreparation(connection, fence).empty(List.of(tables));
    }
  }

  @Test
  void emptyingATableKeepsTheRowsOfATableThatRefersToIt() throws SQLException {
    empty(EpochFence.NONE, ITEM);
    assertThat(items()).isEmpty();
    assertThat(parts()).containsExactly("7");
  }

  @Test
  void tablesThatReferToEachOtherAreEmptiedTogether() throws SQLException {
    empty(EpochFence.NONE, ITEM, PART);
    assertThat(items()).isEmpty();
    assertThat(parts()).isEmpty();
  }

  @Test
  void nothingIsEmptiedForADaemonThatLostTheTask() throws SQLException {
    run(server, "INSERT INTO dst.word VALUES ('kept')");
    EpochFence lost =
        connection -> {
          throw new SluiceException.Fenced("another daemon has claimed the task");
        };
    assertThatThrownBy(() -> empty(lost, ITEM, WORD)).isInstanceOf(SluiceException.Fenced.class);
    assertThat(items()).containsExactly("1", "2");
    assertThat(LoadTestTables.words(server)).containsExactly("kept");
  }

  /** With and without a table that refers to it. */
  @ParameterizedTest
  @ValueSource(strings = {"item", "word"})
  void rowsThatAnEarlierAttemptIsAboutToCommitAreEmptiedToo(String name) throws SQLException {
    TableId table = new TableId("dst", name);
    try (TargetConnection earlier = server.connect()) {
      load(earlier, table, name.equals("item") ? "id" : "name", "3");
      CompletableFuture<Void> emptied =
          CompletableFuture.runAsync(() -> empty(EpochFence.NONE, table));
      while (!emptied.isDone() && !lab().isSomeoneWaiting()) {
        Thread.onSpinWait();
      }
      earlier.jdbc().commit();
      emptied.join();
    }
    assertThat(texts(server, "SELECT 1 FROM " + table.quoted())).isEmpty();
  }

  /** Sends a row as a load does. */
  private void load(TargetConnection connection, TableId table, String column, String value)
      throws SQLException {
    CopyLayout layout =
        new CopyLayout(List.of(column), List.of(column), CopyFormat.TEXT, Optional.empty());
    RowChunk row = new RowChunk();
    byte[] bytes = (value + "\n").getBytes(StandardCharsets.UTF_8);
    System.arraycopy(bytes, 0, row.bytes(), 0, bytes.length);
    row.added(bytes.length);
    row.rowEnded();
    try (RowStream rows = dialect.rows(connection, table, layout)) {
      rows.add(row);
      rows.end();
    }
  }

  @Test
  void rowsThatTheTaskHasNotLoadedStopItsPreparation() throws SQLException {
    RowGuard guard = new RowGuard(PART::equals, false, (connection, tables) -> List.of());
    for (PrepMode mode : PrepMode.values()) {
      try (TargetConnection connection = server.connect()) {
        assertThatThrownBy(() -> guard.require(connection, List.of(PART, ITEM, WORD), mode))
            .isInstanceOf(SluiceException.Fatal.class)
            .hasMessageContaining("dst.item (2 rows)")
            .hasMessageNotContaining("dst.part");
      }
    }
    assertThat(items()).containsExactly("1", "2");
  }

  @Test
  void toAskWhetherATableCanBeDroppedChangesNothing() throws SQLException {
    try (TargetConnection connection = server.connect()) {
      TargetTablePreparation preparation = new TargetTablePreparation(connection, EpochFence.NONE);
      if (server.dialect().ddl().isTransactional()) {
        assertThat(preparation.canDrop(List.of(ITEM))).isFalse();
        assertThat(preparation.canDrop(List.of(ITEM, PART))).isTrue();
      } else {
        assertThatThrownBy(() -> preparation.canDrop(List.of(ITEM, PART)))
            .isInstanceOf(SluiceException.Fatal.class)
            .hasMessageContaining("no tables are dropped and created in one transaction");
      }
    }
    assertThat(items()).containsExactly("1", "2");
    assertThat(parts()).containsExactly("7");
  }

  @Test
  void theColumnsOfATableAreInItsOrderAndATableThatIsMissingIsNamed() {
    TableId missing = new TableId("dst", "missing");
    try (TargetConnection connection = server.connect()) {
      TargetTables tables = new TargetTables(connection);
      assertThat(tables.columns(List.of(ITEM)).get(ITEM))
          .extracting(TableColumn::name)
          .containsExactly("id", "name");
      assertThat(tables.leaves(ITEM)).isEmpty();
      assertThat(tables.find(missing)).isEmpty();
      assertThatThrownBy(() -> tables.columns(List.of(ITEM, missing)))
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("dst.missing")
          .hasMessageNotContaining("dst.item");
    }
  }

  @Test
  void rowsWithStaleKeysAreDeletedInTheTransactionAndEachKeyComesOnce() throws SQLException {
    try (TargetConnection connection = server.connect()) {
      StaleKeys undone = staleKeys(connection, "1", "1", "8", "9");
      assertThat(undone.count()).isEqualTo(3);
      assertThat(undone.delete()).isEqualTo(1);
      assertThat(undone.next(2)).hasSize(2);
      assertThat(undone.next(2)).hasSize(1);
      assertThat(undone.next(2)).isEmpty();
      connection.rollback();
      assertThat(items()).containsExactly("1", "2");
      assertThat(staleKeys(connection, "1", "3").delete()).isEqualTo(1);
      connection.jdbc().commit();
    }
    assertThat(items()).containsExactly("2");
  }

  private StaleKeys staleKeys(TargetConnection connection, String... ids) throws SQLException {
    StaleKeys keys = dialect.staleKeys(connection, 0, ITEM, List.of("id"));
    for (String id : ids) {
      keys.add(new String[] {id});
    }
    return keys;
  }

  @Test
  protected void aSequenceStandsAheadAndIsNeverSetBackUnlessNobodyUsesIt() throws SQLException {
    set(40, true);
    assertThat(lab().next(NUMBERS)).isEqualTo(41);
    set(7, true);
    assertThat(lab().next(NUMBERS)).isEqualTo(42);
    set(100, false);
    assertThat(lab().next(NUMBERS)).isEqualTo(100);
    setExactly(7);
    assertThat(lab().next(NUMBERS)).isEqualTo(8);
  }

  @Test
  protected void aSequenceIsFoundByItsColumnOrElseByItsName() throws SQLException {
    TableId other = new TableId("dst", "other");
    try (TargetConnection connection = server.connect()) {
      TargetSequences sequences = dialect.sequences();
      TargetSequence ofColumn =
          sequences.find(connection, Optional.of(new Owner(TICKET, "n")), NUMBERS).orElseThrow();
      assertThat(ofColumn.name()).isNotEqualTo(NUMBERS);
      assertThat(ofColumn.settable()).isTrue();
      assertThat(sequences.find(connection, Optional.of(new Owner(ITEM, "id")), NUMBERS))
          .map(TargetSequence::name)
          .contains(NUMBERS);
      assertThat(sequences.find(connection, Optional.empty(), other)).isEmpty();
    }
  }

  /** As nobody uses it. */
  protected final void setExactly(long value) throws SQLException {
    try (TargetConnection connection = server.connect()) {
      dialect.sequences().set(connection, numbers(connection), state(value, true));
      connection.jdbc().commit();
    }
  }

  /** As others may use it. */
  protected final void set(long value, boolean called) throws SQLException {
    try (TargetConnection connection = server.connect()) {
      dialect
          .sequences()
          .advance(connection, numbers(connection), state(value, called), Optional.empty());
      connection.jdbc().commit();
    }
  }

  private TargetSequence numbers(TargetConnection connection) throws SQLException {
    return dialect.sequences().find(connection, Optional.empty(), NUMBERS).orElseThrow();
  }

  private static SequenceState state(long value, boolean called) {
    return new SequenceState(
        NUMBERS,
        Optional.empty(),
        value,
        called,
        new SequenceState.Form(1, 1, Long.MAX_VALUE, 1, false));
  }
}
