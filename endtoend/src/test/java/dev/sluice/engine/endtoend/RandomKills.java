package dev.sluice.engine.endtoend;

import java.nio.file.Path;
import java.util.function.IntSupplier;

/** Daemons of one task that are killed, one after the other. */
final class RandomKills {
  /**
   * The first one dies in its start or in the load, the second one while it replicates, and the
   * third one in a start that goes on. A longer form is {@code -Dsluice.kills=20}.
   */
  static final int COUNT = Integer.getInteger("sluice.kills", 3);

  private RandomKills() {}

  /**
   * Runs and kills them. Every second one replicates first, so that the others die in a load, too.
   *
   * @param milliseconds how long the next one goes on
   */
  static void of(Path task, IntSupplier milliseconds) throws Exception {
    for (int kill = 0; kill < COUNT; kill++) {
      try (DaemonProcess daemon = DaemonProcess.run(task)) {
        if (kill % 2 == 1) {
          daemon.awaitPhase("replicating");
        }
        Thread.sleep(milliseconds.getAsInt());
        daemon.kill();
      }
    }
  }
}
