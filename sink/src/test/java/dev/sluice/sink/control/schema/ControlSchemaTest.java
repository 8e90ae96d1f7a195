package dev.sluice.sink.control.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.Checkpoint.SourceServer;
import dev.sluice.sink.control.task.TaskIdentities;
import dev.sluice.sink.control.task.TaskSteps;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TestTarget;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ControlSchemaTest {
  @RegisterExtension static final TestTarget TARGET = new TestTarget();

  @Test
  void aSchemaOfAnEarlierVersionGetsTheLaterTablesAndColumns() throws SQLException {
    ControlSchema.create(TARGET.server(), "earlier");
    run(
        "ALTER TABLE earlier.sluice_suspended_tables DROP COLUMN state, DROP COLUMN rows_whole",
        "ALTER TABLE earlier.load_segment DROP COLUMN file_node",
        "DROP TABLE earlier.sluice_status",
        "INSERT INTO earlier.checkpoint (task, epoch) VALUES ('t', 7)");

    ControlSchema.create(TARGET.server(), "earlier");

    try (TargetConnection connection = TARGET.server().connect()) {
      assertThat(connection.exists("SELECT FROM earlier.checkpoint WHERE epoch = 7")).isTrue();
      assertThat(ReportTables.STATUS.isIn(connection, "earlier")).isTrue();
      assertThat(ProgressTables.SUSPENDED.isOldIn(connection, "earlier")).isFalse();
      assertThat(LoadTables.SEGMENT.isOldIn(connection, "earlier")).isFalse();
    }
    run(
        "INSERT INTO earlier.sluice_suspended_tables (server_name, task_name, table_owner,"
            + " table_name, suspend_reason, source_schema, source_table, first_position, position,"
            + " journal_term, journal_transaction, next_offset) VALUES ('s', 't', 'o', 'n', 'r',"
            + " 's', 't', '0/1', '0/1', 1, 1, 1)");
    try (TargetConnection connection = TARGET.server().connect()) {
      assertThat(
              connection.exists(
                  "SELECT FROM earlier.sluice_suspended_tables"
                      + " WHERE state = 'suspended' AND rows_whole"))
          .isTrue();
    }
  }

  @Test
  void positionsThatAnEarlierVersionStoredAsLogSequenceNumbersAreKeptAndWiderOnesFit()
      throws SQLException {
    ControlSchema.create(TARGET.server(), "numbers");
    run(
        "ALTER TABLE numbers.checkpoint ALTER position DROP DEFAULT, ALTER durable DROP DEFAULT",
        "ALTER TABLE numbers.checkpoint ALTER position TYPE pg_lsn USING position::pg_lsn,"
            + " ALTER durable TYPE pg_lsn USING durable::pg_lsn",
        "ALTER TABLE numbers.checkpoint ALTER position SET DEFAULT '0/0',"
            + " ALTER durable SET DEFAULT '0/0'",
        "ALTER TABLE numbers.lane_checkpoint ALTER position TYPE pg_lsn USING position::pg_lsn,"
            + " ALTER durable TYPE pg_lsn USING durable::pg_lsn",
        "ALTER TABLE numbers.sluice_apply_exceptions"
            + " ALTER position TYPE pg_lsn USING position::pg_lsn",
        "ALTER TABLE numbers.load_segment"
            + " ALTER start_position TYPE pg_lsn USING start_position::pg_lsn",
        "ALTER TABLE numbers.sluice_suspended_tables"
            + " ALTER first_position TYPE pg_lsn USING first_position::pg_lsn,"
            + " ALTER position TYPE pg_lsn USING position::pg_lsn, DROP COLUMN rows_whole,"
            + " DROP COLUMN state",
        "INSERT INTO numbers.checkpoint (task, epoch, position, durable)"
            + " VALUES ('t', 7, '16/B374D848', '16/A')",
        "INSERT INTO numbers.checkpoint (task, epoch) VALUES ('new', 1)");
    assertThat(positionColumns("numbers")).containsOnlyKeys("pg_lsn", "text");
    CheckpointStore store = new CheckpointStore(TARGET.server(), "numbers");
    Position stored = Position.parse("16/B374D848");
    assertThat(store.read("t").orElseThrow().position()).isEqualTo(stored);

    ControlSchema.create(TARGET.server(), "numbers");

    assertThat(positionColumns("numbers")).containsOnlyKeys("text");
    Checkpoint claimed = store.claim("t");
    assertThat(claimed.position()).isEqualTo(stored);
    assertThat(claimed.durable()).isEqualTo(Position.parse("16/A"));
    assertThat(store.claim("new").position()).isEqualTo(Position.ZERO);
    assertThat(store.claim("newer").position()).isEqualTo(Position.ZERO);
    store.write(claimed.startingAt(Position.MAX, 1, "topic", new SourceServer("7301", 3)));
    assertThat(store.read("t").orElseThrow().position()).isEqualTo(Position.MAX);
  }

  @Test
  void whoReadsAPositionOfPostgreSqlSeesItsOwnForm() throws SQLException {
    CheckpointStore store = new CheckpointStore(TARGET.server(), "readable");
    store.create();
    Checkpoint claimed = store.claim("t");
    store.write(
        claimed.startingAt(new Position(0x16B374D848L), 1, "topic", new SourceServer("7301", 3)));
    try (TargetConnection connection = TARGET.server().connect()) {
      assertThat(
              connection.exists(
                  "SELECT FROM readable.checkpoint WHERE position = '16/B374D848'"
                      + " AND durable::pg_lsn > '9/0'"))
          .isTrue();
    }
  }

  @Test
  void aSchemaFromBeforeThereWereVersionsGetsTheVersionWithTheRest() throws SQLException {
    ControlSchema.create(TARGET.server(), "unversioned");
    run(
        "DROP TABLE unversioned.control_version, unversioned.sluice_status",
        "INSERT INTO unversioned.checkpoint (task, epoch) VALUES ('t', 7)");
    CheckpointStore store = new CheckpointStore(TARGET.server(), "unversioned");
    assertThat(store.read("t").orElseThrow().epoch()).isEqualTo(7);

    ControlSchema.create(TARGET.server(), "unversioned");
    ControlSchema.create(TARGET.server(), "unversioned");

    assertThat(versions("unversioned")).isEqualTo(Integer.toString(ControlVersion.CURRENT));
    assertThat(store.read("t").orElseThrow().epoch()).isEqualTo(7);
  }

  @Test
  void aSchemaOfAnEarlierVersionIsReadAsItWillBeAndStaysAsItIs() throws SQLException {
    ControlSchema.create(TARGET.server(), "checked");
    run(
        "DROP TABLE checked.control_version",
        "ALTER TABLE checked.task_identity RENAME COLUMN retention_name TO slot_name",
        "INSERT INTO checked.task_identity (task, id, source_system, source_database, slot_name,"
            + " host, data_directory) VALUES ('t', gen_random_uuid(), '7301', 'shop', 'kept',"
            + " 'h', '/d')");
    TaskIdentities identities = new TaskIdentities(TARGET.server(), "checked");

    assertThat(identities.read("t").orElseThrow().retention()).contains("kept");
    try (TargetConnection connection = TARGET.server().connect()) {
      assertThat(connection.exists("SELECT slot_name FROM checked.task_identity")).isTrue();
    }

    ControlSchema.create(TARGET.server(), "checked");
    assertThat(identities.read("t").orElseThrow().retention()).contains("kept");
    try (TargetConnection connection = TARGET.server().connect()) {
      assertThat(connection.exists("SELECT retention_name FROM checked.task_identity")).isTrue();
    }
  }

  @Test
  void anUpgradeThatFailsLeavesTheSchemaAsItWas() throws SQLException {
    ControlSchema.create(TARGET.server(), "failing");
    run(
        "DROP TABLE failing.control_version, failing.sluice_status",
        "ALTER TABLE failing.load_segment DROP COLUMN attempt",
        "INSERT INTO failing.load_segment (task, source_schema, source_table, segment, rows_of,"
            + " shape, start_position) VALUES ('t', 's', 't', 1, '', '', '0/0')");

    assertThatThrownBy(() -> ControlSchema.create(TARGET.server(), "failing"))
        .hasMessageContaining("attempt");

    try (TargetConnection connection = TARGET.server().connect()) {
      assertThat(ReportTables.STATUS.isIn(connection, "failing")).isFalse();
      assertThat(ControlVersion.TABLE.isIn(connection, "failing")).isFalse();
    }
  }

  @Test
  void aSchemaOfANewerVersionIsRefusedAndStaysAsItIs() throws SQLException {
    ControlSchema.create(TARGET.server(), "newer");
    run(
        "INSERT INTO newer.checkpoint (task, epoch) VALUES ('t', 7)",
        "INSERT INTO newer.control_version (version, written_by) VALUES (2, '9.1.0')",
        "DROP TABLE newer.sluice_status");
    CheckpointStore store = new CheckpointStore(TARGET.server(), "newer");
    TaskSteps steps = new TaskSteps(TARGET.server(), "newer");
    TaskIdentities identities = new TaskIdentities(TARGET.server(), "newer");

    for (ThrowableAssert.ThrowingCallable use :
        List.<ThrowableAssert.ThrowingCallable>of(
            store::create,
            () -> store.read("t"),
            () -> store.drop("t"),
            () -> steps.all("t"),
            () -> identities.read("t"),
            () -> ControlVersion.require(TARGET.server(), "newer"))) {
      assertThatThrownBy(use)
          .isInstanceOf(SluiceException.Fatal.class)
          .hasMessageContaining("control schema newer")
          .hasMessageContaining("version 2, written by Sluice 9.1.0")
          .hasMessageContaining("version 1 or earlier");
    }
    store.removeUnused();

    assertThat(versions("newer")).isEqualTo("1 2");
    try (TargetConnection connection = TARGET.server().connect()) {
      assertThat(connection.exists("SELECT FROM newer.checkpoint WHERE epoch = 7")).isTrue();
      assertThat(ReportTables.STATUS.isIn(connection, "newer")).isFalse();
    }
  }

  @Test
  void aFirstStartThatTheServerRejectsIsNotTriedAgain() throws SQLException {
    run("CREATE SCHEMA rejected", "CREATE TYPE rejected.checkpoint AS ENUM ('a')");
    assertThatThrownBy(() -> ControlSchema.create(TARGET.server(), "rejected"))
        .isNotInstanceOf(SluiceException.Retryable.class)
        .hasMessageContaining("type \"checkpoint\" already exists");
  }

  @Test
  void aTaskWhoseTablesWereDroppedMeanwhileIsTriedAgain() throws SQLException {
    CheckpointStore store = new CheckpointStore(TARGET.server(), "dropped");
    store.create();
    run("DROP SCHEMA dropped CASCADE");
    assertThatThrownBy(() -> store.claim("t"))
        .isInstanceOf(SluiceException.Retryable.class)
        .hasMessageContaining("dropped meanwhile")
        .hasMessageContaining("relation \"dropped.checkpoint\" does not exist");
  }

  @Test
  void theVersionGoesWithTheLastTask() throws SQLException {
    CheckpointStore store = new CheckpointStore(TARGET.server(), "left");
    store.create();
    store.claim("t");
    store.removeUnused();
    assertThat(versions("left")).isEqualTo(Integer.toString(ControlVersion.CURRENT));
    store.drop("t");
    store.removeUnused();
    try (TargetConnection connection = TARGET.server().connect()) {
      assertThat(connection.exists("SELECT FROM pg_namespace WHERE nspname = 'left'")).isFalse();
    }
  }

  private static String versions(String schema) throws SQLException {
    try (TargetConnection connection = TARGET.server().connect();
        PreparedStatement statement =
            connection
                .jdbc()
                .prepareStatement(
                    "SELECT string_agg(version::text, ' ' ORDER BY version) FROM "
                        + ControlVersion.TABLE.in(schema));
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getString(1);
    }
  }

  /** How many columns with positions the tables of a schema have, by type. */
  private static Map<String, Long> positionColumns(String schema) throws SQLException {
    Map<String, Long> types = new HashMap<>();
    try (TargetConnection connection = TARGET.server().connect();
        PreparedStatement statement =
            connection
                .jdbc()
                .prepareStatement(
                    "SELECT atttypid::regtype::text, count(*) FROM pg_attribute a"
                        + " JOIN pg_class c ON c.oid = attrelid AND relkind = 'r'"
                        + " WHERE relnamespace = ?::regnamespace AND NOT attisdropped"
                        + " AND attname ~ '(^|_)position$|^durable$' GROUP BY 1")) {
      statement.setString(1, schema);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          types.put(row.getString(1), row.getLong(2));
        }
      }
    }
    return types;
  }

  private static void run(String... statements) throws SQLException {
    try (TargetConnection connection = TARGET.server().connect()) {
      for (String sql : statements) {
        connection.execute(sql);
      }
      connection.jdbc().commit();
    }
  }
}
