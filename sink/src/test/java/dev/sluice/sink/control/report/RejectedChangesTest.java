package dev.sluice.sink.control.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.TableId;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TestTarget;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A resync deletes the rejected changes of its task only if none is newer than its proof. */
class RejectedChangesTest {
  private static final String CONTROL = "control";
  private static final TableId TABLE = new TableId("shop", "item");
  private static final TableId OTHER = new TableId("shop", "order");

  @RegisterExtension static final TestTarget TARGET = new TestTarget();

  private static TargetServer server;

  @BeforeAll
  static void createControlSchema() {
    server = TARGET.server();
    new CheckpointStore(server, CONTROL).create();
  }

  @Test
  void allAreDeletedIfNoneIsNewerThanTheProof() throws Exception {
    RejectedChanges rejected = new RejectedChanges(CONTROL, "proven");
    reject("proven", TABLE);
    reject("another", TABLE);
    reject("proven", OTHER);
    long newest = rejected.newest(server);

    assertThat(forgetAll(rejected, newest)).isTrue();

    assertThat(rejected.read(server)).isEmpty();
    assertThat(new RejectedChanges(CONTROL, "another").read(server)).containsOnlyKeys(TABLE);
  }

  @Test
  void noneIsDeletedIfOneIsNewerThanTheProof() throws Exception {
    RejectedChanges rejected = new RejectedChanges(CONTROL, "newer");
    reject("newer", TABLE);
    long before = rejected.newest(server);
    reject("newer", TABLE);

    assertThat(forgetAll(rejected, before)).isFalse();
    assertThat(rejected.read(server)).containsEntry(TABLE, 2L);

    assertThat(forgetAll(rejected, rejected.newest(server))).isTrue();
    assertThat(rejected.read(server)).isEmpty();
  }

  @Test
  void theFirstRejectedChangeIsNewerThanAProofThatBeganWithoutAny() throws Exception {
    RejectedChanges rejected = new RejectedChanges(CONTROL, "first");
    long none = rejected.newest(server);
    assertThat(none).isZero();
    assertThat(forgetAll(rejected, none)).isTrue();
    reject("first", TABLE);

    assertThat(forgetAll(rejected, none)).isFalse();
    assertThat(rejected.read(server)).containsEntry(TABLE, 1L);
  }

  @Test
  void theNewestIsThatOfTheTask() throws Exception {
    RejectedChanges rejected = new RejectedChanges(CONTROL, "mine");
    reject("mine", TABLE);
    long mine = rejected.newest(server);
    reject("theirs", TABLE);

    assertThat(rejected.newest(server)).isEqualTo(mine);
    assertThat(forgetAll(rejected, mine)).isTrue();
  }

  @Test
  void aTargetThatHasNoControlTablesHasNothingToDelete() throws Exception {
    RejectedChanges rejected = new RejectedChanges("absent", "task");
    assertThat(rejected.newest(server)).isZero();
    assertThat(forgetAll(rejected, 0)).isTrue();
  }

  @Test
  void ofATableThatIsProvenEqualOnlyTheChangesBeforeTheProofAreDeleted() throws Exception {
    RejectedChanges rejected = new RejectedChanges(CONTROL, "table");
    assertThat(rejected.newest(server, TABLE)).isZero();
    reject("table", TABLE);
    reject("table", TABLE);
    reject("other", TABLE);
    reject("table", OTHER);
    long newest = rejected.newest(server, TABLE);
    reject("table", TABLE);

    try (TargetConnection connection = server.connect()) {
      assertThat(rejected.forgetProven(connection, TABLE, newest)).isEqualTo(2);
      connection.jdbc().commit();
    }

    assertThat(rejected.read(server)).containsEntry(TABLE, 1L).containsEntry(OTHER, 1L);
    assertThat(new RejectedChanges(CONTROL, "other").read(server)).containsEntry(TABLE, 1L);
    assertThat(new RejectedChanges("absent", "task").newest(server, TABLE)).isZero();
  }

  private static void reject(String task, TableId table) throws SQLException {
    try (TargetConnection connection = server.connect()) {
      RejectedRow.insert(connection, CONTROL, task, table, "0/1");
      connection.jdbc().commit();
    }
  }

  private static boolean forgetAll(RejectedChanges rejected, long newest) throws SQLException {
    try (TargetConnection connection = server.connect()) {
      boolean deleted = rejected.forgetAll(connection, newest);
      connection.jdbc().commit();
      return deleted;
    }
  }
}
