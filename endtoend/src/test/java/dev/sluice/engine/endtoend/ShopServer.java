package dev.sluice.engine.endtoend;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.embedded.mariadb.EmbeddedMariadb;
import dev.sluice.embedded.mariadb.EmbeddedMysql;
import dev.sluice.embedded.mariadb.EmbeddedServer;
import dev.sluice.embedded.mariadb.MariadbReplica;
import dev.sluice.embedded.mariadb.MysqlReplica;
import dev.sluice.embedded.mariadb.ServerBuilder;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The servers that a {@link BinlogShop} may be on, and what they call differently. */
enum ShopServer {
  MARIADB,
  MYSQL;

  /** Skips the test if there is no such server on this machine. */
  void assumeAvailable() {
    if (this == MARIADB) {
      assumeTrue(
          EmbeddedMariadb.isAvailable(), "there are no binaries of MariaDB for this machine");
    } else {
      assumeTrue(EmbeddedMysql.isAvailable(), EmbeddedMysql.MISSING);
    }
  }

  /** The type of the source, as a task file names it. */
  String type() {
    return this == MARIADB ? "mariadb" : "mysql";
  }

  ServerBuilder<? extends EmbeddedServer> builder() {
    return this == MARIADB
        ? EmbeddedMariadb.builder()
        // The password of the task's user travels through TLS only.
        : EmbeddedMysql.builder().setting("auto-generate-certs", "ON");
  }

  /** That of a server which can be made a replica. */
  ServerBuilder<? extends EmbeddedServer> replicaBuilder() {
    return this == MARIADB
        ? MariadbReplica.settings(2)
        : MysqlReplica.settings(2).setting("auto-generate-certs", "ON");
  }

  /** A server that shows the certificate of another one. */
  ServerBuilder<? extends EmbeddedServer> certifiedAs(
      EmbeddedServer other, ServerBuilder<? extends EmbeddedServer> builder) {
    return this == MARIADB
        ? builder
        : builder
            .setting("ssl-ca", other.directory().resolve("ca.pem").toString())
            .setting("ssl-cert", other.directory().resolve("server-cert.pem").toString())
            .setting("ssl-key", other.directory().resolve("server-key.pem").toString());
  }

  EmbeddedServer start() {
    return builder().start();
  }

  /** The source's url in a task file. */
  String url(EmbeddedServer server) {
    String url =
        "%s://%s@127.0.0.1:%d/%s"
            .formatted(type(), BinlogShop.USER, server.port(), BinlogShop.DATABASE);
    return this == MARIADB
        ? url
        : url + "?sslMode=verify-ca&serverSslCert=" + server.directory().resolve("ca.pem");
  }

  /** Makes the task's user, with the rights of the document. */
  void createUser(Statement statement) throws SQLException {
    String user = BinlogShop.USER + "@'%'";
    statement.execute("CREATE USER %s IDENTIFIED BY '%s'".formatted(user, BinlogShop.PASSWORD));
    for (String grant : grants(user)) {
      statement.execute(grant);
    }
  }

  /** The rights of the document. */
  private List<String> grants(String user) {
    List<String> grants =
        this == MARIADB
            ? List.of(
                "PROCESS, REPLICATION SLAVE, BINLOG MONITOR, REPLICA MONITOR, RELOAD, BINLOG ADMIN ON *.*",
                "SELECT ON " + BinlogShop.DATABASE + ".*")
            : List.of(
                "PROCESS, REPLICATION SLAVE, REPLICATION CLIENT, XA_RECOVER_ADMIN ON *.*",
                "SELECT, LOCK TABLES ON " + BinlogShop.DATABASE + ".*",
                "SELECT ON performance_schema.replication_applier_global_filters");
    return grants.stream().map(grant -> "GRANT %s TO %s".formatted(grant, user)).toList();
  }

  /** A table of the numbers from 1 on, up to 100,000, in the column {@code seq}. */
  String numbers(int highest) {
    if (this == MARIADB) {
      return "seq_1_to_" + highest;
    }
    String digits =
        IntStream.range(0, 10)
            .mapToObj(digit -> "SELECT " + digit + " AS d")
            .collect(Collectors.joining(" UNION ALL ", "(", ")"));
    return ("(SELECT * FROM (SELECT 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d AS seq"
            + " FROM %1$s a, %1$s b, %1$s c, %1$s e, %1$s f) n WHERE seq <= %2$d) numbers")
        .formatted(digits, highest);
  }

  /** The longest time of a day, which MySQL has without a fraction. */
  String longestTime() {
    return this == MARIADB ? "838:59:59.99" : "838:59:59";
  }

  String logStatus() {
    return this == MARIADB ? "SHOW MASTER STATUS" : "SHOW BINARY LOG STATUS";
  }

  /** The query for the transactions that a backup has which is made now. */
  String gtids() {
    return this == MARIADB ? "SELECT @@gtid_binlog_pos" : "SELECT @@global.gtid_executed";
  }

  /** The statement that begins the log again with a file of that number. */
  String resetLog(int file) {
    return (this == MARIADB ? "RESET MASTER TO " : "RESET BINARY LOGS AND GTIDS TO ") + file;
  }

  /** The rules of a foreign key that names none, as PostgreSQL prints them. */
  String rulesOfForeignKeys() {
    return this == MARIADB ? " ON UPDATE RESTRICT ON DELETE RESTRICT" : "";
  }

  /** Whether a server on another port says that it is another one. */
  boolean identityHasPort() {
    return this == MARIADB;
  }

  /** What a start says of a replica that lacks what the task has, and has written by itself. */
  List<String> refusalOfTheLost() {
    return this == MARIADB
        ? List.of(
            "its log has transaction 0-2-[0-9]+ before",
            "transaction 0-1-[0-9]+, and none that the task lacks")
        : List.of("it has not executed [-0-9a-f]{36}:[0-9]");
  }
}
