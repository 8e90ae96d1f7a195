package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.connector.api.JournalTopics;
import dev.sluice.demo.workload.ShopScale;
import dev.sluice.demo.workload.ShopSchema;
import dev.sluice.embedded.BrokerAccess;
import dev.sluice.embedded.EmbeddedBroker;
import dev.sluice.embedded.postgres.EmbeddedPostgres;
import dev.sluice.engine.TaskFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A task whose three connections are encrypted and whose servers prove who they are: the source
 * takes a client's certificate, the target a password, Kafka a password and has rights by topic.
 */
class SecuredConnectionsTest {
  private static final SecurityProtocol KAFKA = SecurityProtocol.SASL_SSL;
  private static final String KAFKA_PASSWORD = "kafka-secret";
  private static final String TARGET_PASSWORD = "target-secret";
  private static final String ACCESS =
      """
      host    all postgres   127.0.0.1/32 trust
      hostssl all replicator 127.0.0.1/32 cert
      hostssl all loader     127.0.0.1/32 scram-sha-256
      """;

  @TempDir Path folder;

  @Test
  void aTaskRunsFromLoadToCutoverOverVerifiedTlsAndAWrongAuthorityIsRefused() throws Exception {
    TestCertificates certificates = TestCertificates.in(folder.resolve("certificates"));
    certificates.issue("server");
    certificates.issue("replicator");
    TestCertificates others = TestCertificates.in(folder.resolve("others"));
    try (EmbeddedPostgres source = server(certificates);
        EmbeddedPostgres target = server(certificates);
        EmbeddedBroker kafka = broker(certificates)) {
      ShopDatabases.create(source, target, "shop", new ShopScale(1));
      execute(
          source,
          """
          CREATE ROLE replicator LOGIN REPLICATION SUPERUSER""");
      execute(
          target,
          """
          CREATE ROLE loader LOGIN PASSWORD '%s';
          GRANT CREATE ON DATABASE shop TO loader;
          GRANT SET ON PARAMETER session_replication_role TO loader"""
              .formatted(TARGET_PASSWORD));
      allow(kafka, JournalTopics.ofTask("secured"));

      Path wrong = task(source, target, kafka, certificates, others.authority());
      DaemonProcess.Finished refused = DaemonProcess.commandHere("check", wrong.toString());
      assertThat(refused.exitCode()).as(refused.output()).isEqualTo(2);
      assertThat(refused.output())
          .contains("source ", "target ", "Kafka 127.0.0.1")
          .doesNotContain(KAFKA_PASSWORD, TARGET_PASSWORD);

      Path task = task(source, target, kafka, certificates, certificates.authority());
      DaemonProcess.Finished check = DaemonProcess.commandHere("check", task.toString());
      assertThat(check.exitCode()).as(check.output()).isZero();
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        daemon.awaitPhase("replicating");
        execute(source, "UPDATE shop.customer SET c_balance = c_balance + 1");
        daemon.awaitAllApplied();
        assertThat(unencrypted(source, "replicator")).isZero();
        assertThat(unencrypted(target, "loader")).isZero();
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
        assertThat(daemon.output()).doesNotContain(KAFKA_PASSWORD, TARGET_PASSWORD);
      }
    }
  }

  private EmbeddedPostgres server(TestCertificates certificates) throws Exception {
    Path access = Files.writeString(folder.resolve("pg_hba.conf"), ACCESS);
    return EmbeddedPostgres.builder()
        .setting("ssl", "on")
        .setting("ssl_cert_file", certificates.certificate("server").toString())
        .setting("ssl_key_file", certificates.key("server").toString())
        .setting("ssl_ca_file", certificates.authority().toString())
        .setting("hba_file", access.toString())
        .start();
  }

  private EmbeddedBroker broker(TestCertificates certificates) {
    String store = certificates.store().toString();
    return EmbeddedBroker.start(
        folder.resolve("kafka"),
        BrokerAccess.withPasswords(
                KAFKA, Map.of("sluice", "broker-secret", "migration", KAFKA_PASSWORD))
            .with(
                Map.of(
                    "ssl.keystore.type",
                    "PKCS12",
                    "ssl.keystore.location",
                    store,
                    "ssl.keystore.password",
                    TestCertificates.PASSWORD,
                    "ssl.key.password",
                    TestCertificates.PASSWORD,
                    "ssl.truststore.type",
                    "PEM",
                    "ssl.truststore.location",
                    certificates.authority().toString(),
                    "authorizer.class.name",
                    "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                    "super.users",
                    "User:sluice")));
  }

  /** The rights that docs/operate/security.md names, and no others. */
  private void allow(EmbeddedBroker kafka, JournalTopics topics) throws Exception {
    Map<String, Object> administrator = new HashMap<>(kafka.client());
    administrator.put("ssl.truststore.type", "PEM");
    administrator.put(
        "ssl.truststore.location", folder.resolve("certificates").resolve("ca.pem").toString());
    try (Admin admin = Admin.create(administrator)) {
      for (String topic : List.of(topics.journal(), topics.schemas())) {
        for (AclOperation operation :
            List.of(
                AclOperation.CREATE,
                AclOperation.READ,
                AclOperation.WRITE,
                AclOperation.DELETE,
                AclOperation.DESCRIBE_CONFIGS)) {
          admin
              .createAcls(
                  List.of(
                      new AclBinding(
                          new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                          new AccessControlEntry(
                              "User:migration", "*", operation, AclPermissionType.ALLOW))))
              .all()
              .get();
        }
      }
    }
  }

  private Path task(
      EmbeddedPostgres source,
      EmbeddedPostgres target,
      EmbeddedBroker kafka,
      TestCertificates certificates,
      Path authority)
      throws Exception {
    String verified = "?sslmode=verify-full&sslrootcert=" + authority;
    String certificate =
        "&sslcert=%s&sslkey=%s"
            .formatted(
                certificates.certificate("replicator"), certificates.driversKey("replicator"));
    Map<String, String> client = BrokerAccess.clientOf(KAFKA, "migration", KAFKA_PASSWORD);
    Path login = Files.writeString(folder.resolve("kafka-login"), client.get("sasl.jaas.config"));
    Path password = Files.writeString(folder.resolve("target-password"), TARGET_PASSWORD);
    return TaskFolder.of(folder, "secured", source, target, "shop", ShopSchema.SCHEMA)
        .replacing(
            "postgres@127.0.0.1:%d/shop\n  password: ${env:HOME}".formatted(source.port()),
            "replicator@127.0.0.1:%d/shop%s".formatted(source.port(), verified + certificate))
        .replacing(
            "postgres@127.0.0.1:%d/shop\n  password: ${env:HOME}".formatted(target.port()),
            "loader@127.0.0.1:%d/shop%s\n  password: ${file:%s}"
                .formatted(target.port(), verified, password))
        .replacing(
            "data-dir:",
            """
            kafka:
              bootstrap.servers: %s
              security.protocol: SASL_SSL
              sasl.mechanism: PLAIN
              sasl.jaas.config: ${file:%s}
              ssl.truststore.type: PEM
              ssl.truststore.location: %s
            data-dir:"""
                .formatted(kafka.bootstrapServers(), login, authority))
        .settings("{FullLoadSettings: {TargetTablePrepMode: DROP_AND_CREATE}}")
        .write();
  }

  private static long unencrypted(EmbeddedPostgres server, String role) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                """
                SELECT count(*) FILTER (WHERE NOT s.ssl), count(*) FILTER (WHERE s.ssl)
                FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid)
                WHERE a.usename = '%s'"""
                    .formatted(role))) {
      rows.next();
      assertThat(rows.getLong(2)).isPositive();
      return rows.getLong(1);
    }
  }

  private static void execute(EmbeddedPostgres server, String sql) throws SQLException {
    try (Connection connection = server.connect("shop");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
