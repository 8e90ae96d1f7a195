package dev.sluice.engine.endtoend;

import dev.sluice.embedded.postgres.Relay;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;

/** What befalls a server of a test. */
enum Outage {
  FROZEN,
  DROPPED,
  RESTARTED,
  KILLED;

  /** A server of a test, which can be taken away and comes back with the same address and data. */
  interface Server extends AutoCloseable {
    /** Stops all of its processes where they are; its connections stay open. */
    void freeze() throws Exception;

    void thaw() throws Exception;

    /** Ends it in order. */
    void stop() throws Exception;

    /** Ends it without a last write. */
    void kill() throws Exception;

    /** Starts it again after its end. */
    void start() throws Exception;

    /** What lies between it and the daemon. */
    Relay network();

    @Override
    void close() throws IOException;
  }

  /**
   * Takes the server away for some seconds, and brings it back.
   *
   * @return what was done, in words
   */
  String befall(Server server, Random random) throws Exception {
    Duration away = Duration.ofMillis(random.nextInt(8000));
    boolean forgotten = random.nextBoolean();
    switch (this) {
      case FROZEN -> {
        server.freeze();
        try {
          Thread.sleep(away.toMillis());
        } finally {
          server.thaw();
        }
      }
      case DROPPED -> {
        if (forgotten) {
          server.network().dropAndForget(away);
        } else {
          server.network().drop(away);
        }
      }
      case RESTARTED -> {
        server.stop();
        server.start();
      }
      case KILLED -> {
        server.kill();
        Thread.sleep(away.toMillis());
        server.start();
      }
    }
    return switch (this) {
      case RESTARTED -> "restarted";
      case DROPPED ->
          "cut off from the daemon for %s%s"
              .formatted(away, forgotten ? ", its connections forgotten" : "");
      case FROZEN -> "frozen for " + away;
      case KILLED -> "killed, and away for " + away;
    };
  }
}
