package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopSchema;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A task with the roles and grants that the documents name, without a superuser. */
class OrdinaryRolesTest {
  private static final ShopScale SCALE = new ShopScale(1);

  @Test
  void theGrantsOfTheReadmeAreEnoughFromLoadToCutover(@TempDir Path folder) throws Exception {
    try (EmbeddedPostgres source = EmbeddedPostgres.start();
        EmbeddedPostgres target = EmbeddedPostgres.start()) {
      ShopDatabases.create(source, target, "shop", SCALE);
      execute(
          source,
          """
          CREATE ROLE owner_of_the_tables;
          ALTER SCHEMA shop OWNER TO owner_of_the_tables;
          DO $$ DECLARE r record; BEGIN
            FOR r IN SELECT c.oid::regclass AS name FROM pg_class c
              WHERE relnamespace = 'shop'::regnamespace AND relkind = 'r'
            LOOP EXECUTE 'ALTER TABLE ' || r.name || ' OWNER TO owner_of_the_tables'; END LOOP;
          END $$;
          CREATE ROLE replicator LOGIN REPLICATION PASSWORD 'one';
          GRANT USAGE ON SCHEMA shop TO replicator;
          GRANT SELECT ON ALL TABLES IN SCHEMA shop TO replicator;
          GRANT CREATE ON DATABASE shop TO replicator;
          GRANT owner_of_the_tables TO replicator\
          """);
      execute(
          target,
          """
          CREATE ROLE loader LOGIN PASSWORD 'two';
          GRANT CREATE ON DATABASE shop TO loader;
          GRANT SET ON PARAMETER session_replication_role TO loader\
          """);
      Path task =
          TaskFolder.of(folder, "roles", source, target, "shop", ShopSchema.SCHEMA)
              .replacing(
                  "postgres@127.0.0.1:" + source.port(), "replicator@127.0.0.1:" + source.port())
              .replacing("${env:HOME}", "one")
              .replacing("postgres@127.0.0.1:" + target.port(), "loader@127.0.0.1:" + target.port())
              .replacing("${env:HOME}", "two")
              .settings("{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}}")
              .write();
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        execute(source, "UPDATE shop.customer SET c_balance = c_balance + 1");
        daemon.awaitAllApplied();
        DaemonProcess.Finished cutover =
            DaemonProcess.commandHere("cutover", task.toString(), "--quiet-period");
        assertThat(cutover.exitCode()).as(cutover.output() + daemon.output()).isZero();
        try (Connection from = source.connect("shop");
            Connection to = target.connect("shop")) {
          Comparison.assertEqual(from, to, ShopSchema.TABLES);
        }
        assertThat(DaemonProcess.commandHere("stop", task.toString(), "--drop").exitCode())
            .isZero();
        assertThat(daemon.awaitEnd()).as(daemon.output()).isZero();
      }
    }
  }

  private static void execute(EmbeddedPostgres server, String sql) throws SQLException {
    try (Connection connection = server.connect("shop");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
