package dev.sluice.connector.mariadb.capture.search;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.capture.AwaitedGtids;
import dev.sluice.connector.mariadb.capture.position.LogBeginnings;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.server.Flavour;
import java.util.Arrays;
import java.util.Optional;

/**
 * Transactions that a task file names by their GTIDs: those that a target has before the first
 * start of its task, as printed by backup tools, or those after which the task stops. Immutable.
 */
public sealed interface NamedGtids permits MariadbNamedGtids, MysqlNamedGtids {
  /**
   * Reads the format of a server.
   *
   * @return empty if the text does not have that format
   */
  static Optional<NamedGtids> parse(Flavour flavour, String text) {
    return flavour == Flavour.MARIADB
        ? MariadbNamedGtids.parse(text).map(NamedGtids.class::cast)
        : MysqlNamedGtids.parse(text).map(NamedGtids.class::cast);
  }

  /**
   * Whether a text has the format of any server. Otherwise it names a place of one server's log.
   */
  static boolean are(String text) {
    return Arrays.stream(Flavour.values()).anyMatch(each -> parse(each, text).isPresent());
  }

  /** The expected format, with an example. */
  static String form(Flavour flavour) {
    return flavour == Flavour.MARIADB
        ? "GTIDs, one for each domain, such as 0-1-4711,1-2-33"
        : "a set of GTIDs, such as 3e11fa47-71ca-11e1-9e33-c80aa9429562:1-4711";
  }

  /** Why the server is unfit: it lacks some of them, or has purged others. */
  Optional<String> unfit(LogServer server);

  /** The transactions before a file, for messages. */
  String before(String file, LogBeginnings beginnings, LogServer server);

  /**
   * Follows the log from the beginning of a file.
   *
   * @return empty if other transactions are before the file
   */
  Optional<GtidBoundary> from(String file, LogBeginnings beginnings, LogServer server);

  /** Why no task can stop after them on this server; empty if one can. */
  Optional<String> unfitToStop(LogServer server);

  /**
   * Requires that a task can stop after them on this server.
   *
   * @throws SluiceException.Fatal if the server names no transactions
   */
  default void requireFitToStop(LogServer server) {
    unfitToStop(server)
        .ifPresent(
            found -> {
              throw notReached(found);
            });
  }

  /**
   * The transactions that are not before a file of the log.
   *
   * @throws SluiceException.Fatal if one of them cannot come any more
   */
  AwaitedGtids awaited(String file, LogBeginnings beginnings, LogServer server);

  /**
   * The problem that the log cannot be read to look for them. The fix differs from that of a
   * capture.
   */
  default SluiceException notLookedFor(String from, SluiceException.Fatal failure) {
    String found =
        failure.problems().isEmpty() ? failure.getMessage() : failure.problems().get(0).found();
    return new SluiceException.Fatal(
        new Problem(
            "cdc-stop-position " + this,
            "the stop cannot be looked for: the binary log cannot be read from %s on: %s"
                .formatted(from, found),
            "a log that can be read from there to the place at which the task goes on",
            "Remove cdc-stop-position, or write a place or a time"));
  }

  /** Whether a failure is about these transactions as a stop. */
  default boolean isOf(SluiceException.Fatal failure) {
    return failure.problems().stream()
        .anyMatch(problem -> problem.thing().equals("cdc-stop-position " + this));
  }

  /** The problem of a task that is to stop after them. */
  default SluiceException notReached(String found) {
    return new SluiceException.Fatal(
        new Problem(
            "cdc-stop-position " + this,
            found,
            "transactions that end after the place at which the task goes on",
            "Remove it, or name transactions that are still to come, or a time"));
  }
}
