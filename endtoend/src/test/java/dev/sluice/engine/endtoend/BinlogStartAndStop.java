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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A task that only follows changes of MariaDB or MySQL begins and ends where its file and its
 * command say, exact to the transaction.
 */
abstract class BinlogStartAndStop extends BinlogToPostgres {
  BinlogStartAndStop(ShopServer kind) {
    super(kind);
  }

  /** Each run ends by itself between two transactions, and the next one goes on there. */
  @Test
  @Timeout(600)
  void fromPlaceToPlaceEachTransactionIsAppliedOnce(@TempDir Path folder) throws Exception {
    try (EmbeddedServer source = kind.start();
        Connection applications = shop(source);
        Statement write = applications.createStatement();
        Connection applied = table("places")) {
      insert(write, 1);
      String start = place(write);
      insert(write, 2);
      String stop = place(write);
      insert(write, 3);
      Path task = task(source, folder, "places", "cdc-start-position: " + start);
      run(task, "--until", stop);
      assertThat(seen(applied)).as("behind the start, up to the position").isEqualTo("2");
      run(task, "--until", "now");
      assertThat(seen(applied)).as("what was committed then").isEqualTo("2,3");

      Instant time = insertUpTo(write, 4, 5);
      run(task, "--until", "commit_time:" + time);
      assertThat(seen(applied)).as("committed until the time").isEqualTo("2,3,4");

      Instant reached = clock(write).plusSeconds(2);
      append(task, "cdc-stop-position: server_time:" + reached);
      run(task);
      assertThat(clock(write)).isAfterOrEqualTo(reached);
      assertThat(seen(applied)).as("committed until the clock was there").isEqualTo("2,3,4,5");
      insert(write, 6);
      run(task, "--until", "now");
      assertThat(seen(applied)).as("once each").isEqualTo("2,3,4,5,6");
    }
  }

  /** Tools for backups tell GTIDs: what a target has that was filled from one. */
  @Test
  @Timeout(600)
  void behindABackupByItsGtidsNothingIsLostOrRepeated(@TempDir Path folder) throws Exception {
    try (EmbeddedServer source = kind.start();
        Connection applications = shop(source);
        Statement write = applications.createStatement();
        Connection applied = table("behind")) {
      insert(write, 1);
      String backup = text(write, kind.gtids());
      insert(write, 2);
      Path task = task(source, folder, "behind", "cdc-start-position: \"%s\"".formatted(backup));
      run(task, "--until", "now");
      assertThat(seen(applied)).isEqualTo("2");
      Path late = task(source, folder, "behind", "cdc-start-position: \"%s0\"".formatted(backup));
      Files.writeString(late, Files.readString(late).replace("task: behind", "task: late"));
      DaemonProcess.Finished refused = DaemonProcess.commandHere("check", late.toString());
      assertThat(refused.exitCode()).isNotZero();
      assertThat(refused.output())
          .contains("cdc-start-position " + backup + "0", "the oldest file of the log, binlog.");
    }
  }

  /** The stop is known before the journal has what is behind it, in whichever run it comes. */
  @Test
  @Timeout(600)
  void behindTheTransactionThatAGtidNamesATaskStops(@TempDir Path folder) throws Exception {
    try (EmbeddedServer source = kind.start();
        Connection applications = shop(source);
        Statement write = applications.createStatement();
        Connection applied = table("named")) {
      insert(write, 1);
      String start = text(write, kind.gtids());
      insert(write, 2);
      String second = text(write, kind.gtids());
      write.execute("FLUSH BINARY LOGS");
      insert(write, 3);
      Path task = task(source, folder, "named", "cdc-start-position: \"%s\"".formatted(start));
      run(task, "--until", second);
      assertThat(seen(applied)).as("in an earlier file of the log").isEqualTo("2");
      run(task, "--until", second);
      assertThat(seen(applied)).as("it is there").isEqualTo("2");

      String fourth = later(text(write, kind.gtids()), 1);
      Path waiting = stopping(task, "waiting", "\"%s\"".formatted(fourth));
      try (DaemonProcess daemon = DaemonProcess.run(waiting)) {
        daemon.awaitPhase("replicating");
        assertThat(seen(applied)).as("before the stop has come").isEqualTo("2,3");
        insert(write, 4);
        insert(write, 5);
        insert(write, 6);
        assertThat(daemon.awaitEnd()).as(daemon.output()).isZero();
      }
      assertThat(seen(applied)).as("the journal may have more").isEqualTo("2,3,4");
      run(task, "--until", later(fourth, 1));
      assertThat(seen(applied)).as("a stop that the journal may have").isEqualTo("2,3,4,5");

      String passed = refused(task, "--until", second);
      assertThat(passed).contains("cdc-stop-position " + second, "the task goes on at");
      assertThat(refused(task, "--until", fourth)).contains("the target has all up to");
      assertThat(refused(task, "--until", "0-1")).contains("a file of the binary log", "GTIDs");
      if (kind == ShopServer.MARIADB) {
        String sixth = later(fourth, 2);
        String others = sixth.replaceFirst("-[0-9]+-", "-99-");
        assertThat(refused(task, "--until", others))
            .contains("the log has %s, and before it no %s".formatted(sixth, others));
      }
      run(task, "--until", "now");
      assertThat(seen(applied)).as("once each").isEqualTo("2,3,4,5,6");
    }
  }

  /**
   * A daemon is killed before the stop has come, and with a journal that has the stop and more
   * while the target has neither.
   */
  @Test
  @Timeout(1800)
  void aStopThatIsSearchedWhileTheDaemonIsKilledStaysWhereItIs(@TempDir Path folder)
      throws Exception {
    try (EmbeddedServer source = kind.start();
        Connection applications = shop(source);
        Statement write = applications.createStatement();
        Connection applied = table("searched")) {
      insert(write, 1);
      String start = text(write, kind.gtids());
      Path task = task(source, folder, "searched", "cdc-start-position: \"%s\"".formatted(start));
      insert(write, 2);
      String third = later(text(write, kind.gtids()), 1);
      Path named = stopping(task, "named", "\"%s\"".formatted(third));
      try (DaemonProcess daemon = DaemonProcess.run(named)) {
        daemon.awaitPhase("replicating");
        daemon.kill();
      }
      assertThat(seen(applied)).as("before the stop has come").isEqualTo("2");
      insert(write, 3);
      insert(write, 4);
      insert(write, 5);
      DaemonProcess.killAhead(named, applied, "shop.item", 3);
      assertThat(seen(applied)).as("the journal has it, and the target does not").isEqualTo("2");
      run(named);
      assertThat(seen(applied)).as("behind the transaction that is named").isEqualTo("2,3");

      Instant time = insertUpTo(write, 6, 7);
      Path timed = stopping(task, "timed", "commit_time:" + time);
      DaemonProcess.killAhead(timed, applied, "shop.item", 2);
      assertThat(seen(applied)).as("the journal has the time, too").isEqualTo("2,3");
      insert(write, 8);
      run(timed);
      assertThat(seen(applied)).as("committed until the time").isEqualTo("2,3,4,5,6");
      run(task, "--until", "now");
      assertThat(seen(applied)).as("once each").isEqualTo("2,3,4,5,6,7,8");
    }
  }

  /** The same task with a stop. */
  private static Path stopping(Path task, String name, String stop) throws IOException {
    return Files.writeString(
        task.resolveSibling(name + ".yaml"),
        Files.readString(task) + "cdc-stop-position: " + stop + "\n");
  }

  /** A list with a number more transactions. */
  private static String later(String gtids, int more) {
    int at = Math.max(gtids.lastIndexOf('-'), gtids.lastIndexOf(':')) + 1;
    return gtids.substring(0, at) + (Long.parseLong(gtids.substring(at)) + more);
  }

  /**
   * Writes two transactions, and returns a time up to which the first one was committed, and not
   * the second one. MariaDB's log has whole seconds; there it is the second of the first one.
   */
  private Instant insertUpTo(Statement write, int last, int beyond) throws SQLException {
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

  private Connection shop(EmbeddedServer source) throws SQLException {
    source.createDatabase(BinlogShop.DATABASE);
    Connection connection = source.connect(BinlogShop.DATABASE);
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE item (id int PRIMARY KEY)");
      kind.createUser(statement);
    }
    return connection;
  }

  /** The target's table, with a note of each row that is put in. */
  private static Connection table(String database) throws SQLException {
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

  private Path task(EmbeddedServer source, Path folder, String name, String line)
      throws IOException {
    Path task = new BinlogTask(kind, target, folder, name).write(source, "cdc");
    append(task, line);
    return task;
  }

  private static void append(Path task, String line) throws IOException {
    Files.writeString(task, Files.readString(task) + line + "\n");
  }

  /** Runs the task until it ends by itself. */
  private static void run(Path task, String... where) {
    DaemonProcess.Finished finished = finished(task, where);
    assertThat(finished.exitCode()).as(finished.output()).isZero();
  }

  /** Runs a task that cannot start so, and returns what it says. */
  private static String refused(Path task, String... where) {
    DaemonProcess.Finished finished = finished(task, where);
    assertThat(finished.exitCode()).as(finished.output()).isNotZero();
    return finished.output();
  }

  private static DaemonProcess.Finished finished(Path task, String... where) {
    String[] command = new String[2 + where.length];
    command[0] = "run";
    command[1] = task.toString();
    System.arraycopy(where, 0, command, 2, where.length);
    return DaemonProcess.commandHere(command);
  }

  private static void insert(Statement write, int id) throws SQLException {
    write.execute("INSERT INTO item VALUES (" + id + ")");
  }

  private String place(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery(kind.logStatus())) {
      row.next();
      return row.getString(1) + ":" + row.getLong(2);
    }
  }

  private static String text(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  private static Instant clock(Statement statement) throws SQLException {
    try (ResultSet row =
        statement.executeQuery("SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)")) {
      row.next();
      return Instant.EPOCH.plus(row.getLong(1), ChronoUnit.MICROS);
    }
  }

  /** The rows that were put in, in the order of their keys. */
  private static String seen(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT string_agg(id::text, ',' ORDER BY id) FROM seen")) {
      row.next();
      return row.getString(1);
    }
  }
}
