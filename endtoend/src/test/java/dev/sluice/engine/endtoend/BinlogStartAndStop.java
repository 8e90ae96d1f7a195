package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A task that only follows changes of MariaDB or MySQL begins and ends where its file and its
 * command say, exact to the transaction.
 */
abstract class BinlogStartAndStop extends BinlogPlaces {
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
}
