package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.mariadb.server.Flavour;
import java.util.Optional;

/**
 * The transactions that a target has before the first start of its task, by their GTIDs, as tools
 * for backups tell them. Immutable.
 */
public sealed interface StartGtids permits MariadbStartGtids, MysqlStartGtids {
  /**
   * Reads the form of a server.
   *
   * @return empty if the text is not of that form
   */
  static Optional<StartGtids> parse(Flavour flavour, String text) {
    return flavour == Flavour.MARIADB
        ? MariadbStartGtids.parse(text).map(StartGtids.class::cast)
        : MysqlStartGtids.parse(text).map(StartGtids.class::cast);
  }

  /** What is expected, with an example. */
  static String form(Flavour flavour) {
    return flavour == Flavour.MARIADB
        ? "GTIDs, one for each domain, such as 0-1-4711,1-2-33"
        : "a set of GTIDs, such as 3e11fa47-71ca-11e1-9e33-c80aa9429562:1-4711";
  }

  /**
   * Those of them that the server does not have, or that it purged although they are not among
   * them.
   */
  Optional<String> unfit(LogServer server);

  /** The transactions before a file, for messages. */
  String before(String file, LogBeginnings beginnings, LogServer server);

  /**
   * Follows the log from the beginning of a file.
   *
   * @return empty if others are before the file
   */
  Optional<GtidBoundary> from(String file, LogBeginnings beginnings, LogServer server);
}
