package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** What the tests have that let a task of MariaDB or MySQL begin and end at places of the log. */
abstract class BinlogPlaces extends BinlogToPostgres {
  BinlogPlaces(ShopServer kind) {
    super(kind);
  }

  /** The same task with a stop. */
  static Path stopping(Path task, String name, String stop) throws IOException {
    return Files.writeString(
        task.resolveSibling(name + ".yaml"),
        Files.readString(task) + "cdc-stop-position: " + stop + "\n");
  }

  /** A list with a number more transactions. */
  static String later(String gtids, int more) {
    int at = Math.max(gtids.lastIndexOf('-'), gtids.lastIndexOf(':')) + 1;
    return gtids.substring(0, at) + (Long.parseLong(gtids.substring(at)) + more);
  }

  /**
   * Writes two transactions, and returns a time up to which the first one was committed, and not
   * the second one. MariaDB's log has whole seconds; there it is the second of the first one.
   */
  Instant insertUpTo(Statement write, int last, int beyond) throws SQLException {
    // Not before the fences of the last run, which have the time of the source's clock.
    Instant time = clock(write).plusSeconds(2).truncatedTo(ChronoUnit.SECONDS);
    if (kind == ShopServer.MARIADB) {
      write.execute("SET timestamp = " + time.getEpochSecond());
    }
    insert(write, last);
    if (kind == ShopServer.MYSQL) {
      time = clock(write);
    }
    if (kind == ShopServer.MARIADB) {
      write.execute("SET timestamp = " + (time.getEpochSecond() + 1));
    }
    insert(write, beyond);
    write.execute("SET timestamp = DEFAULT");
    return time;
  }

  Connection shop(EmbeddedServer source) throws SQLException {
    source.createDatabase(BinlogShop.DATABASE);
    Connection connection = source.connect(BinlogShop.DATABASE);
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE item (id int PRIMARY KEY)");
      kind.createUser(statement);
    }
    return connection;
  }

  /** The target's table, with a note of each row that is put in. */
  static Connection table(String database) throws SQLException {
    target.createDatabase(database);
    Connection connection = target.connect(database);
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          """
          CREATE SCHEMA shop; CREATE TABLE shop.item (id int PRIMARY KEY);
          CREATE TABLE seen (no int GENERATED ALWAYS AS IDENTITY, id int);
          CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN INSERT INTO public.seen (id) VALUES (NEW.id); RETURN NEW; END $$;
          CREATE TRIGGER note BEFORE INSERT ON shop.item FOR EACH ROW EXECUTE FUNCTION note();
          ALTER TABLE shop.item ENABLE ALWAYS TRIGGER note
          """);
    }
    return connection;
  }

  Path task(EmbeddedServer source, Path folder, String name, String line) throws IOException {
    Path task = new BinlogTask(kind, target, folder, name).write(source, "cdc");
    append(task, line);
    return task;
  }

  static void append(Path task, String line) throws IOException {
    Files.writeString(task, Files.readString(task) + line + "\n");
  }

  /** Runs the task until it ends by itself. */
  static void run(Path task, String... where) {
    DaemonProcess.Finished finished = finished(task, where);
    assertThat(finished.exitCode()).as(finished.output()).isZero();
  }

  /** Runs a task that cannot start so, and returns what it says. */
  static String refused(Path task, String... where) {
    DaemonProcess.Finished finished = finished(task, where);
    assertThat(finished.exitCode()).as(finished.output()).isNotZero();
    return finished.output();
  }

  static DaemonProcess.Finished finished(Path task, String... where) {
    String[] command = new String[2 + where.length];
    command[0] = "run";
    command[1] = task.toString();
    System.arraycopy(where, 0, command, 2, where.length);
    return DaemonProcess.commandHere(command);
  }

  static void insert(Statement write, int id) throws SQLException {
    write.execute("INSERT INTO item VALUES (" + id + ")");
  }

  String place(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery(kind.logStatus())) {
      row.next();
      return row.getString(1) + ":" + row.getLong(2);
    }
  }

  static String text(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  static Instant clock(Statement statement) throws SQLException {
    try (ResultSet row =
        statement.executeQuery("SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)")) {
      row.next();
      return Instant.EPOCH.plus(row.getLong(1), ChronoUnit.MICROS);
    }
  }

  /** The rows that were put in, in the order of their keys. */
  static String seen(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT string_agg(id::text, ',' ORDER BY id) FROM seen")) {
      row.next();
      return row.getString(1);
    }
  }
}
