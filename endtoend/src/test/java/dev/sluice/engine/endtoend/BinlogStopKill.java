package dev.sluice.engine.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.embedded.mariadb.EmbeddedServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A stop of a task of MariaDB or MySQL stays where it is while daemons are killed. */
abstract class BinlogStopKill extends BinlogPlaces {
  BinlogStopKill(ShopServer kind) {
    super(kind);
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

  @Test
  @Timeout(1800)
  void aTimeThatIsStillToComeStaysTheStopAfterAKill(@TempDir Path folder) throws Exception {
    try (EmbeddedServer source = kind.start();
        Connection applications = shop(source);
        Statement write = applications.createStatement();
        Connection applied = table("coming")) {
      String start = text(write, kind.gtids());
      Path task = task(source, folder, "coming", "cdc-start-position: \"%s\"".formatted(start));
      ComingStop stop = new ComingStop(task, id -> insert(write, id), applied, "shop.item", 1);
      stop.stopsWhereItIsAfterAKill("server_time:");
      run(task, "--until", "now");
      assertThat(seen(applied))
          .as("once each")
          .isEqualTo(
              stop.committed().stream().map(String::valueOf).collect(Collectors.joining(",")));
    }
  }
}
