package dev.sluice.connector.mariadb.capture.succession;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.capture.CapturedServer;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks to which server the source's address leads, and makes the capture leave a former primary.
 * A capture's sessions stay on that server as long as it runs. Owned by the source; threadsafe.
 */
public final class AddressWatch {
  private static final Logger LOG = LoggerFactory.getLogger(AddressWatch.class);

  private final MariadbServer server;
  private final CapturedServer captured;
  private final InstantSource clock;
  private LeavingRule rule = new LeavingRule();
  private String watched = "";

  /**
   * @param clock that never goes back
   */
  public AddressWatch(MariadbServer server, CapturedServer captured, InstantSource clock) {
    this.server = server;
    this.captured = captured;
    this.clock = clock;
  }

  /** Checks the address if that is due. If it does not answer, nothing is decided. */
  public synchronized void look() {
    Optional<String> now = captured.identity();
    if (now.isEmpty()) {
      return;
    }
    if (!now.get().equals(watched)) {
      watched = now.get();
      rule = new LeavingRule();
    }
    if (!rule.isDue(clock.instant())) {
      return;
    }
    rule.asked(clock.instant());
    try (Connection session = server.open()) {
      AddressedServer answer = AddressedServer.read(new MariadbQuery(session));
      Optional<ExecutedTransactions> has = ofCaptured();
      if (has.isPresent()) {
        rule.take(clock.instant(), answer, watched, has.get())
            .ifPresent(missing -> leave(answer, missing));
      }
    } catch (SQLException e) {
      LOG.debug("the server at the source's address does not say who it is: {}", e.getMessage());
    }
  }

  /**
   * The transactions of the captured server, however far the capture has read. Uses a session that
   * stays on that server; empty if the session was lost and now leads elsewhere.
   */
  private Optional<ExecutedTransactions> ofCaptured() throws SQLException {
    return server.ask(
        query ->
            LogServer.identity(query).equals(watched)
                ? Optional.of(ExecutedTransactions.read(query))
                : Optional.empty());
  }

  private void leave(AddressedServer answer, ExecutedTransactions missing) {
    rule = new LeavingRule();
    captured.leave(
        watched,
        new SluiceException.Retryable(
            new Problem(
                    "source",
                    "server %s answers at its address, and has executed %s, which server %s lacks"
                        .formatted(answer.identity(), missing, watched),
                    "one server at this address: the one whose binary log the task reads",
                    "Keep applications from writing to server %s. The task starts again, and checks whether the other server has all that the task has read"
                        .formatted(watched))
                .toString(),
            null));
    // Otherwise the next start could reach both servers in turn.
    server.askAgain();
  }
}
