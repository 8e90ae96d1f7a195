package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import java.sql.SQLException;
import java.util.Optional;

/**
 * The server to which the source's address leads at a moment. Immutable.
 *
 * @param identity which server it is
 * @param isWritten whether applications may write there: {@code read_only} is off
 * @param unlogged the problem that it replicates from another one and does not log that
 */
public record AddressedServer(String identity, boolean isWritten, Optional<Problem> unlogged) {

  /**
   * Asks the server.
   *
   * @param query over a connection that was opened just now
   */
  public static AddressedServer read(MariadbQuery query) throws SQLException {
    String[] row =
        query
            .row(
                "SELECT @@global.read_only, @@global.log_%s_updates"
                    .formatted(query.flavour() == Flavour.MYSQL ? "replica" : "slave"))
            .orElseThrow();
    return new AddressedServer(
        LogServer.identity(query),
        isOff(row[0]),
        isOff(row[1]) && replicates(query) ? Optional.of(problem()) : Optional.empty());
  }

  /**
   * Asserts that its log gets all that it takes.
   *
   * @throws SluiceException.Retryable if not: the address may lead to the new primary soon
   */
  public void requireLogging() {
    unlogged.ifPresent(
        problem -> {
          throw new SluiceException.Retryable(problem.toString(), null);
        });
  }

  /** Newer servers have more values than two. */
  private static boolean isOff(String value) {
    return value.equals("0") || value.equalsIgnoreCase("OFF");
  }

  private static boolean replicates(MariadbQuery query) throws SQLException {
    return query.flavour() == Flavour.MYSQL
        ? query.named("SHOW REPLICA STATUS").stream()
            .anyMatch(channel -> "Yes".equals(channel.get("Replica_SQL_Running")))
        : query
            .row("SHOW GLOBAL STATUS LIKE 'Slaves_running'")
            .filter(row -> !row[1].equals("0"))
            .isPresent();
  }

  private static Problem problem() {
    return new Problem(
        "source",
        "the server has become a replica, and log_slave_updates is OFF: its log lacks what it replicates",
        "the server that applications write to, or a replica that logs what it gets",
        "Let source.url lead to the new primary. A start there asks whether its log has all that"
            + " the target lacks");
  }
}
